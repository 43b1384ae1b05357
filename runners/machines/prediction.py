"""Whether a run can start at all, reckoned before a GPU is kept waiting: the estimator asked about exactly this command."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from knowledge.errors import Refusal
from knowledge.fit.estimate import Estimate
from knowledge.memory.judgement import Verdict
from runners.jobs.serve_flags import argv
from runners.jobs.spec import BenchSpec
from runners.machines.gpus import GpuState
from runners.machines.host import Host


@dataclass(frozen=True, slots=True)
class Prediction:
    """`estimate` is the estimate object of the contract, None where nothing could be reckoned (no GPU, an unlisted model).

    `hopeless` says why the server will not start; None: it will, or it may.
    """

    estimate: dict[str, Any] | None = None
    hopeless: str | None = None


def predict(spec: BenchSpec, host: Host, version: str | None, states: Sequence[GpuState] = ()) -> Prediction:
    """Reckons the start of `spec`. With `states` the memory is what the driver reports now, else what the card is sold with."""
    if not spec.gpus or spec.url is not None:
        return Prediction()
    used = [state for state in states if state.index in spec.gpus]
    card = host.gpu or (used[0].name if used else None)
    if card is None:
        return Prediction()
    try:
        estimate = _estimate(spec, host, card, version, min((state.total_gib for state in used), default=None))
    except (Refusal, ValueError):
        return Prediction()
    from knowledge.fit.json_form import as_json

    return Prediction(as_json(estimate), _hopeless(estimate))


def _estimate(spec: BenchSpec, host: Host, card: str, version: str | None, total_gib: float | None) -> Estimate:
    from knowledge.commands.pasted import parse
    from knowledge.fit.estimator import estimates
    from knowledge.fit.request import FitRequest

    words = ["vllm", "serve", spec.model, *argv(spec.serve), *host.serve_args]
    command = parse(shlex.join(words))
    options = {"tp": 1, "pp": 1, "dp": 1} | (command.options if command else {})
    asked = options | {"model": spec.model, "gpu": card, "count": len(spec.gpus), "gpu_memory_gib": total_gib}
    return estimates(FitRequest.model_validate(asked | {"vllm_version": version}), changes=True)[0]


def _hopeless(estimate: Estimate) -> str | None:
    if estimate.verdict is not Verdict.DOES_NOT_FIT:
        return None
    first = next(iter(estimate.changes), None)
    way = f" `{first.flag} {first.to}` would let it start." if first and first.flag.startswith("--") else ""
    return f"It will not start on {estimate.count} × {estimate.gpu}; what limits it is `{estimate.limiting}`.{way}"
