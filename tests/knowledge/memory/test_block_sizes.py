"""Tokens in a block by card and version, as the sources of vLLM 0.9 to 0.32 decide it."""

from typing import Any

import pytest

from knowledge.memory.pages import cache_layout
from knowledge.shapes.layers import Cache, FullAttention, LatentAttention, RecurrentState, SparseIndexer
from knowledge.versions import Version
from tests.knowledge.memory.described import card, launch

GQA: list[list[Cache]] = [[FullAttention(8, 128, 128)]]
MLA: list[list[Cache]] = [[LatentAttention(576)]]
SPARSE: list[list[Cache]] = [[LatentAttention(576), SparseIndexer(132)]]
SPARSE_GQA: list[list[Cache]] = [[FullAttention(4, 128, 128), SparseIndexer(256)], [FullAttention(4, 128, 128)]]
# One layer each of Qwen3-Next (a state of 1,097,728 bytes, 2,048 a token) and Kimi-Linear (2,170,880 and 1,152).
NEXT: list[list[Cache]] = [[RecurrentState("gdn", ((3 * 8192, 2), (32 * 128 * 128, 2)))], [FullAttention(2, 256, 256)]]
KIMI: list[list[Cache]] = [
    [RecurrentState("kda", ((3 * 3 * 4096, 2), (32 * 128 * 128, 4)))],
    [LatentAttention(576)],
]

BLOCKS: dict[str, tuple[list[list[Cache]], int | None, tuple[int, int], dict[str, Any], int]] = {
    "16 unless": (GQA, 9, (0, 32), {}, 16),
    "said": (GQA, 9, (0, 32), {"block_size": 128}, 128),
    "FlashMLA on Hopper": (MLA, 9, (0, 19), {}, 64),
    "FlashAttention MLA since": (MLA, 9, (0, 20), {}, 16),
    "Triton MLA on Ampere": (MLA, 8, (0, 19), {}, 16),
    "CUTLASS on Blackwell": (MLA, 10, (0, 11), {}, 128),
    "FlashInfer on Blackwell": (MLA, 10, (0, 19), {}, 64),
    "its smallest since": (MLA, 10, (0, 32), {}, 32),
    "the sparse indexer's": (SPARSE, 9, (0, 32), {}, 64),
    "no smaller than the indexer's": (SPARSE, 9, (0, 32), {"block_size": 16}, 64),
    "sparse attention without MLA (MiniMax-M3)": (SPARSE_GQA, 9, (0, 32), {}, 128),
    "a card that is not known": (MLA, None, (0, 32), {}, 16),
    "raised for a state": (NEXT, 8, (0, 32), {}, 544),
    "raised from the stated": (NEXT, 8, (0, 32), {"block_size": 64}, 576),
    "a stated block that is large enough stays": (NEXT, 8, (0, 32), {"block_size": 1024}, 1024),
    "raised by 16 whatever was stated before 0.20": (NEXT, 8, (0, 19), {"block_size": 64}, 544),
    "by 32 for wide heads on Blackwell": (NEXT, 10, (0, 16), {"shape": {"head_size": 256}, "tp": 2}, 544),
    "MLA by 128": (KIMI, 8, (0, 32), {}, 1920),
    "MLA by the backend's before 0.27": (KIMI, 8, (0, 24), {}, 1888),
    "MLA by 64 before 0.20": (KIMI, 8, (0, 15), {}, 1920),
}


@pytest.mark.parametrize(("layers", "major", "version", "options", "block"), BLOCKS.values(), ids=BLOCKS.keys())
def test_tokens_in_a_block(
    layers: list[list[Cache]], major: int | None, version: tuple[int, int], options: dict[str, Any], block: int
) -> None:
    asked = launch(layers, card(major), version=Version(*version), **options)
    assert cache_layout(asked).block_size == block


def test_mamba_2s_groups_are_not_split() -> None:
    # Granite-4.0-h-small: 8,192 wide, one group of 128 states for B and C: every GPU holds all of it.
    state = RecurrentState("mamba2", ((3 * (8192 + 2 * 128), 2), (128 * 64 * 128, 2)), groups=1, group_elements=768)
    asked = launch([[state]], tp=8)
    assert cache_layout(asked).block_bytes == (3 * (8192 // 8 + 2 * 128) + 128 * 64 * 128 // 8) * 2


def test_sparse_attention_without_mla_stores_what_is_asked() -> None:
    asked = launch(SPARSE_GQA, card(9), kv_cache_dtype="fp8")
    assert cache_layout(asked).block_bytes == 128 * (2 * 4 * 256 + 256)
