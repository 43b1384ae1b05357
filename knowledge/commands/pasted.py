"""A `vllm serve` command pasted into a message: its model, its options and what they say to the estimator. Never run.

Understood are `vllm serve …`, `python -m vllm.entrypoints.openai.api_server …` and `docker run … vllm/vllm-openai …`, over
several lines, with variables and assignments. What is wrong with it for a version is told by knowledge/commands/faults.py.
"""

import json
import re
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from knowledge.commands.options import as_options
from knowledge.commands.shell_words import assignments, smooth, words
from knowledge.commands.words import Reader, Written, next_is_option, read_docker, read_model, read_options

LONGEST = 40_000  # characters that are read
_ATTEMPTS = 20  # places that look like a command's start before it is given up
_LONGEST_PREFIX = 600  # characters of `X=1 Y=2 nohup` before the command on its line
_SECRET = frozenset({"--api-key", "--hf-token"})
_HIDDEN = "…"
_TELLING = re.compile(r"(?:VLLM|CUDA|NVIDIA|HIP|ROCR|ASCEND|PYTORCH)_\w*(?<!KEY)(?<!TOKEN)$")
_START = re.compile(
    r"(?<![\w./-])(?:(?P<serve>vllm(?:\.exe)?[ \t]+serve)|python[\d.]*[ \t]+-m[ \t]+(?P<module>vllm\.entrypoints\.(?:openai\.)?api_server)"
    r"|(?P<docker>(?:docker|podman|nerdctl)[ \t]+(?:container[ \t]+)?run))(?=[\s\\^`]|$)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PastedCommand:
    """A command at text[start:end]. `program` is serve, module or docker.

    `flags` has every option by its full name: True or False for a switch, an object for JSON, a list where several are
    taken, else text. `options` are those that `FitRequest` has, by its names, where they make sense; `count` is set from the
    GPUs made visible to it, `vllm_version` from the image's tag. `environment` has the variables that vLLM, CUDA or torch
    read; keys and tokens are left out of it, and hidden in `flags`.
    """

    start: int
    end: int
    program: str
    model: str | None
    written: tuple[Written, ...]
    flags: dict[str, Any]
    options: dict[str, Any]
    environment: dict[str, str] = field(default_factory=dict)
    model_by_flag: bool = False


def parse(text: str) -> PastedCommand | None:
    """The first serve command in `text`, None when there is none. Takes up to 40,000 characters, whatever they are."""
    plain = smooth(text[:LONGEST])
    for found in islice(_START.finditer(plain), _ATTEMPTS):
        command = _command(plain, found)
        if command is not None:
            return command
    return None


def _command(text: str, found: re.Match[str]) -> PastedCommand | None:
    variables = assignments(text[: found.start()])
    reader = Reader(words(text, found.end(), variables), end=found.end())
    program = "serve" if found["serve"] else "module" if found["module"] else "docker"
    start = found.start()
    line_start = max(text.rfind("\n", 0, start) + 1, start - _LONGEST_PREFIX)
    inline = re.search(r"(?:[A-Za-z_]\w*=\S*[ \t]+)+(?:[\w.-]+[ \t]+){0,2}$", text[line_start:start])
    if inline:
        start = line_start + inline.start()
    reader.environment.update(variables)
    if program == "docker" and not read_docker(reader):
        return None
    model = read_model(reader) if program != "module" else None
    if model is None and not next_is_option(reader):
        return None
    written = tuple(read_options(reader))
    return _built(start, program, model, written, reader)


def _built(start: int, program: str, model: str | None, written: tuple[Written, ...], reader: Reader) -> PastedCommand:
    by_flag = next((each.value for each in written if each.name == "--model" and each.value), None)
    collected = collect(written)
    return PastedCommand(
        start=start,
        end=reader.end,
        program=program,
        model=by_flag or model,
        written=written,
        flags=collected,
        options=as_options(collected, reader.environment, reader.gpus, reader.image_tag),
        environment={name: value for name, value in reader.environment.items() if _TELLING.match(name)},
        model_by_flag=by_flag is not None,
    )


def collect(written: tuple[Written, ...]) -> dict[str, Any]:
    """Every option by its full name; where one stands twice the last counts, and keys of JSON options come together."""
    found: dict[str, Any] = {}
    for each in written:
        if each.name == "--model":
            continue
        value = _as_value(each)
        if each.key:
            before = found.get(each.name)
            found[each.name] = _merged(before if isinstance(before, dict) else {}, each.key.split(".")[:8], value)
        else:
            found[each.name] = value
    return found


def _merged(before: dict[str, Any], path: list[str], value: Any) -> dict[str, Any]:
    if len(path) > 1:
        inner = before.get(path[0])
        value = _merged(inner if isinstance(inner, dict) else {}, path[1:], value)
    return {**before, path[0]: value}


def _as_value(each: Written) -> Any:
    if each.name in _SECRET:
        return _HIDDEN
    if each.flag is not None and each.flag.switch:
        said_true = each.value is None or each.value.lower() == "true"
        return said_true is not each.negated
    if each.flag is not None and each.flag.several:
        return list(each.values)
    if each.flag is not None and each.flag.kind == "json":
        return each.value if each.key else read_json(each.value or "", each.raw)
    return True if each.value is None else each.value


def read_json(value: str, raw: str = "") -> Any:
    """The object that a JSON option was given, or its text when it is none; `raw` is how it was typed, quotes and all."""
    for text in (value, raw):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            continue
    return value
