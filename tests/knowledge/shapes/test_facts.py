"""Every listed model has the weights and the cache that its public figures say, and configs are read to the same shape."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from knowledge.catalogue.index import shape
from knowledge.shapes.checkpoint import stored_bytes
from knowledge.shapes.config import read_config
from knowledge.shapes.layers import (
    Cache,
    ChunkedAttention,
    CompressedAttention,
    FullAttention,
    LatentAttention,
    RecurrentState,
    SlidingWindow,
    SparseIndexer,
)
from knowledge.shapes.model import ModelShape

DATA = Path(__file__).parents[2] / "data" / "models"
with (DATA / "facts.csv").open(newline="") as file:
    FACTS = list(csv.DictReader(file))
CONFIGS = [json.loads(line) for line in (DATA / "configs.jsonl").read_text().splitlines()]
BF16 = 2
# listed with what the config found leaves out: the quantisation, the encoder, or the multi-token prediction layer
AMENDED = {
    "MiniMaxAI/MiniMax-M2",
    "MiniMaxAI/MiniMax-M3",
    "zai-org/GLM-4.5",
    "zai-org/GLM-4.5-Air",
    "zai-org/GLM-4.6",
    "zai-org/GLM-4.7-FP8",
}
CORRECTED = {
    "max_context",
    "default_context",
    "checkpoint_bytes",
}  # listed as the model has them, whatever the copy found says


def having(column: str) -> list[Any]:
    return [pytest.param(fact, id=fact["model"]) for fact in FACTS if fact[column]]


def growth(cache: Cache) -> float:
    match cache:
        case FullAttention(kv_heads, head_size, value_size):
            return BF16 * kv_heads * (head_size + value_size)
        case LatentAttention(size):
            return BF16 * size
        case CompressedAttention(ratio=ratio, indexer_bytes_per_entry=indexed) if ratio:
            return BF16 * (512 + (128 if indexed else 0)) / ratio
        case _:
            return 0


def constant(cache: Cache) -> int:
    match cache:
        case SlidingWindow(kv_heads, head_size, value_size, kept) | ChunkedAttention(
            kv_heads, head_size, value_size, kept
        ):
            return BF16 * kv_heads * (head_size + value_size) * kept
        case CompressedAttention(window=window):
            return BF16 * 512 * window
        case RecurrentState(parts=parts):
            return sum(elements * size for elements, size in parts)
        case _:
            return 0


def caches(model: ModelShape) -> list[Cache]:
    return [cache for layer in model.layers for cache in layer.caches]


@pytest.mark.parametrize("fact", having("parameters"))
def test_a_model_has_its_published_weights(fact: dict[str, str]) -> None:
    expected = int(fact["parameters"])
    assert abs(shape(fact["model"]).parameters() - expected) <= expected * float(fact["tolerance"] or 0)


@pytest.mark.parametrize("fact", having("kv_bytes_per_token"))
def test_a_model_caches_as_many_bytes_a_token(fact: dict[str, str]) -> None:
    assert sum(growth(cache) for cache in caches(shape(fact["model"]))) == int(fact["kv_bytes_per_token"])


@pytest.mark.parametrize("fact", having("constant_bytes"))
def test_a_model_keeps_as_many_bytes_a_sequence(fact: dict[str, str]) -> None:
    assert sum(constant(cache) for cache in caches(shape(fact["model"]))) == int(fact["constant_bytes"])


@pytest.mark.parametrize("fact", having("layers"))
def test_a_model_has_its_layers(fact: dict[str, str]) -> None:
    assert len(shape(fact["model"]).layers) == int(fact["layers"])


@pytest.mark.parametrize("fact", having("weight_bytes"))
def test_quantised_weights_take_as_many_bytes(fact: dict[str, str]) -> None:
    model = shape(fact["model"])
    assert model.quantization is not None
    assert model.checkpoint_bytes == int(fact["weight_bytes"])
    assert stored_bytes(model) == pytest.approx(
        int(fact["weight_bytes"]), rel=0.007 if "w4a16" in fact["model"] else 0.001
    )


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in CONFIGS])
def test_a_config_is_read_to_the_listed_shape(case: dict[str, Any]) -> None:
    read, listed = read_config(case["config"], case["id"]), shape(case["id"])
    names = ["layers"] if case["id"] in AMENDED else [name for name in ModelShape.__slots__ if name not in CORRECTED]
    for name in names:
        assert getattr(read, name) == getattr(listed, name), name


def test_sparse_layers_also_cache_their_indexer_keys() -> None:
    keys = [cache for cache in caches(shape("deepseek-ai/DeepSeek-V3.2")) if isinstance(cache, SparseIndexer)]
    assert keys == [SparseIndexer(132)] * 61
