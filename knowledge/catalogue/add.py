"""Putting a model into the catalogue's file: `python -m knowledge.catalogue add FOLDER`."""

import json
from collections.abc import Mapping
from typing import Any

from knowledge.catalogue.index import FILE, lines
from knowledge.shapes.model import ModelShape
from knowledge.shapes.record import to_record

SHARED = ("architecture", "layers", "order", "outside", "sizes")


def add(model: ModelShape) -> None:
    """Write the model's record, in place of an older one of the same id, at the end otherwise."""
    records = {model_id: json.loads(line) for model_id, line in lines().items()}
    records[model.model_id] = shared(to_record(model), records)
    FILE.write_text("".join(written(record) + "\n" for record in records.values()), "utf-8")
    lines.cache_clear()


def shared(record: dict[str, Any], records: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """The record as its difference from a listed one with the same layers, where there is one."""
    for other in records.values():
        if "like" not in other and other["id"] != record["id"] and all(other[key] == record[key] for key in SHARED):
            return difference(record, other)
    return record


def difference(record: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """What differs from `other`: a key that `other` alone has is null."""
    changed = {key: value for key, value in record.items() if other.get(key) != value}
    gone = {key: None for key in other if key not in record}
    return {"id": record["id"], "like": other["id"]} | changed | gone


def written(record: dict[str, Any]) -> str:
    """One line, its id first."""
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"))
