"""Reading how a checkpoint is quantised, wherever its config says so."""

from collections.abc import Callable, Mapping
from typing import Any

from knowledge.errors import Refusal
from knowledge.shapes.fields import Fields, refuse
from knowledge.shapes.layers import Part
from knowledge.shapes.patterns import Patterns
from knowledge.shapes.scheme import Rule, Scheme
from knowledge.shapes.storage import (
    AWQ,
    FP8,
    FP8_BLOCK,
    INT8,
    MODELOPT,
    MXFP4,
    NF4,
    NVFP4,
    Storage,
    grouped,
)

IGNORE_KEYS = (
    "modules_to_not_convert",
    "ignore",
    "exclude_modules",
    "ignored_layers",
    "llm_int8_skip_modules",
    "exclude",
)
KV_WORDS = {"FP8": "fp8", "NVFP4": "nvfp4"}
EXPERTS_ONLY = frozenset({Part.EXPERTS})


def read_scheme(root: Fields, text: Fields, sidecar: Mapping[str, Any] | None = None) -> Scheme | None:
    """The quantisation, None for a 16-bit checkpoint.

    It stands under quantization_config or compression_config, at the root or in the text part; NVIDIA's older checkpoints
    say it in hf_quant_config.json (`sidecar`) alone.
    """
    for fields in (root, text):
        config = fields.section("quantization_config", "compression_config")
        if config is not None:
            return _from_config(config, text)
    if sidecar is not None:
        return _modelopt(_inner(Fields(sidecar)))
    return None


def _from_config(config: Fields, text: Fields) -> Scheme | None:
    method = _method(config)
    reader = METHODS.get(method)
    if reader is None:
        raise Refusal(
            "unknown-quantization",
            f"The config.json says its weights are stored as `{method[:40]}`, which is not understood here.",
            f"Understood are {', '.join(sorted(METHODS))}; ask about the unquantised model instead.",
            method=method[:40],
        )
    if text.word("expert_dtype") == "fp4":
        return _deepseek_v4(config, reader(config))
    return reader(config)


def _method(config: Fields) -> str:
    said = config.word("quant_method").lower().replace("compressed_tensors", "compressed-tensors")
    if said:
        return said
    producer = config.section("producer")
    if producer is not None and producer.word("name") == "modelopt":
        return "modelopt"
    return "modelopt" if "quant_algo" in config else "compressed-tensors" if "config_groups" in config else "unnamed"


def _inner(config: Fields) -> Fields:
    return config.section("quantization") or config


def _ignored(config: Fields) -> Patterns:
    listed = next((items for key in IGNORE_KEYS if (items := config.items(key)) is not None), ())
    return Patterns(item for item in listed if isinstance(item, str))


def _kv_cache(config: Fields) -> str:
    """fp8 or nvfp4 when the checkpoint brings KV cache scales of that kind, which vLLM then uses under auto; else auto."""
    for name in ("kv_cache_scheme", "kv_cache_quant_algo"):
        said = config.raw(name)
        if isinstance(said, str):
            return KV_WORDS.get(said.upper(), "auto")
        if isinstance(said, Mapping):
            return "fp8" if said.get("num_bits") == 8 and said.get("type") == "float" else "auto"
    return "auto"


def _fp8(config: Fields) -> Scheme:
    storage = FP8_BLOCK if config.items("weight_block_size") else FP8
    return _one("fp8", storage, config)


def _one(method: str, storage: Storage, config: Fields, parts: frozenset[Part] | None = None) -> Scheme:
    rule = Rule(storage, parts=parts)
    return Scheme(method=method, rules=(rule,), ignored=_ignored(config), kv_cache_dtype=_kv_cache(config))


def _deepseek_v4(config: Fields, scheme: Scheme) -> Scheme:
    """Experts in 4 bits under a header that says fp8: MXFP4 as DeepSeek ships them, NVFP4 as NVIDIA does."""
    experts = MODELOPT.get(config.word("moe_quant_algo"), MXFP4)
    rest = Rule(FP8_BLOCK, parts=frozenset(Part) - EXPERTS_ONLY)
    return Scheme(
        method=scheme.method, rules=(Rule(experts, parts=EXPERTS_ONLY), rest), kv_cache_dtype=scheme.kv_cache_dtype
    )


