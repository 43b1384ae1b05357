"""vLLM's own words for dtypes and quantisation, and the synonyms that people write for them."""

from collections.abc import Iterable, Mapping
from typing import TypeVar

from knowledge.errors import Refusal

Spelt = TypeVar("Spelt")

DTYPES: Mapping[str, str | None] = {
    "auto": None,
    "bfloat16": "bfloat16",
    "bf16": "bfloat16",
    "float16": "float16",
    "fp16": "float16",
    "half": "float16",
    "float32": "float32",
    "fp32": "float32",
    "float": "float32",
}

# vllm/config/cache.py CacheDType, 0.32; `fp16` and `bf16` are the contract's words for the 16-bit ones.
KV_CACHE_DTYPES = {
    **{
        word: word
        for word in (
            "auto",
            "float16",
            "bfloat16",
            "fp8",
            "fp8_e4m3",
            "fp8_e5m2",
            "fp8_inc",
            "fp8_ds_mla",
            "int8_per_token_head",
            "fp8_per_token_head",
            "int4_per_token_head",
            "nvfp4",
        )
    },
    "fp16": "float16",
    "half": "float16",
    "bf16": "bfloat16",
    "e4m3": "fp8_e4m3",
    "e5m2": "fp8_e5m2",
}

# vllm/model_executor/layers/quantization QuantizationMethods, 0.4 to 0.32, by the contract's label; None leaves it to the checkpoint.
QUANTIZATIONS: Mapping[str, str | None] = {
    **dict.fromkeys(("auto", "compressed-tensors", "quark", "torchao", "inc", "modelopt_mixed", "online"), None),
    **dict.fromkeys(("bf16", "bfloat16", "none"), "bf16"),
    **dict.fromkeys(("fp16", "float16", "half"), "fp16"),
    **dict.fromkeys(("fp8", "w8a8-fp8", "fp8_per_tensor", "fp8_per_block", "fp8_per_channel", "fbgemm_fp8"), "fp8"),
    **dict.fromkeys(("ptpc_fp8", "modelopt", "modelopt_fp8", "modelopt_mxfp8", "mxfp8", "deepseek_v4_fp8"), "fp8"),
    **dict.fromkeys(("int8", "w8a8", "w8a8-int8", "w8a16", "experts_int8", "tpu_int8"), "int8"),
    **dict.fromkeys(("int8_per_channel_weight_only", "compressed-tensors-int8"), "int8"),
    **dict.fromkeys(("int4", "w4a16", "w4", "4bit", "compressed-tensors-int4", "moe_wna16", "auto-round"), "int4"),
    **dict.fromkeys(("awq-int4", "awq", "awq_marlin", "auto_awq", "cpu_awq"), "awq-int4"),
    **dict.fromkeys(("gptq-int4", "gptq", "gptq_marlin", "auto_gptq", "marlin", "gptq_bitblas"), "gptq-int4"),
    "gptq-int8": "gptq-int8",
    **dict.fromkeys(("nvfp4", "modelopt_fp4", "petit_nvfp4", "nvfp4_per_token", "fp4"), "nvfp4"),
    **dict.fromkeys(("mxfp4", "gpt_oss_mxfp4"), "mxfp4"),
    **dict.fromkeys(("bnb-int4", "bitsandbytes", "bnb", "nf4"), "bnb-int4"),
    "gguf": "gguf",
}

# The contract's short words for what vLLM calls otherwise.
SHORT = {"bfloat16": "bf16", "float16": "fp16", "float32": "fp32"}


def dtype_word(text: str | None) -> str | None:
    """vLLM's word for --dtype, None for auto. Refuses what is not one."""
    return None if text is None else _word(text, DTYPES, "bad-dtype", "a --dtype")


def kv_cache_word(text: str | None) -> str:
    """vLLM's word for --kv-cache-dtype, `auto` when not said. Refuses what is not one."""
    return "auto" if text is None else _word(text, KV_CACHE_DTYPES, "bad-kv-cache-dtype", "a --kv-cache-dtype")


def quantization_label(text: str | None) -> str | None:
    """The contract's label for a quantisation, None when it is the checkpoint's own to say. Refuses what is not one."""
    return None if text is None else _word(text, QUANTIZATIONS, "bad-quantization", "a --quantization")


def nearest(text: str, known: Iterable[str]) -> str | None:
    """The known word that was most likely meant, None when nothing is near."""
    from rapidfuzz import fuzz, process

    found = process.extractOne(text.strip().lower()[:100], list(known), scorer=fuzz.ratio, score_cutoff=60)
    return found[0] if found else None


def _word(text: str, known: Mapping[str, Spelt], code: str, what: str) -> Spelt:
    key = text.strip().lower()
    for spelt in (key, key.replace("_", "-"), key.replace("-", "_")):
        if spelt in known:
            return known[spelt]
    near = nearest(key, known)
    hint = f"Did you mean `{near}`?" if near else f"Known are {', '.join(f'`{word}`' for word in list(known)[:12])}."
    raise Refusal(code, f"`{text[:40]}` is not {what} that vLLM knows.", hint, text=text[:40], nearest=near)
