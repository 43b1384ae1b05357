"""The memory budget of one GPU, term by term: what vLLM leaves for the KV cache."""

import math
from dataclasses import dataclass

from knowledge.launch import Launch
from knowledge.memory.activation import activation_peak
from knowledge.memory.cuda_graphs import cuda_graph_estimate
from knowledge.memory.judgement import Limiting
from knowledge.memory.learned import Learned
from knowledge.memory.outside import Outside, outside_failures
from knowledge.memory.overheads import non_torch
from knowledge.memory.per_gpu import PerGpu
from knowledge.memory.weights import StageWeights, lora_bytes, stage_weights
from knowledge.units import GIB, Range

# Share of the budget by which a cache was smaller, or larger, than the terms say where their own ranges are narrow: what else runs on the
# card, and flags that a report does not mention. Nine starts in eight groups: 0.3 to 2.4 % smaller; three 0.5 to 1 % larger.
UNACCOUNTED = (0.025, 0.01)


@dataclass(frozen=True, slots=True)
class Budget:
    """What one GPU of the binding pipeline stage has room for.

    `kv_bytes` is what vLLM logs as available KV cache memory, in bytes, negative when the rest alone is too much.
    `binding` is the term that decides, `deciding` the name of the term that is known least (weights, activation, non-torch,
    cuda-graphs, total-memory). `outside` are the checks beyond the budget.
    """

    per_gpu: PerGpu
    kv_bytes: Range
    binding: Limiting
    deciding: str
    outside: tuple[Outside, ...] = ()


def budget(launch: Launch, learned: Learned | None = None) -> Budget:
    """total × utilization − weights − activation peak − non-torch − CUDA-graph estimate, on the stage that has least for each layer.

    `learned` corrects the terms by what a start on the same host observed.
    """
    stages = [_stage_budget(launch, stage, learned) for stage in stage_weights(launch)]
    return min(stages, key=lambda found: found[0])[1]


def _stage_budget(launch: Launch, stage: StageWeights, learned: Learned | None) -> tuple[float, Budget]:
    """The stage's room for each of its layers, and its budget."""
    total = launch.gpu.total_gib.scaled(GIB)
    weights = stage.size + Range.exact(lora_bytes(launch))
    terms = {
        "weights": weights,
        "activation": activation_peak(launch, last_stage=stage.last),
        "non-torch": non_torch(launch),
        "cuda-graphs": cuda_graph_estimate(launch),
    }
    if learned is not None:
        total, terms = Range.exact(learned.total), learned.applied(terms, launch)
        weights = terms["weights"]
    granted = total.scaled(launch.utilization)
    kv = _left(granted, terms, UNACCOUNTED if learned is None else (0.0, 0.0))
    if launch.kv_cache_memory_gib is not None:
        kv = Range.exact(launch.kv_cache_memory_gib * GIB)
    per_gpu = PerGpu(
        total=total.scaled(1 / GIB),
        budget=granted.scaled(1 / GIB),
        weights=weights.scaled(1 / GIB),
        activation=terms["activation"].scaled(1 / GIB),
        non_torch=terms["non-torch"].scaled(1 / GIB),
        cuda_graphs=terms["cuda-graphs"].scaled(1 / GIB),
        kv_cache=kv.scaled(1 / GIB),
    )
    found = Budget(per_gpu, kv, _binding(granted, terms), _widest(granted, terms), outside_failures(launch, stage))
    return kv.expected / max(1, stage.layers), found


def _left(granted: Range, terms: dict[str, Range], unaccounted: tuple[float, float]) -> Range:
    """What the terms leave. Their errors are independent, so they add up as squares, with what no term accounts for."""
    expected = granted.expected - sum(term.expected for term in terms.values())
    less, more = (granted.expected * share for share in unaccounted)
    below = [less, granted.expected - granted.low, *(term.high - term.expected for term in terms.values())]
    above = [more, granted.high - granted.expected, *(term.expected - term.low for term in terms.values())]
    return Range.spread(expected, math.hypot(*below), math.hypot(*above))


def _binding(granted: Range, terms: dict[str, Range]) -> Limiting:
    """The first term, in the order in which vLLM meets them, that leaves nothing; the KV cache when all leave something."""
    left = granted.expected
    for name, limiting in (
        ("weights", Limiting.WEIGHTS),
        ("activation", Limiting.ACTIVATION),
        ("non-torch", Limiting.ACTIVATION),
        ("cuda-graphs", Limiting.CUDA_GRAPHS),
    ):
        left -= terms[name].expected
        if left <= 0:
            return limiting
    return Limiting.KV_CACHE


def _widest(granted: Range, terms: dict[str, Range]) -> str:
    widths = {name: term.high - term.low for name, term in terms.items()}
    widths["total-memory"] = granted.high - granted.low
    return max(widths, key=lambda name: widths[name])
