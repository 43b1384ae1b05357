"""Reads the tables of messages under tests/data/messages."""

import json
import shlex
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from bot.understand.understood import Understood

FOLDER = Path(__file__).parents[2] / "data" / "messages"
NAMES = {
    "model": "model_id",
    "mem": "gpu_mem_gb",
    "ctx": "context_tokens",
    "conc": "concurrency",
    "quant": "weight_quant",
    "kv": "kv_dtype",
    "util": "utilization",
    "version": "vllm_version",
    "seqs": "max_num_seqs",
    "batched": "max_num_batched_tokens",
}


@dataclass(frozen=True)
class Expected:
    """One line of a table. `fields` hold None for what must no longer be set."""

    text: str
    intent: str
    fields: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    asides: tuple[str, ...] = ()


def blocks(name: str) -> list[list[str]]:
    """The lines of each block of a table, comments left out."""
    found = (FOLDER / name).read_text("utf-8").split("\n\n")
    told = [[line for line in block.splitlines() if line and not line.startswith("#")] for block in found]
    return [block for block in told if block]


def lines(name: str) -> list[str]:
    """Every line of a table."""
    return [line for block in blocks(name) for line in block]


def expected(line: str) -> Expected:
    """`message | intent | name=value …`; the last part may be empty."""
    text, intent, *rest = [part.strip() for part in line.split(" |")]
    fields, options, asides = {}, {}, []
    for word in shlex.split(rest[0]) if rest else []:
        name, _, value = word.partition("=")
        if name.startswith("!"):
            asides.append(name[1:])
        elif name.startswith("+"):
            options[name[1:]] = _value(value)
        else:
            fields[NAMES.get(name, name)] = value if name == "version" else _value(value)
    return Expected(text, intent, fields, options, tuple(asides))


def said(understood: Understood) -> dict[str, Any]:
    """The fields that are set."""
    return {name: value for name, value in asdict(understood.fields).items() if value is not None}


def _value(text: str) -> Any:
    if text == "-":
        return None
    try:
        return json.loads(text)
    except ValueError:
        return text
