"""The same model in another quantisation: a listed checkpoint where there is one, else computed from its weights by part."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

from knowledge.catalogue.index import lines, shape
from knowledge.catalogue.names import normalise, quantised_as, stem
from knowledge.errors import Refusal
from knowledge.shapes.layers import Part
from knowledge.shapes.model import ModelShape, Quantization
from knowledge.shapes.storage import AWQ, FP8, GGUF, GPTQ4, GPTQ8, INT8, MXFP4, NF4, NVFP4, PACKED4, Storage

# what engineers and vLLM's --quantization call it -> the contract's label
LABELS: Mapping[str, str] = {
    "bf16": "bf16",
    "bfloat16": "bf16",
    "fp16": "fp16",
    "float16": "fp16",
    "half": "fp16",
    "none": "bf16",
    "fp8": "fp8",
    "fbgemm-fp8": "fp8",
    "ptpc-fp8": "fp8",
    "w8a8-fp8": "fp8",
    "fp8-dynamic": "fp8",
    "modelopt": "fp8",
    "modelopt-fp8": "fp8",
    "int8": "int8",
    "w8a8": "int8",
    "w8a16": "int8",
    "experts-int8": "int8",
    "compressed-tensors": "int4",
    "compressed-tensors-int8": "int8",
    "compressed-tensors-int4": "int4",
    "compressed-tensors-fp8": "fp8",
    "int4": "int4",
    "w4a16": "int4",
    "awq": "awq-int4",
    "awq-marlin": "awq-int4",
    "awq-int4": "awq-int4",
    "gptq": "gptq-int4",
    "gptq-marlin": "gptq-int4",
    "gptq-int4": "gptq-int4",
    "gptq-int8": "gptq-int8",
    "auto-round": "gptq-int4",
    "nvfp4": "nvfp4",
    "fp4": "nvfp4",
    "modelopt-fp4": "nvfp4",
    "mxfp4": "mxfp4",
    "bnb": "bnb-int4",
    "bitsandbytes": "bnb-int4",
    "bnb-int4": "bnb-int4",
    "nf4": "bnb-int4",
    "gguf": "gguf",
}
SIXTEEN_BIT = frozenset({"bf16", "fp16"})
MATRICES = frozenset({Part.ATTENTION, Part.KV_PROJECTION, Part.MLP, Part.EXPERTS, Part.RECURRENT})
METHODS: Mapping[str, tuple[str, Storage]] = {
    "fp8": ("fp8", FP8),
    "int8": ("compressed-tensors", INT8),
    "int4": ("compressed-tensors", PACKED4),
    "awq-int4": ("awq", AWQ),
    "gptq-int4": ("gptq", GPTQ4),
    "gptq-int8": ("gptq", GPTQ8),
    "nvfp4": ("modelopt", NVFP4),
    "mxfp4": ("mxfp4", MXFP4),
    "bnb-int4": ("bitsandbytes", NF4),
    "gguf": ("gguf", GGUF),
}
ONLINE = frozenset({"fp8", "bnb-int4"})  # vLLM makes these from a 16-bit checkpoint while loading


def label_of(said: str) -> str:
    """The contract's label for what was said. Refuses a word that is no quantisation."""
    word = said.strip().lower().replace("_", "-")
    if word not in LABELS:
        raise Refusal(
            "unknown-quantization",
            f"`{said[:40]}` is not a quantisation that is understood here.",
            f"Say one of {', '.join(METHODS)}, or bf16.",
            quantization=said[:40],
        )
    return LABELS[word]


def variants(model_id: str) -> tuple[str, ...]:
    """Ids of the listed quantised checkpoints of a model."""
    return tuple(other for other in _families().get(_family(model_id), ()) if other != model_id and quantised_as(other))


def with_quantization(model: ModelShape, said: str) -> ModelShape:
    """The model in the quantisation `said` (the contract's label or vLLM's word).

    The figures of a listed checkpoint where there is one, `model_id` unchanged; else computed: embedding, output head, norms,
    routers and encoders stay in 16 bits.
    """
    label = label_of(said)
    current = model.quantization.label if model.quantization else None
    if label == current or (label in SIXTEEN_BIT and current is None):
        return _as_dtype(model, label)
    if label in SIXTEEN_BIT:
        return _as_dtype(replace(model, quantization=None, checkpoint_bytes=None, kv_cache_dtype="auto"), label)
    listed = _listed(model.model_id, label)
    if listed is not None:
        return _like(model, listed)
    return _loaded_as(model, label)


def requantised(model: ModelShape, label: str) -> ModelShape:
    """A checkpoint of the model in the form that `label` names, whatever it is stored as now."""
    return replace(model, quantization=_computed(model, label), checkpoint_bytes=None, kv_cache_dtype="auto")


def _loaded_as(model: ModelShape, label: str) -> ModelShape:
    """The model in that form; vLLM itself makes some of them from a 16-bit checkpoint while loading it."""
    made = requantised(model, label)
    if label not in ONLINE or model.quantization is not None or made.quantization is None:
        return made
    return replace(made, quantization=replace(made.quantization, online=True))


def _as_dtype(model: ModelShape, label: str) -> ModelShape:
    return replace(model, dtype="float16") if label == "fp16" else model


def _listed(model_id: str, label: str) -> ModelShape | None:
    """A listed checkpoint of that label; rather one that does not also force its KV cache."""
    candidates = [shape(other) for other in variants(model_id)]
    found = [each for each in candidates if each.quantization is not None and each.quantization.label == label]
    return min(found, key=lambda each: each.kv_cache_dtype != "auto", default=None)


def _like(model: ModelShape, listed: ModelShape) -> ModelShape:
    """The listed checkpoint's weights under the asked model's name and limits."""
    return replace(
        model,
        quantization=listed.quantization,
        checkpoint_bytes=listed.checkpoint_bytes,
        kv_cache_dtype=listed.kv_cache_dtype,
    )


def _computed(model: ModelShape, label: str) -> Quantization:
    method, storage = METHODS[label]
    parts = frozenset({Part.EXPERTS}) if label == "mxfp4" and model.experts else MATRICES
    if label == "gguf":
        parts = MATRICES | {Part.EMBEDDING, Part.LM_HEAD}
    return Quantization(method=method, label=label, bits=storage.bits, parts=parts)


@cache
def _families() -> Mapping[str, tuple[str, ...]]:
    families: dict[str, list[str]] = {}
    for model_id in lines():
        families.setdefault(_family(model_id), []).append(model_id)
    return {family: tuple(members) for family, members in families.items()}


def _family(model_id: str) -> str:
    """What a model and its quantised checkpoints have in common: the name without maker and quantisation."""
    return normalise(stem(model_id)).removeprefix("meta").removeprefix("nvidia")
