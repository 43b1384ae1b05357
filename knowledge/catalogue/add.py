"""Putting models into the catalogue's file: from a folder with a config.json, or as a sibling of a listed model."""

import json
from collections.abc import Mapping
from typing import Any

from knowledge.catalogue.index import FILE, lines, shape
from knowledge.catalogue.lookup import find_id
from knowledge.catalogue.quantised import with_quantization
from knowledge.shapes.model import ModelShape
from knowledge.shapes.record import to_record

SHARED = ("architecture", "layers", "order", "outside")  # what makes two records be written as one and its difference


def add(*models: ModelShape) -> None:
    """Write the models' records, in place of older ones of the same ids, at the end otherwise."""
    records: dict[str, dict[str, Any]] = {model_id: json.loads(line) for model_id, line in lines().items()}
    for model in models:
        records[model.model_id] = shared(to_record(model), records)
    FILE.write_text("".join(written(values) + "\n" for values in records.values()), "utf-8")
    lines.cache_clear()
    shape.cache_clear()


def sibling(model_id: str, listed: str, quantization: str | None = None) -> ModelShape:
    """A model with the dimensions of a listed one, in another quantisation if given."""
    like = shape(find_id(listed))
    made = like if quantization is None else with_quantization(like, quantization)
    return _renamed(made, model_id)


def _renamed(model: ModelShape, model_id: str) -> ModelShape:
    from dataclasses import replace

    return replace(model, model_id=model_id)


def shared(values: dict[str, Any], records: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """The record as its difference from a listed one with the same layers, where there is one."""
    for other in records.values():
        if "like" not in other and other["id"] != values["id"] and all(other[key] == values[key] for key in SHARED):
            return difference(values, other)
    return values


def difference(values: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """What differs from `other`: a key that `other` alone has is null."""
    changed = {key: value for key, value in values.items() if other.get(key) != value}
    gone = dict.fromkeys(key for key in other if key not in values)
    return {"id": values["id"], "like": other["id"]} | changed | gone


def written(values: dict[str, Any]) -> str:
    """One line, its id first."""
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"))
