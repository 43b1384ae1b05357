"""What vLLM's own page arithmetic says, for model shapes built by hand."""

from collections.abc import Sequence

import pytest

from knowledge.gpus import Gpu, Link
from knowledge.launch import Launch
from knowledge.memory.pages import cache_layout
from knowledge.shapes.layers import Cache, FullAttention, LatentAttention, Layer, SlidingWindow
from knowledge.shapes.model import ModelShape
from knowledge.units import GIB, Range
from knowledge.versions import Version

H100 = Gpu(
    name="H100-80GB", family="H100", vendor="nvidia", memory_gb=80, total_gib=Range.exact(79.2), link=Link.NVLINK
)
GEMMA3_PATTERN = [SlidingWindow(16, 128, 128, 1024)] * 5 + [FullAttention(16, 128, 128)]


def launch(caches: Sequence[Cache], **options: object) -> Launch:
    shape = ModelShape(
        model_id="made/up",
        architecture="MadeUpForCausalLM",
        layers=tuple(Layer((cache,)) for cache in caches),
        outside={},
        hidden_size=4096,
        intermediate_size=14336,
        vocab_size=32000,
        attention_heads=32,
        kv_heads=8,
        head_size=128,
        max_context=131072,
        dtype="bfloat16",
        tied_embeddings=False,
    )
    given = {"version": Version(0, 32), "max_model_len": 16384} | options
    return Launch(shape=shape, gpu=H100, **given)  # type: ignore[arg-type]


# Tokens that vLLM 0.32.0 reports for the real model class with 40 GiB of KV cache, blocks of 16.
UNIFORM = {
    "Qwen2.5-72B": ([FullAttention(8, 128, 128)] * 80, {}, 131072),
    "Qwen2.5-7B on 4 GPUs": ([FullAttention(4, 128, 128)] * 28, {"tp": 4}, 2995920),
    "Llama-3.3-70B on 8 GPUs": ([FullAttention(8, 128, 128)] * 80, {"tp": 8}, 1048576),
    "Llama-3.1-8B with fp8 KV": ([FullAttention(8, 128, 128)] * 32, {"kv_cache_dtype": "fp8"}, 655360),
    "Yi-34B at 4096": ([FullAttention(8, 128, 128)] * 60, {"max_model_len": 4096}, 174752),
    "Kimi-K2 (MLA)": ([LatentAttention(576)] * 61, {}, 611184),
}


@pytest.mark.parametrize(("caches", "options", "tokens"), UNIFORM.values(), ids=UNIFORM.keys())
def test_uniform_layers_hold_exactly_vllms_tokens(
    caches: Sequence[Cache], options: dict[str, object], tokens: int
) -> None:
    assert cache_layout(launch(caches, **options)).tokens(40 * GIB) == tokens


# The same with windows; vLLM's CPU backend, where the truth was made, uses blocks of 32.
WINDOWS = {
    "gemma-3-27b": ((GEMMA3_PATTERN * 11)[:62], {}, 181620),
    "gpt-oss-20b": ([SlidingWindow(8, 64, 64, 128), FullAttention(8, 64, 64)] * 12, {}, 1387254),
    "Ministral-8B": ([SlidingWindow(8, 128, 128, 4096)] * 36, {}, 580261),
    "gemma-2-9b": (
        [SlidingWindow(8, 256, 256, 4096), FullAttention(8, 256, 256)] * 21,
        {"max_model_len": 8192},
        124572,
    ),
}


@pytest.mark.parametrize(("caches", "options", "tokens"), WINDOWS.values(), ids=WINDOWS.keys())
def test_windows_hold_vllms_tokens_at_its_block_size(
    caches: Sequence[Cache], options: dict[str, object], tokens: int
) -> None:
    assert cache_layout(launch(caches, block_size=32, **options)).tokens(40 * GIB) == tokens


def test_before_0_20_1_the_logged_tokens_are_the_blocks_of_one_group() -> None:
    # Logged by vLLM 0.19.0 on an H100: 19.53 GiB, 36,560 tokens, 4.46x at 8,192.
    gemma = launch((GEMMA3_PATTERN * 11)[:62], version=Version(0, 19), max_model_len=8192, max_num_batched_tokens=8192)
    layout, kv_bytes = cache_layout(gemma), round(19.53 * GIB)
    assert layout.tokens(kv_bytes) == 36560
    assert layout.concurrency(kv_bytes, 8192) == pytest.approx(4.46, abs=0.005)