def _modelopt(config: Fields) -> Scheme:
    config = _inner(config)
    algorithm = config.word("quant_algo").upper()
    layers = config.section("quantized_layers")
    if (layers is not None and algorithm == "MIXED_PRECISION") or not algorithm:
        rules = _mixed(config.raw("quantized_layers") or {})
    else:
        rules = (Rule(_algorithm(algorithm)),)
    return Scheme(method="modelopt", rules=rules, ignored=_ignored(config), kv_cache_dtype=_kv_cache(config))


def _mixed(layers: Mapping[str, Any]) -> tuple[Rule, ...]:
    """Every module with a form of its own, grouped by form."""
    by_algorithm: dict[str, list[str]] = {}
    for name, settings in layers.items():
        algorithm = Fields(settings).word("quant_algo").upper() if isinstance(settings, Mapping) else ""
        by_algorithm.setdefault(algorithm, []).append(name)
    if not by_algorithm:
        raise refuse("quant_algo", None, "without which the weights' size is unknown")
    return tuple(Rule(_algorithm(word), Patterns(names)) for word, names in by_algorithm.items())


def _algorithm(word: str) -> Storage:
    storage = MODELOPT.get(word)
    if storage is None:
        raise refuse("quant_algo", word, f"none of {', '.join(sorted(MODELOPT))}")
    return storage


def _compressed_tensors(config: Fields) -> Scheme:
    groups = config.section("config_groups")
    values = config.raw("config_groups") if groups is not None else {}
    rules = tuple(_group(Fields(group), config) for group in values.values() if isinstance(group, Mapping))
    if not rules:
        raise refuse("config_groups", None, "without which the weights' size is unknown")
    return Scheme(method="compressed-tensors", rules=rules, ignored=_ignored(config), kv_cache_dtype=_kv_cache(config))


def _group(group: Fields, config: Fields) -> Rule:
    weights = group.section("weights") or Fields({})
    layout = group.word("format") or config.word("format")
    bits = weights.integer("num_bits", high=16)
    size = weights.optional("group_size", low=-1)
    targets = [item for item in group.items("targets") or () if isinstance(item, str)]
    names = None if not targets or "Linear" in targets else Patterns(targets)
    return Rule(_packed(layout, bits, size, floating=weights.word("type") == "float"), names)


def _packed(layout: str, bits: int, size: int | None, *, floating: bool) -> Storage:
    if bits == 8:
        return FP8 if floating else INT8
    if floating:
        return MXFP4 if layout.startswith("mxfp4") or size == 32 else NVFP4
    return Storage("int4" if bits == 4 else f"int{bits}", grouped(bits, size))


def _awq(config: Fields) -> Scheme:
    size = config.integer("group_size", "q_group_size", low=-1, fallback=128)
    bits = config.integer("bits", "w_bit", high=8, fallback=4)
    return _one("awq", Storage(AWQ.label, grouped(bits, size, zero=bits)), config)


def _gptq(config: Fields) -> Scheme:
    size = config.integer("group_size", low=-1, fallback=128)
    bits = config.integer("bits", high=8, fallback=4)
    storage = Storage("gptq-int8" if bits == 8 else "gptq-int4", grouped(bits, size, zero=bits))
    rules: tuple[Rule, ...] = (Rule(storage),)
    if config.raw("lm_head") is True:
        rules += (Rule(storage, parts=frozenset({Part.LM_HEAD}), targets=Patterns(["lm_head"])),)
    return Scheme(method="gptq", rules=rules, ignored=_ignored(config))


def _bitsandbytes(config: Fields) -> Scheme:
    storage = Storage("int8", 8.0) if config.flag("load_in_8bit") else NF4
    if config.flag("bnb_4bit_use_double_quant"):
        storage = Storage(NF4.label, grouped(4, 64, scale=8))
    return _one("bitsandbytes", storage, config)


def _mxfp4(config: Fields) -> Scheme:
    return _one("mxfp4", MXFP4, config, EXPERTS_ONLY)


METHODS: Mapping[str, Callable[[Fields], Scheme]] = {
    "fp8": _fp8,
    "fbgemm_fp8": lambda config: _one("fbgemm_fp8", FP8, config),
    "modelopt": _modelopt,
    "modelopt_fp4": _modelopt,
    "nvfp4": lambda config: _one("modelopt", NVFP4, config),
    "compressed-tensors": _compressed_tensors,
    "mxfp4": _mxfp4,
    "awq": _awq,
    "gptq": _gptq,
    "auto-round": _gptq,
    "bitsandbytes": _bitsandbytes,
}
