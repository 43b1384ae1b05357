"""A model in a folder: its config.json, and the exact size of its weights where the files say it."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from knowledge.errors import Refusal
from knowledge.shapes.checkpoint import loaded_bytes
from knowledge.shapes.config import read_config
from knowledge.shapes.model import ModelShape

LARGEST = 16 * 2**20  # bytes; the largest honest config.json seen is 3 MB (MiniMax-M3-NVFP4)
LARGEST_INDEX = 64 * 2**20  # bytes of a safetensors index; Kimi-K2's is 14 MB
DEEPEST = 100  # levels of nesting; honest files have under ten


def read_folder(path: Path) -> ModelShape:
    """The shape of the model in the folder `path`. Refuses what is not a config.json or cannot be."""
    config = read_json(path / "config.json")
    sidecar = path / "hf_quant_config.json"
    model = read_config(config, str(path), hf_quant_config=read_json(sidecar) if sidecar.is_file() else None)
    return replace(model, checkpoint_bytes=loaded_bytes(model, weight_bytes(path)))


def read_json(path: Path, largest: int = LARGEST) -> dict[str, Any]:
    """A JSON object in a file of at most `largest` bytes, which is looked at before it is read."""
    name = path.name
    try:
        size = path.stat().st_size
        if size > largest:
            raise too_large(name, size, largest)
        data = path.read_bytes()
    except OSError as failure:
        raise Refusal(
            "unreadable-file",
            f"`{name}` in that folder cannot be read: {failure.strerror or failure}.",
            "Give a folder that holds the model's config.json.",
            file=name,
        ) from None
    return parse_json(data, name)


def parse_json(data: bytes, name: str) -> dict[str, Any]:
    """A JSON object from bytes; refuses what is not one, and one nested absurdly."""
    try:
        value = json.loads(data)
    except RecursionError:
        raise _not_json(name, "it is nested too deeply") from None
    except ValueError as failure:
        raise _not_json(name, str(failure)[:60]) from None
    if not isinstance(value, dict):
        raise _not_json(name, "it is not an object")
    if _depth(value) > DEEPEST:
        raise _not_json(name, "it is nested too deeply")
    return value


def too_large(name: str, size: int, largest: int) -> Refusal:
    """What is said of a file that nobody reads."""
    return Refusal(
        "file-too-large",
        f"`{name}` is {size:,} bytes, more than the {largest:,} that such a file can have.",
        "Take the file again from the model's repository.",
        file=name,
        size=size,
    )


def _not_json(name: str, why: str) -> Refusal:
    return Refusal(
        "not-json",
        f"`{name}` is not a JSON object: {why}.",
        "Take the file again from the model's repository.",
        file=name,
    )


def _depth(value: object) -> int:
    """How deeply lists and objects are nested, counted to one beyond what is allowed."""
    depth, level = 0, [value]
    while level and depth <= DEEPEST:
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        depth += 1
    return depth


def weight_bytes(path: Path) -> int | None:
    """The size of the weights in the folder: what the safetensors index says, else that of the files; None without either.

    It counts multi-token prediction layers where the checkpoint has them.
    """
    index = path / "model.safetensors.index.json"
    if index.is_file():
        size = total_size(read_json(index, LARGEST_INDEX))
        if size is not None:
            return size
    files = [file.stat().st_size for file in path.glob("*.safetensors")]
    return sum(files) or None


def total_size(index: dict[str, Any]) -> int | None:
    """A safetensors index's metadata.total_size in bytes, None where it is not there or cannot be."""
    metadata = index.get("metadata")
    size = metadata.get("total_size") if isinstance(metadata, dict) else None
    return int(size) if isinstance(size, int | float) and not isinstance(size, bool) and 0 < size < 2**50 else None
