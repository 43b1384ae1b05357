"""From what was understood to a question for the estimator."""

from typing import Any

from bot.settings import Settings
from bot.understand.understood import Understood
from knowledge.fit.reading import read_object
from knowledge.fit.request import FitRequest

NAMES = {
    "model_id": "model",
    "count": "count",
    "context_tokens": "context",
    "concurrency": "concurrency",
    "weight_quant": "quantization",
    "kv_dtype": "kv_cache_dtype",
    "tp": "tp",
    "pp": "pp",
    "dp": "dp",
    "utilization": "gpu_memory_utilization",
    "vllm_version": "vllm_version",
    "max_num_seqs": "max_num_seqs",
    "max_num_batched_tokens": "max_num_batched_tokens",
}


def request_of(understood: Understood, settings: Settings, **changed: Any) -> FitRequest:
    """The question, completed by the settings' defaults; `changed` replaces options. Refuses values that make no sense."""
    fields = understood.fields
    said = {option: getattr(fields, name) for name, option in NAMES.items()} | {"gpu": card(understood)}
    options = dict(understood.options) | {name: value for name, value in said.items() if value is not None}
    usual = {"model": settings.defaults.model, "vllm_version": settings.defaults.vllm_version}
    return read_object({name: value for name, value in usual.items() if value} | options | changed)


def card(understood: Understood) -> str | None:
    """The card with its memory, as one name; the memory alone where no card was named; None when neither was."""
    fields = understood.fields
    memory = f"{fields.gpu_mem_gb:g}GB" if fields.gpu_mem_gb else None
    return " ".join(part for part in (fields.gpu, memory) if part) or None
