"""A shape as one compact JSON record, and back: the catalogue's form. Equal layers are written once."""

from typing import Any

from knowledge.shapes.layers import (
    Cache,
    ChunkedAttention,
    CompressedAttention,
    FullAttention,
    LatentAttention,
    Layer,
    Part,
    RecurrentState,
    SlidingWindow,
    SparseIndexer,
)
from knowledge.shapes.model import ModelShape, Quantization

KINDS: dict[str, type[Cache]] = {
    "full": FullAttention,
    "window": SlidingWindow,
    "chunk": ChunkedAttention,
    "latent": LatentAttention,
    "indexer": SparseIndexer,
    "compressed": CompressedAttention,
    "state": RecurrentState,
}
NAMES = {kind: name for name, kind in KINDS.items()}
NUMBERS = (
    "hidden_size",
    "intermediate_size",
    "vocab_size",
    "attention_heads",
    "kv_heads",
    "head_size",
    "max_context",
)
PLAIN: dict[str, Any] = {  # fields written only when they differ from what most models have
    "dtype": "bfloat16",
    "tied_embeddings": False,
    "experts": 0,
    "experts_per_token": 0,
    "moe_intermediate_size": 0,
    "mtp_layers": 0,
    "max_image_tokens": 0,
    "multimodal": False,
    "encoder_only": False,
    "kv_cache_dtype": "auto",
    "checkpoint_bytes": None,
    "default_context": None,
}


def to_record(shape: ModelShape) -> dict[str, Any]:
    """The record of a shape: JSON values only."""
    kinds: list[Layer] = []
    order: list[int] = []
    for layer in shape.layers:
        if layer not in kinds:
            kinds.append(layer)
        order.append(kinds.index(layer))
    record: dict[str, Any] = {"id": shape.model_id, "architecture": shape.architecture}
    record["layers"] = [[[_cache(cache) for cache in kind.caches], _counts(kind.parameters)] for kind in kinds]
    record["order"] = squeeze(order)
    record["outside"] = _counts(shape.outside)
    record["sizes"] = [getattr(shape, name) for name in NUMBERS]
    record.update({name: getattr(shape, name) for name, usual in PLAIN.items() if getattr(shape, name) != usual})
    if shape.quantization is not None:
        record["quantization"] = _quantization(shape.quantization)
    if shape.notes:
        record["notes"] = list(shape.notes)
    return record


def from_record(record: dict[str, Any]) -> ModelShape:
    """The shape of a record that `to_record` made."""
    kinds = [
        Layer(tuple(_read_cache(cache) for cache in caches), _read_counts(counts))
        for caches, counts in record["layers"]
    ]
    quantization = record.get("quantization")
    return ModelShape(
        model_id=record["id"],
        architecture=record["architecture"],
        layers=tuple(kinds[index] for index in unsqueeze(record["order"])),
        outside=_read_counts(record["outside"]),
        quantization=None if quantization is None else _read_quantization(quantization),
        notes=tuple(record.get("notes", ())),
        **dict(zip(NUMBERS, record["sizes"], strict=True)),
        **{name: record.get(name, usual) for name, usual in PLAIN.items()},
    )


def squeeze(order: list[int]) -> str:
    """Which kind each layer is, run by run: `0*5 1 0*5 1`."""
    runs: list[list[int]] = []
    for kind in order:
        if runs and runs[-1][0] == kind:
            runs[-1][1] += 1
        else:
            runs.append([kind, 1])
    return " ".join(f"{kind}*{count}" if count > 1 else str(kind) for kind, count in runs)


def unsqueeze(text: str) -> list[int]:
    """The other way."""
    order: list[int] = []
    for run in text.split():
        kind, _, count = run.partition("*")
        order.extend([int(kind)] * int(count or 1))
    return order


def _cache(cache: Cache) -> list[Any]:
    if isinstance(cache, RecurrentState):
        parts = [list(part) for part in cache.parts]
        return ["state", cache.kind, parts, cache.groups, cache.group_elements, cache.conv_tokens]
    return [NAMES[type(cache)], *(getattr(cache, name) for name in cache.__slots__)]


def _read_cache(values: list[Any]) -> Cache:
    if values[0] == "state":
        return RecurrentState(values[1], tuple((elements, size) for elements, size in values[2]), *values[3:])
    return KINDS[values[0]](*values[1:])


def _counts(parameters: dict[Part, int]) -> dict[str, int]:
    return {part.value: count for part, count in parameters.items()}


def _read_counts(counts: dict[str, int]) -> dict[Part, int]:
    return {Part(name): count for name, count in counts.items()}


def _quantization(quantization: Quantization) -> dict[str, Any]:
    record: dict[str, Any] = {
        "method": quantization.method,
        "label": quantization.label,
        "bits": quantization.bits,
        "parts": sorted(part.value for part in quantization.parts),
    }
    if quantization.online:
        record["online"] = True
    if quantization.part_bits:
        record["part_bits"] = {part.value: bits for part, bits in quantization.part_bits.items()}
    return record


def _read_quantization(record: dict[str, Any]) -> Quantization:
    return Quantization(
        method=record["method"],
        label=record["label"],
        bits=record["bits"],
        parts=frozenset(Part(name) for name in record["parts"]),
        online=record.get("online", False),
        part_bits={Part(name): bits for name, bits in record.get("part_bits", {}).items()},
    )
