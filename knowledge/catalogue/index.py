"""The catalogue's file: one record a line, found by id; a shape is built only when it is asked for."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from knowledge.shapes.model import ModelShape
from knowledge.shapes.record import from_record

DATA = Path(__file__).parents[1] / "data"
FILE = DATA / "models.jsonl"
HEAD = '{"id":"'


@cache
def lines() -> Mapping[str, str]:
    """The records as JSON text by id, in the file's order. Every line begins with its id, so that none need be parsed."""
    found = {}
    for line in FILE.read_text("utf-8").splitlines():
        found[line[len(HEAD) : line.index('"', len(HEAD))]] = line
    return found


def record(model_id: str) -> dict[str, Any]:
    """One record; what it is `like` is filled in."""
    values: dict[str, Any] = json.loads(lines()[model_id])
    like = values.pop("like", None)
    if like is None:
        return values
    return {name: value for name, value in (record(like) | values).items() if value is not None}


@cache
def shape(model_id: str) -> ModelShape:
    """The shape of a listed model (KeyError when it is not)."""
    return from_record(record(model_id))
