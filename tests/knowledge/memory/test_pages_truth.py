"""The page arithmetic against what vLLM 0.32.0's own functions said (tests/vllm/pages_truth.py), case by case."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from knowledge.gpus import Gpu, Link
from knowledge.launch import Launch, Speculation
from knowledge.memory.pages import cache_layout
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
from knowledge.units import GIB, Range
from knowledge.versions import Version

PAGES = Path(__file__).parents[2] / "data" / "pages"
LAYOUTS = json.loads((PAGES / "layouts.json").read_text())["models"]
ROWS = [json.loads(line) for line in (PAGES / "vllm-0.32.0.jsonl").read_text().splitlines()]
A100 = Gpu(
    name="A100-80GB",
    family="A100",
    vendor="nvidia",
    memory_gb=80,
    total_gib=Range.exact(79.2),
    link=Link.NVLINK,
    compute_capability=(8, 0),
)


def state(described: Mapping[str, Any], parts: Mapping[str, Any]) -> RecurrentState:
    return RecurrentState(
        described["kind"],
        tuple((elements, size) for elements, size in parts[described["kind"]]),
        groups=described.get("groups", 0),
        group_elements=described.get("group_elements", 0),
    )


def cache(described: Mapping[str, Any], parts: Mapping[str, Any]) -> Cache:
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
            return state(size, parts)


def launch(row: Mapping[str, Any]) -> Launch:
    described: Mapping[str, Any] = LAYOUTS[row["model"]]
    letters = "".join(letters * times for letters, times in described["layers"])
    caches: Sequence[Sequence[Cache]] = [
        [cache(one, row["state_parts"]) for one in described[letter]] for letter in letters
    ]
    shape = ModelShape(
        model_id=row["model"],
        architecture="DescribedForCausalLM",
        layers=tuple(Layer(tuple(layer)) for layer in caches),
        outside={},
        hidden_size=4096,
        intermediate_size=14336,
        vocab_size=32000,
        attention_heads=64,
        kv_heads=8,
        head_size=128,
        max_context=1 << 20,
        dtype="bfloat16",
        tied_embeddings=False,
    )
    return Launch(
        shape=shape,
        gpu=A100,
        version=Version(0, 32),
        max_model_len=row["max_model_len"],
        tp=row["tp"],
        pp=row["pp"],
        block_size=row["block_size"] or None,
        kv_cache_dtype=row["kv_cache_dtype"],
        max_num_batched_tokens=row["max_num_batched_tokens"],
        speculation=Speculation("mtp", row["draft_tokens"]) if row["draft_tokens"] else None,
    )


@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
def test_a_cache_holds_what_vllm_says(row: Mapping[str, Any]) -> None:
    layout, kv_bytes, truth = cache_layout(launch(row)), round(row["kv_cache_gib"] * GIB), row["truth"]
    found = {
        "tokens": layout.tokens(kv_bytes),
        "concurrency": round(layout.concurrency(kv_bytes, row["max_model_len"]), 4),
        "blocks": layout.blocks(kv_bytes),
        "block_bytes": layout.block_bytes,
        "groups": sorted(sum(len(layers) for _, layers in group.members) for group in layout.groups),
        "max_context": layout.max_context(kv_bytes, row["max_model_len"]),
    }
    assert found == truth | {"groups": sorted(truth["groups"])}
