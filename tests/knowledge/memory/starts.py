"""Real starts of vLLM, as tests/data/startups keeps them, and launches written by hand."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from knowledge import catalogue, gpus
from knowledge.gpus import Gpu, from_memory, with_total
from knowledge.launch import Launch
from knowledge.versions import Version, parse

FOLDER = Path(__file__).parents[2] / "data" / "startups"


def rows(*names: str) -> Iterator[dict[str, Any]]:
    """The rows of those files."""
    for name in names:
        with (FOLDER / name).open(encoding="utf-8") as lines:
            yield from map(json.loads, lines)


def gpu(name: str | None = None, total_gib: float | None = None) -> Gpu:
    """The listed card of that name, with the stated total; a bare name that means several is the largest."""
    if name is None:
        return from_memory(None, gib=total_gib)
    card = max(gpus.find(name), key=lambda found: found.memory_gb)
    return with_total(card, total_gib) if total_gib else card


def start(model: str, card: Gpu, version: str | Version, quantization: str | None = None, **changes: Any) -> Launch:
    """A launch of a listed model with the defaults of an API server on a large card, changed as named."""
    shape = catalogue.resolve(model, quantization)
    settings: dict[str, Any] = {
        "max_model_len": shape.max_context,
        "max_num_seqs": 1024,
        "max_num_batched_tokens": 8192,
        "dtype": shape.dtype,
        "utilization": 0.9,
    }
    found = version if isinstance(version, Version) else parse(version)
    return Launch(shape=shape, gpu=card, version=found, **(settings | changes))
