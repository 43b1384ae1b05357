"""Failures that the budget itself does not show: what a start needs beyond --gpu-memory-utilization."""

from dataclasses import dataclass

from knowledge.fit.estimate import Verdict
from knowledge.launch import Launch
from knowledge.memory.cuda_graphs import cuda_graph_estimate, cuda_graphs
from knowledge.memory.overheads import CUDA_CONTEXT
from knowledge.memory.per_gpu import Limiting
from knowledge.memory.weights import StageWeights
from knowledge.units import GIB, Range
from knowledge.versions import GRAPHS_IN_BUDGET

CONTEXT = Range(
    0.3 * GIB, 0.5 * GIB, 0.9 * GIB
)  # taken on every card before vLLM looks: 79.19 GiB total, 78.68 free on 12 logs

FRAGMENTS = 2  # tensors of all logits in float32


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
            found.append(_beyond(launch, free - total.scaled(launch.utilization)))
    return tuple(found)


def _beyond(launch: Launch, room: Range) -> Outside:
    """Graph capture, and the sampler's warm-up after it, where nothing was set aside for them.

    The warm-up needs its memory in whole tensors of all logits, which fragments may not offer: gpt-oss-20b on an H100 at 0.95 failed there with
    0.55 GiB free and 0.77 wanted; ten other models started at 0.95 with as many rows.
    """
    graphs = cuda_graphs(launch)
    tensor = launch.max_num_seqs * launch.shape.vocab_size * 4
    need = Range(graphs.low, graphs.expected, graphs.high + FRAGMENTS * tensor)
    verdict = _verdict(need, room)
    if verdict is Verdict.FITS and launch.version < GRAPHS_IN_BUDGET and graphs.high and need.high > room.expected:
        verdict = Verdict.UNCERTAIN
    return Outside("cuda-graphs", Limiting.CUDA_GRAPHS, need, room, verdict)


def _judged(code: str, limiting: Limiting, need: Range, have: Range) -> Outside:
    return Outside(code, limiting, need, have, _verdict(need, have))


def _verdict(need: Range, have: Range) -> Verdict:
    if need.low > have.high:
        return Verdict.DOES_NOT_FIT
    return Verdict.UNCERTAIN if need.expected > have.expected else Verdict.FITS
