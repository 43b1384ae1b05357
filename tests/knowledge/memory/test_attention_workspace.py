"""Buffers that latent and sparse attention reserve, against vLLM's own comments and the logs that show them."""

from dataclasses import replace
from typing import Any

import pytest

from knowledge.launch import Launch
from knowledge.memory.activation import activation_peak, layer_peak
from knowledge.memory.attention_workspace import indexer_logits, projection_buffer, sparse_workspace
from knowledge.shapes.layers import Cache, CompressedAttention, LatentAttention, Layer, SparseIndexer
from knowledge.units import GIB, MIB
from tests.knowledge.memory.starts import gpu, start

H200 = gpu("H200", 139.81)
LATENT, INDEXER = LatentAttention(576), SparseIndexer(132)
COMPRESSED = CompressedAttention(4, 128, 584, 132)


def attending(*caches: Cache, heads: int = 128, **changes: Any) -> Launch:
    """A dense model whose layers cache that."""
    launch = start("Qwen/Qwen3-14B", H200, "0.26", **changes)
    shape = launch.shape
    layers = tuple(Layer(caches, layer.parameters) for layer in shape.layers)
    return replace(launch, shape=replace(shape, layers=layers, attention_heads=heads))


def test_dense_latent_attention_projects_65536_tokens_of_context_at_once() -> None:
    launch = attending(LATENT, tp=8)
    assert projection_buffer(launch) == 65536 * 16 * 256 * 2
    early = replace(launch, version=start("Qwen/Qwen3-14B", H200, "0.8.5").version)
    assert projection_buffer(early) == 2 * projection_buffer(launch)


def test_a_short_context_projects_less() -> None:
    assert projection_buffer(attending(LATENT, max_model_len=1024, max_num_seqs=4)) == 8192 * 128 * 256 * 2


@pytest.mark.parametrize(
    "launch",
    [
        pytest.param(start("Qwen/Qwen3-14B", H200, "0.26"), id="plain-attention"),
        pytest.param(attending(LATENT, INDEXER), id="sparse"),
        pytest.param(replace(attending(LATENT), version=start("Qwen/Qwen3-14B", H200, "0.7.3").version), id="v0"),
    ],
)
def test_others_do_not_project(launch: Launch) -> None:
    assert projection_buffer(launch) == 0


def test_a_sparse_model_keeps_900_mb_for_163840_tokens() -> None:
    launch = attending(LATENT, INDEXER, max_model_len=163840)
    assert sparse_workspace(launch) == 5 * 163840 * 576 * 2  # "~900 MB" says flashmla_sparse.py
    assert indexer_logits(launch) == 512 * MIB
    assert sparse_workspace(attending(LATENT)) == indexer_logits(attending(LATENT)) == 0


def test_deepseek_v4_has_0_7_gib_less_cache_with_a_longer_context() -> None:
    long, short = (
        activation_peak(
            attending(COMPRESSED, max_model_len=length, max_num_seqs=32, max_num_batched_tokens=8192)
        ).expected
        for length in (912128, 121344)
    )
    assert sparse_workspace(attending(COMPRESSED, max_model_len=912128)) / GIB == pytest.approx(1.12, abs=0.01)
    assert 0.5 * GIB < long - short < 1.1 * GIB


def test_deepseek_v4_carries_four_hidden_states() -> None:
    four, one = layer_peak(attending(COMPRESSED)).expected, layer_peak(attending()).expected
    hidden = 8192 * 2 * 3.73 * 5120
    assert four - one >= 3 * hidden - 512 * MIB
