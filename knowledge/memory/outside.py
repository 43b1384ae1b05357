"""Failures that the budget itself does not show: what a start needs beyond --gpu-memory-utilization."""

from dataclasses import dataclass

from knowledge.fit.estimate import Limiting, Verdict
from knowledge.launch import Launch
from knowledge.memory.cuda_graphs import cuda_graph_estimate, cuda_graphs
from knowledge.memory.overheads import CUDA_CONTEXT
from knowledge.memory.weights import StageWeights
from knowledge.units import GIB, Range

CONTEXT = Range(
    0.3 * GIB, 0.5 * GIB, 0.9 * GIB
)  # taken on every card before vLLM looks: 79.19 GiB total, 78.68 free on 12 logs


@dataclass(frozen=True, slots=True)
class Outside:
    """One thing checked outside the budget, per GPU in bytes: what is needed, what there is, and whether that stops the start.

    `code` is weights, free-memory or cuda-graphs; `limiting` the term to name when it decides.
    """

    code: str
    limiting: Limiting
    need: Range
    have: Range
    verdict: Verdict


def outside_failures(launch: Launch, weights: StageWeights) -> tuple[Outside, ...]:
    """Everything checked, in the order in which a start would meet it."""
    total = launch.gpu.total_gib.scaled(GIB)
    free = total - CUDA_CONTEXT.scaled(GIB)
    found = [_judged("weights", Limiting.WEIGHTS, weights.size, free)]
    if launch.kv_cache_memory_gib is None:
        found.append(_judged("free-memory", Limiting.FREE_MEMORY, total.scaled(launch.utilization), free))
        if cuda_graph_estimate(launch).expected == 0:
            beyond = free - total.scaled(launch.utilization)
            found.append(_judged("cuda-graphs", Limiting.CUDA_GRAPHS, cuda_graphs(launch), beyond))
    return tuple(found)


def _judged(code: str, limiting: Limiting, need: Range, have: Range) -> Outside:
    if need.low > have.high:
        verdict = Verdict.DOES_NOT_FIT
    else:
        verdict = Verdict.UNCERTAIN if need.expected > have.expected else Verdict.FITS
    return Outside(code, limiting, need, have, verdict)
