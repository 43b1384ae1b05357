"""The estimate object as scripts read it: the contract's names, rounded to what is known."""

from dataclasses import asdict
from typing import Any

from knowledge.fit.estimate import Change, Estimate, LadderRung
from knowledge.memory.per_gpu import PerGpu
from knowledge.units import Range

Json = dict[str, Any]

BEYOND_LIMIT = "The model was trained for less: lower --max-model-len, or extend its RoPE with --hf-overrides where its authors say how."


def as_json(estimate: Estimate) -> Json:
    """The object of `fit --json`: tokens whole, GiB and concurrency rounded; None where a figure does not apply."""
    return {
        "id": estimate.id,
        "model_id": estimate.model_id,
        "gpu": estimate.gpu,
        "count": estimate.count,
        "tp": estimate.tp,
        "pp": estimate.pp,
        "dp": estimate.dp,
        "vllm_version": estimate.vllm_version,
        "verdict": estimate.verdict,
        "concurrency_verdict": estimate.concurrency_verdict,
        "limiting": estimate.limiting,
        "per_gpu_gib": _per_gpu(estimate.per_gpu),
        "kv_bytes_per_token": estimate.kv_bytes_per_token,
        "kv_bytes_per_token_per_gpu": estimate.kv_bytes_per_token_per_gpu,
        "kv_gib_per_request": _rounded(estimate.kv_gib_per_request, 4),
        "kv_cache_tokens": _whole(estimate.kv_cache_tokens),
        "max_context": _whole(estimate.max_context),
        "max_context_together": _whole(estimate.max_context_together),
        "model_max_context": estimate.model_max_context,
        "max_concurrency": _tenths(estimate.max_concurrency),
        "context": estimate.context,
        "concurrency": estimate.concurrency,
        "serve_command": estimate.serve_command,
        "changes": [_change(change) for change in estimate.changes],
        "ladder": [_rung(rung) for rung in estimate.ladder],
        "assumed": estimate.assumed or {},
        "deciding": estimate.deciding,
        "notes": list(estimate.notes),
        "observed": asdict(estimate.observed) if estimate.observed else None,
        "hint": BEYOND_LIMIT if "beyond-model-limit" in estimate.notes else None,
        "sources": list(estimate.sources),
    }


def _per_gpu(per_gpu: PerGpu | None) -> Json | None:
    if per_gpu is None:
        return None
    names = ("total", "budget", "weights", "activation", "non_torch", "cuda_graphs", "kv_cache")
    return {name: round(getattr(per_gpu, name).expected, 2) for name in names}


def _change(change: Change) -> Json:
    return {
        "kind": change.kind,
        "flag": change.flag,
        "to": change.to,
        "effect": change.effect,
        "verdict": change.verdict,
        "max_context": change.max_context,
        "max_concurrency": change.max_concurrency,
        "count": change.count,
        "serve_command": change.serve_command,
    } | ({"also": {"flag": change.also_flag, "to": change.also_to}} if change.also_kind else {})


def _rung(rung: LadderRung) -> Json:
    return {"context": rung.context, "concurrency": _tenths(rung.concurrency)}


def _whole(figure: Range | None) -> Json | None:
    if figure is None:
        return None
    return {"low": int(figure.low), "expected": int(figure.expected), "high": int(figure.high)}


def _tenths(figure: Range | None) -> Json | None:
    """Rounded down: 3.99 requests are three."""
    if figure is None:
        return None
    bounds = {"low": figure.low, "expected": figure.expected, "high": figure.high}
    return {name: int(value * 10) / 10 for name, value in bounds.items()}


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)
