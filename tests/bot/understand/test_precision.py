"""Number formats: of the weights, of the cache, and which a word is about."""

import pytest

from bot.understand.precision import find, weight_word_in
from bot.understand.scan import Scan


@pytest.mark.parametrize(
    ("text", "weights", "kv"),
    [
        ("fp8", "fp8", None),
        ("fp8 kv", None, "fp8"),
        ("kv fp8", None, "fp8"),
        ("kv cache in fp8", None, "fp8"),
        ("kv-cache-dtype fp8_e5m2", None, "fp8_e5m2"),
        ("开 fp8 kv", None, "fp8"),
        ("开fp8 kv", None, "fp8"),
        ("kv 用 fp8", None, "fp8"),
        ("kv cache 换成 fp8", None, "fp8"),
        ("int8 kv", None, "int8_per_token_head"),
        ("8-bit kv", None, "fp8"),
        ("kv auto", None, "auto"),
        ("nvfp4 kv cache", None, "nvfp4"),
        ("awq, kv bf16", "awq-int4", "bf16"),
        ("awq with fp8 kv", "awq-int4", "fp8"),
        ("fp8 weights and kv", "fp8", "fp8"),
        ("权重和 kv 都用 fp8", "fp8", "fp8"),
        ("fp8 weights, fp8 kv", "fp8", "fp8"),
        ("w8a8", "int8", None),
        ("w8a8 fp8", "fp8", None),
        ("w4a16", "int4", None),
        ("4bit", "int4", None),
        ("4-bit", "int4", None),
        ("8bit", "int8", None),
        ("int4 awq", "awq-int4", None),
        ("awq 4bit", "awq-int4", None),
        ("gptq", "gptq-int4", None),
        ("gtpq", "gptq-int4", None),
        ("gptq int8", "gptq-int8", None),
        ("gptq, 8bit", "gptq-int8", None),
        ("nvfp4", "nvfp4", None),
        ("mxfp4", "mxfp4", None),
        ("bnb nf4", "bnb-int4", None),
        ("q4_k_m", "gguf", None),
        ("q4", "int4", None),
        ("半精度", "bf16", None),
        ("half precision", "bf16", None),
        ("fp16", "fp16", None),
        ("--dtype half", "fp16", None),
        ("不量化", "bf16", None),
        ("unquantized", "bf16", None),
        ("full precision", "bf16", None),
        ("no quant", "bf16", None),
        ("nothing said", None, None),
    ],
)
def test_a_format_is_of_the_weights_or_of_the_cache(text: str, weights: str | None, kv: str | None) -> None:
    found, _ = find(Scan.of(text))
    assert (found.weights, found.kv) == (weights, kv)


@pytest.mark.parametrize(
    ("name", "format_"),
    [
        ("Qwen/Qwen3-14B-AWQ", "awq-int4"),
        ("Qwen/Qwen2.5-72B-Instruct-GPTQ-Int8", "gptq-int8"),
        ("Qwen/Qwen3-235B-A22B-FP8", "fp8"),
        ("nvidia/DeepSeek-V3.1-NVFP4", "nvfp4"),
        ("RedHatAI/Meta-Llama-3.1-8B-Instruct-quantized.w8a8", "int8"),
        ("Qwen/Qwen3-8B", None),
    ],
)
def test_a_checkpoints_name_states_its_format(name: str, format_: str | None) -> None:
    assert weight_word_in(name) == format_
