"""A start's logged memory beside what the estimator says of the same command: term by term."""

from dataclasses import dataclass, replace
from datetime import datetime

from knowledge import defaults
from knowledge.errors import Refusal
from knowledge.fit.estimate import Estimate
from knowledge.fit.estimator import estimates
from knowledge.fit.observed import Missing, Observed, of_start, request_of
from knowledge.fit.observed_start import ObservedStart
from knowledge.logs.fixes.case import Case, Said
from knowledge.logs.reading import Reading
from knowledge.units import Range
from knowledge.versions import parse

TERMS = ("weights", "activation", "non_torch", "cuda_graphs", "kv_cache")
LOGGED = {
    "weights": "weights_gib",
    "activation": "activation_gib",
    "non_torch": "non_torch_gib",
    "cuda_graphs": "graphs_gib",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One term, GiB of one GPU: what was predicted and what the log says."""

    term: str
    predicted: Range
    observed: float


def kept_start(start: ObservedStart, said: Said, host: str, at: datetime) -> Observed | Missing:
    """The start as it is kept for `host`: the model by its id, the card's total and the default utilisation filled in."""
    case = Case(text="", facts={}, line=None, reading=Reading(), said=said)
    case.reading.startup.start = start
    shape = case.shape
    total = start.total_gib or (case.gpu.total_gib.expected if case.gpu else None)
    share = start.utilization
    if share is None and start.version:
        share = _default_share(start.version)
    filled = replace(start, total_gib=total, utilization=share, gpu=case.gpu.name if case.gpu else None)
    observed = of_start(filled, host, shape.model_id if shape else None, at)
    if isinstance(observed, Missing) or shape is None:
        return observed
    return observed.model_copy(update={"stored_as": shape.quantization.label if shape.quantization else "bf16"})


def _default_share(version: str) -> float | None:
    try:
        return defaults.utilization(parse(version))
    except Refusal:
        return None


def compare(observed: Observed) -> tuple[Row, ...]:
    """Every term that the log has, beside the estimate's; nothing where the estimator refuses the command."""
    estimate = _estimate(observed)
    if estimate is None or estimate.per_gpu is None:
        return ()
    told = {name: getattr(observed, field) for name, field in LOGGED.items()} | {"kv_cache": observed.kv_gib}
    return tuple(
        Row(name, getattr(estimate.per_gpu, name), value) for name in TERMS if (value := told.get(name)) is not None
    )


def _estimate(observed: Observed) -> Estimate | None:
    try:
        return estimates(request_of(observed), changes=False)[0]
    except Refusal:
        return None
