"""Models as the captured rows under tests/data/pages describe them: caches by name and size."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from knowledge.gpus import Gpu, Link
from knowledge.launch import Launch, Speculation
from knowledge.shapes.layers import (
    Cache,
    ChunkedAttention,
    CompressedAttention,
    FullAttention,
    LatentAttention,
    Layer,
    RecurrentState,
    SlidingWindow,
    SparseIndexer,
)
from knowledge.shapes.model import ModelShape
from knowledge.units import Range
from knowledge.versions import Version

Parts = Mapping[str, Sequence[tuple[int, int]]]


def card(major: int | None) -> Gpu:
    """A card of that compute capability."""
    return Gpu(
        name="card",
        family="card",
        vendor="nvidia",
        memory_gb=80,
        total_gib=Range.exact(79.2),
        link=Link.NVLINK,
        compute_capability=None if major is None else (major, 0),
    )


A100 = card(8)


def cache(described: Mapping[str, Any], parts: Parts | None = None) -> Cache:
    """`{"full": [8, 128, 128]}` and the like; a state's parts stand beside it or come from `parts`."""
    ((kind, size),) = described.items()
    match kind:
        case "full":
            return FullAttention(*size)
        case "window":
            return SlidingWindow(*size)
        case "chunk":
            return ChunkedAttention(*size)
        case "latent":
            return LatentAttention(size)
        case "indexer":
            return SparseIndexer(size)
        case "compressed":
            return CompressedAttention(*size)
        case _:
            return _state(size, parts)


def _state(described: Any, parts: Parts | None) -> RecurrentState:
    if isinstance(described, list):
        return RecurrentState(described[0], _pairs(described[1]))
    assert parts is not None
    kind = described["kind"]
    groups, elements = described.get("groups", 0), described.get("group_elements", 0)
    return RecurrentState(kind, _pairs(parts[kind]), groups, elements)


def _pairs(parts: Iterable[Sequence[int]]) -> tuple[tuple[int, int], ...]:
    return tuple((elements, size) for elements, size in parts)


def launch(layers: Iterable[Sequence[Cache]], gpu: Gpu = A100, **options: Any) -> Launch:
    """A launch of a model with those caches; `shape` holds other fields of the model, the rest is the launch's."""
    fields: dict[str, Any] = {
        "model_id": "made/up",
        "architecture": "MadeUpForCausalLM",
        "outside": {},
        "hidden_size": 4096,
        "intermediate_size": 14336,
        "vocab_size": 32000,
        "attention_heads": 64,
        "kv_heads": 8,
        "head_size": 128,
        "max_context": 1 << 20,
        "dtype": "bfloat16",
        "tied_embeddings": False,
        **options.pop("shape", {}),
    }
    shape = ModelShape(layers=tuple(Layer(tuple(caches)) for caches in layers), **fields)
    given: dict[str, Any] = {"version": Version(0, 32), "max_model_len": 16384} | options
    return Launch(shape=shape, gpu=gpu, **given)


def options(row: Mapping[str, Any]) -> dict[str, Any]:
    """A captured row's launch options."""
    said = ("max_model_len", "tp", "pp", "kv_cache_dtype", "max_num_batched_tokens", "prefix_caching", "dtype")
    found = {name: row[name] for name in said if name in row}
    if row.get("block_size"):
        found["block_size"] = row["block_size"]
    if row.get("draft_tokens"):
        found["speculation"] = Speculation("mtp", row["draft_tokens"])
    return found
