"""vLLM's words and the synonyms that people write for them."""

import pytest

from knowledge.errors import Refusal
from knowledge.fit.words import dtype_word, kv_cache_word, quantization_label


@pytest.mark.parametrize(
    ("said", "word"),
    [
        (None, None),
        ("auto", None),
        ("bf16", "bfloat16"),
        ("BF16", "bfloat16"),
        ("half", "float16"),
        ("fp16", "float16"),
    ],
)
def test_dtypes(said: str | None, word: str | None) -> None:
    assert dtype_word(said) == word


@pytest.mark.parametrize(
    ("said", "word"),
    [(None, "auto"), ("fp8", "fp8"), ("FP8_E5M2", "fp8_e5m2"), ("fp8-e4m3", "fp8_e4m3"), ("bf16", "bfloat16")],
)
def test_kv_cache_dtypes(said: str | None, word: str) -> None:
    assert kv_cache_word(said) == word


@pytest.mark.parametrize(
    ("said", "label"),
    [
        (None, None),
        ("awq", "awq-int4"),
        ("awq_marlin", "awq-int4"),
        ("gptq", "gptq-int4"),
        ("w8a8", "int8"),
        ("compressed-tensors-int4", "int4"),
        ("compressed_tensors", None),
        ("bitsandbytes", "bnb-int4"),
        ("modelopt_fp4", "nvfp4"),
        ("NVFP4", "nvfp4"),
        ("bf16", "bf16"),
    ],
)
def test_quantisation_in_vllms_words_and_the_contracts(said: str | None, label: str | None) -> None:
    assert quantization_label(said) == label


@pytest.mark.parametrize(
    ("read", "said", "code", "hint"),
    [
        pytest.param(dtype_word, "bflot16", "bad-dtype", "Did you mean `bfloat16`?", id="near"),
        pytest.param(kv_cache_word, "pf8_e4m3", "bad-kv-cache-dtype", "Did you mean `fp8_e4m3`?", id="near KV dtype"),
        pytest.param(quantization_label, "awqq", "bad-quantization", "Did you mean `awq`?", id="near method"),
        pytest.param(quantization_label, "zzzzzzzz", "bad-quantization", "Known are", id="nothing near"),
    ],
)
def test_what_is_not_a_word_is_refused_with_the_nearest(read: object, said: str, code: str, hint: str) -> None:
    assert callable(read)
    with pytest.raises(Refusal) as refused:
        read(said)
    assert refused.value.code == code
    assert f"`{said}`" in refused.value.error
    assert refused.value.hint.startswith(hint)
