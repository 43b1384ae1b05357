"""How many tokens a cache holds: vLLM's own figures for real model classes, what each version changed, and what must hold always."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.launch import Speculation
from knowledge.memory.pages import cache_layout
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
from knowledge.units import GIB, MIB
from knowledge.versions import Version
from tests.knowledge.memory.described import card, launch

Layers = Sequence[Sequence[Cache]]

LLAMA_8B: Layers = [[FullAttention(8, 128, 128)]] * 32
GEMMA_27B: Layers = ([[SlidingWindow(16, 128, 128, 1024)]] * 5 + [[FullAttention(16, 128, 128)]]) * 10 + [
    [SlidingWindow(16, 128, 128, 1024)]
] * 2
GPT_OSS_20B: Layers = [[SlidingWindow(8, 64, 64, 128)], [FullAttention(8, 64, 64)]] * 12
SCOUT: Layers = ([[ChunkedAttention(8, 128, 128, 8192)]] * 3 + [[FullAttention(8, 128, 128)]]) * 12
GDN = RecurrentState("gdn", ((3 * 8192, 2), (32 * 128 * 128, 2)))
QWEN3_NEXT: Layers = ([[GDN]] * 3 + [[FullAttention(2, 256, 256)]]) * 12
DEEPSEEK_V32: Layers = [[LatentAttention(576), SparseIndexer(132)]] * 61
V4_FLASH: Layers = [
    *[[CompressedAttention(0, 128, 584)]] * 2,
    *[[CompressedAttention(4, 128, 584, 132)], [CompressedAttention(128, 128, 584)]] * 20,
    [CompressedAttention(4, 128, 584, 132)],
]
OLD, NEW = Version(0, 8, 5), Version(0, 32)

# vLLM 0.32.0 itself, on the real model class with 40 GiB, blocks of 16.
UNIFORM: dict[str, tuple[Layers, dict[str, Any], int]] = {
    "Qwen2.5-72B": ([[FullAttention(8, 128, 128)]] * 80, {}, 131072),
    "Qwen2.5-7B on 4 GPUs": ([[FullAttention(4, 128, 128)]] * 28, {"tp": 4}, 2995920),
    "Llama-3.3-70B on 8 GPUs": ([[FullAttention(8, 128, 128)]] * 80, {"tp": 8}, 1048576),
    "Llama-3.1-8B with fp8 KV": (LLAMA_8B, {"kv_cache_dtype": "fp8"}, 655360),
    "Yi-34B at 4,096": ([[FullAttention(8, 128, 128)]] * 60, {"max_model_len": 4096}, 174752),
    "Kimi-K2 (MLA)": ([[LatentAttention(576)]] * 61, {"block_size": 16}, 611184),
}


@pytest.mark.parametrize(("layers", "options", "tokens"), UNIFORM.values(), ids=UNIFORM.keys())
def test_uniform_layers_hold_exactly_vllms_tokens(layers: Layers, options: dict[str, Any], tokens: int) -> None:
    assert cache_layout(launch(layers, **options)).tokens(40 * GIB) == tokens


# The same with windows; vLLM's CPU backend, where this was asked, has blocks of 32.
WINDOWS: dict[str, tuple[Layers, dict[str, Any], int]] = {
    "gemma-3-27b": (GEMMA_27B, {}, 181620),
    "gpt-oss-20b": (GPT_OSS_20B, {}, 1387254),
    "Ministral-8B": ([[SlidingWindow(8, 128, 128, 4096)]] * 36, {}, 580261),
    "gemma-2-9b": (
        [[SlidingWindow(8, 256, 256, 4096)], [FullAttention(8, 256, 256)]] * 21,
        {"max_model_len": 8192},
        124572,
    ),
}


@pytest.mark.parametrize(("layers", "options", "tokens"), WINDOWS.values(), ids=WINDOWS.keys())
def test_windows_hold_vllms_tokens_at_its_block_size(layers: Layers, options: dict[str, Any], tokens: int) -> None:
    assert cache_layout(launch(layers, block_size=32, **options)).tokens(40 * GIB) == tokens


@pytest.mark.parametrize(("layers", "options", "tokens"), WINDOWS.values(), ids=WINDOWS.keys())
def test_the_gpus_smaller_blocks_change_it_by_less_than_1_percent(
    layers: Layers, options: dict[str, Any], tokens: int
) -> None:
    assert cache_layout(launch(layers, **options)).tokens(40 * GIB) == pytest.approx(tokens, rel=0.01)


# Bytes of the whole model's keys and values a token, from the models' config.json.
PER_TOKEN: dict[str, tuple[Layers, dict[str, Any], int]] = {
    "Llama-4-Scout counts all its layers": (SCOUT, {}, 48 * 8 * 2 * 128 * 2),
    "TP changes nothing for the whole model": (LLAMA_8B, {"tp": 8}, 131072),
    "fp8 halves it": (LLAMA_8B, {"kv_cache_dtype": "fp8"}, 65536),
    "float32 doubles it": (LLAMA_8B, {"dtype": "float32"}, 262144),
    "nvfp4 takes 9 bits": (LLAMA_8B, {"kv_cache_dtype": "nvfp4"}, 131072 * 9 // 32),
    "a checkpoint's own fp8 KV counts": (LLAMA_8B, {"shape": {"kv_cache_dtype": "fp8"}}, 65536),
    "DeepSeek-V3.2 without its indexer": (DEEPSEEK_V32, {}, 61 * 576 * 2),
    "DeepSeek-V3.2 with fp8 KV": (DEEPSEEK_V32, {"kv_cache_dtype": "fp8"}, 61 * 656),
    "a hybrid's attention alone": (QWEN3_NEXT, {}, 12 * 2 * 2 * 256 * 2),
    "DeepSeek-V4 by the compressed entry": (V4_FLASH, {}, int(21 * 584 / 4 + 20 * 584 / 128)),
}


@pytest.mark.parametrize(("layers", "options", "size"), PER_TOKEN.values(), ids=PER_TOKEN.keys())
def test_bytes_per_token_of_the_whole_model(layers: Layers, options: dict[str, Any], size: int) -> None:
    assert cache_layout(launch(layers, **options)).bytes_per_token == size


def test_kv_heads_are_repeated_when_there_are_more_gpus() -> None:
    assert cache_layout(launch(LLAMA_8B, tp=8)).bytes_per_token_per_gpu == 131072 // 8
    assert cache_layout(launch(LLAMA_8B, tp=16)).bytes_per_token_per_gpu == 131072 // 8


def test_a_latent_is_whole_on_every_gpu() -> None:
    assert cache_layout(launch(DEEPSEEK_V32, tp=8)).bytes_per_token_per_gpu == 70272


def test_the_stage_with_most_layers_binds() -> None:
    # vLLM gives 32 layers on 5 stages as 6, 6, 7, 7, 6.
    layout = cache_layout(launch(LLAMA_8B, pp=5))
    assert layout.block_bytes == 7 * 16 * 4096
    assert layout.bytes_per_token_per_gpu == 7 * 4096


def test_a_request_takes_whole_pages() -> None:
    layout = cache_layout(launch(LLAMA_8B))
    assert layout.request_bytes(17) == layout.request_bytes(32) == 2 * 16 * 131072
    assert layout.concurrency(40 * GIB, 16384) == 20


def test_a_window_keeps_what_is_in_flight() -> None:
    # 0.32 lets two batches overlap, 0.25 counted one.
    two = cache_layout(launch(GPT_OSS_20B, max_num_batched_tokens=2048))
    one = cache_layout(launch(GPT_OSS_20B, max_num_batched_tokens=2048, version=Version(0, 25)))
    assert two.request_blocks(131072) - one.request_blocks(131072) == 2048 // 16


def test_a_start_needs_the_null_block_since_0_29() -> None:
    exact = 16384 * 131072
    assert cache_layout(launch(LLAMA_8B, version=Version(0, 28))).fits_one(exact, 16384)
    assert not cache_layout(launch(LLAMA_8B)).fits_one(exact, 16384)
    assert cache_layout(launch(LLAMA_8B)).max_context(exact, 131072) == 16384 - 16
    assert cache_layout(launch(LLAMA_8B)).fits_one(exact + 16 * 131072, 16384)


def test_nothing_fits_without_memory() -> None:
    layout = cache_layout(launch(LLAMA_8B))
    assert layout.max_context(0, 131072) == 0
    assert layout.tokens(-GIB) == 0
    assert not layout.fits_one(0, 1)


def test_a_model_without_a_cache_has_no_blocks() -> None:
    layout = cache_layout(launch([[]] * 12))
    assert layout.block_bytes == layout.tokens(GIB) == layout.request_bytes(512) == layout.bytes_per_token == 0
    assert layout.max_context(GIB, 512) == 512


def test_before_0_9_1_windows_were_cached_like_full_attention() -> None:
    layout = cache_layout(launch(GEMMA_27B, version=OLD))
    assert layout.tokens(40 * GIB) == 40 * GIB // (62 * 16 * 8192) * 16


def test_before_0_14_chunks_were_cached_like_full_attention() -> None:
    chunked, full = launch(SCOUT, version=Version(0, 13)), launch([[FullAttention(8, 128, 128)]] * 48)
    assert cache_layout(chunked).request_bytes(100000) == cache_layout(full).request_bytes(100000)
    assert cache_layout(launch(SCOUT)).request_bytes(100000) < cache_layout(full).request_bytes(100000)


def test_before_0_14_the_start_check_left_out_padding() -> None:
    # 52 windows in groups of 10: the last of 6 groups lacks 8 layers.
    before, after = (cache_layout(launch(GEMMA_27B, version=Version(0, minor))) for minor in (13, 14))
    assert before.request_blocks(16384) == after.request_blocks(16384)
    kv_bytes = after.request_bytes(16384) - MIB
    assert before.fits_one(kv_bytes, 16384)
    assert not after.fits_one(kv_bytes, 16384)


def test_nearly_equal_kinds_share_a_group_size() -> None:
    # gpt-oss with an EAGLE head: 12 windows and 13 full layers make two groups of 13, not three of 12.
    eagle = Speculation("eagle3", 3)
    assert len(cache_layout(launch(GPT_OSS_20B, speculation=eagle)).groups) == 2
    assert len(cache_layout(launch(GPT_OSS_20B, speculation=eagle, version=Version(0, 11))).groups) == 3


# (1 + drafts, or 2 + drafts where prefixes are cached) pages a state.
STATE_PAGES = {
    "0.32 caches prefixes": ({}, 2),
    "0.27 did not": ({"version": Version(0, 27)}, 1),
    "unless asked to": ({"version": Version(0, 27), "prefix_caching": True}, 2),
    "off when asked": ({"prefix_caching": False}, 1),
    "a page a draft token": ({"speculation": Speculation("mtp", 2)}, 4),
    "but not before 0.15": ({"version": Version(0, 14), "speculation": Speculation("mtp", 2)}, 1),
}


@pytest.mark.parametrize(("options", "pages"), STATE_PAGES.values(), ids=STATE_PAGES.keys())
def test_a_states_pages(options: dict[str, Any], pages: int) -> None:
    layout = cache_layout(launch(QWEN3_NEXT, **options))
    assert {group.spec.reach for group in layout.groups if group.spec.reach} == {pages}


def test_states_lay_outside_the_pool_before_0_10_2() -> None:
    layout = cache_layout(launch(QWEN3_NEXT, version=Version(0, 10)))
    assert layout.states_outside
    assert layout.block_bytes == 12 * 16 * 2048
    assert layout.state_bytes_per_sequence == 36 * 2 * (3 * 8192 + 32 * 128 * 128)
    assert not cache_layout(launch(QWEN3_NEXT)).states_outside


def test_a_model_of_states_alone_holds_sequences() -> None:
    layout = cache_layout(launch([[GDN]] * 12))
    one = 12 * 2 * (3 * 8192 + 32 * 128 * 128)
    assert layout.block_bytes == one
    assert layout.tokens(10 * one) == 10 * 16384


def test_speculation_adds_its_own_layers() -> None:
    draft = launch([[FullAttention(2, 64, 64)]] * 4).shape
    added = {
        "ngram": Speculation("ngram", 5),
        "eagle": Speculation("eagle", 3),
        "draft_model": Speculation("draft_model", 3, draft),
    }
    blocks = {
        name: cache_layout(launch(LLAMA_8B, speculation=one)).block_bytes // 16 - 131072 for name, one in added.items()
    }
    assert blocks == {"ngram": 0, "eagle": 4096, "draft_model": 4 * 512}


def test_mtp_of_states_alone_adds_nothing() -> None:
    assert cache_layout(launch([[GDN]] * 2, speculation=Speculation("mtp", 1))).groups[0].members[0][1] == (0, 1)


SPARSE = {
    "Hopper packs fp8": (9, Version(0, 32), "fp8", "", 656),
    "Blackwell does not": (10, Version(0, 32), "fp8", "", 576),
    "GLM on Blackwell takes fp8 by itself": (10, Version(0, 32), "auto", "GlmMoeDsaForCausalLM", 576),
    "DeepSeek on Blackwell does not": (10, Version(0, 32), "auto", "DeepseekV32ForCausalLM", 1152),
    "consumer Blackwell packs by itself": (12, Version(0, 32), "auto", "", 656),
    "0.20 on Hopper": (9, Version(0, 20), "fp8", "", 656),
    "0.20 on Blackwell": (10, Version(0, 20), "fp8", "", 576),
    "0.14 packs fp8 everywhere": (10, Version(0, 14), "fp8", "", 656),
    "0.11 packed by default": (9, Version(0, 11), "auto", "", 656),
    "bfloat16 stays": (9, Version(0, 11), "bfloat16", "", 1152),
    "a card that is not known counts as Hopper": (None, Version(0, 32), "fp8", "", 656),
    "before sparse attention was known": (9, Version(0, 10), "fp8", "", 576),
}


@pytest.mark.parametrize(("major", "version", "dtype", "architecture", "size"), SPARSE.values(), ids=SPARSE.keys())
def test_sparse_mla_stores(major: int | None, version: Version, dtype: str, architecture: str, size: int) -> None:
    shape = {"architecture": architecture}
    asked = launch(DEEPSEEK_V32, card(major), version=version, kv_cache_dtype=dtype, shape=shape)
    assert cache_layout(asked).bytes_per_token == 61 * size


LAYERS = st.sampled_from([LLAMA_8B, GEMMA_27B, GPT_OSS_20B, SCOUT, QWEN3_NEXT, DEEPSEEK_V32, V4_FLASH])
VERSIONS = st.sampled_from([Version(0, minor) for minor in (4, 8, 9, 11, 14, 18, 20, 24, 26, 28, 29, 32)])


@given(LAYERS, VERSIONS, st.integers(0, 200 * GIB), st.integers(0, 10 * GIB), st.sampled_from([1, 2, 8]))
def test_more_memory_never_holds_less(layers: Layers, version: Version, kv_bytes: int, more: int, tp: int) -> None:
    layout = cache_layout(launch(layers, version=version, tp=tp))
    assert layout.tokens(kv_bytes) <= layout.tokens(kv_bytes + more)
    assert layout.max_context(kv_bytes, 131072) <= layout.max_context(kv_bytes + more, 131072)


@given(LAYERS, VERSIONS, st.integers(0, 100 * GIB), st.integers(1, 200000), st.integers(0, 50000))
def test_a_longer_request_never_takes_less(
    layers: Layers, version: Version, kv_bytes: int, length: int, more: int
) -> None:
    layout = cache_layout(launch(layers, version=version))
    assert layout.request_bytes(length) <= layout.request_bytes(length + more)
    assert layout.fits_one(kv_bytes, length) >= layout.fits_one(kv_bytes, length + more)


@given(LAYERS, VERSIONS, st.integers(0, 100 * GIB))
def test_the_largest_context_fits_and_the_next_does_not(layers: Layers, version: Version, kv_bytes: int) -> None:
    layout = cache_layout(launch(layers, version=version))
    largest = layout.max_context(kv_bytes, 131072)
    assert largest == 0 or layout.fits_one(kv_bytes, largest)
    assert largest == 131072 or not layout.fits_one(kv_bytes, largest + 1)
