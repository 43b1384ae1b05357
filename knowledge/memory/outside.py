"""Failures that the budget itself does not show: what a start needs beyond --gpu-memory-utilization."""

import math
from dataclasses import dataclass

from knowledge.gpus import Link
from knowledge.launch import Launch
from knowledge.memory.cuda_graphs import LARGEST_GPT_OSS, cuda_graph_estimate, cuda_graphs, largest_graph
from knowledge.memory.judgement import Limiting, Verdict
from knowledge.memory.overheads import CUDA_CONTEXT, counts_context
from knowledge.memory.weights import StageWeights
from knowledge.units import GIB, Range
from knowledge.versions import V1_DEFAULT

# GiB taken before vLLM looks, beside the CUDA context: by NCCL on cards joined by NVLink (77.1 to 77.8 GiB free of 79.19 on nine layouts of
# 0.19), and by the system where a GPU shares the host's memory (GB10: 111.4 to 113.2 free of 119.6 to 121.7).
NCCL_TAKEN = Range(0.9, 1.2, 1.6)
SHARED_TAKEN = Range(5.0, 8.5, 14.0)
SHARES_MEMORY = frozenset({"DGX Spark", "Jetson AGX Orin", "Jetson AGX Thor"})

# Tensors of all logits in float32 that the sampler's warm-up cannot take from what graphs as large as the batch have freed: gpt-oss-20b at 0.95
# had 1.78 GiB of such rests on one H100, and failed on two as well; 30 other models, whose batch is larger than any graph, started.
FRAGMENTS = Range(0.0, 3.0, 4.0)
LIKELY = 0.35  # of a spread that holds 9 in 10


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
    free = total - _taken(launch).scaled(GIB)
    found = [_judged("weights", Limiting.WEIGHTS, weights.size, free)]
    if launch.kv_cache_memory_gib is None:
        if launch.version >= V1_DEFAULT:
            found.append(_judged("free-memory", Limiting.FREE_MEMORY, total.scaled(launch.utilization), free))
        if cuda_graph_estimate(launch).expected == 0:
            found.append(_beyond(launch, free - total.scaled(launch.utilization)))
    return tuple(found)


def _taken(launch: Launch) -> Range:
    """GiB on a card that a start cannot have, beside what it counts itself."""
    taken = Range.exact(0) if counts_context(launch.version) else CUDA_CONTEXT
    if launch.gpu.family in SHARES_MEMORY:
        taken += SHARED_TAKEN
    return taken + NCCL_TAKEN if launch.tp * launch.pp > 1 and launch.gpu.link is Link.NVLINK else taken


def _beyond(launch: Launch, room: Range) -> Outside:
    """Graph capture, and the sampler's warm-up after it, where nothing was set aside for them."""
    need = cuda_graphs(launch)
    if need.expected and launch.max_num_seqs <= largest_graph(launch) == LARGEST_GPT_OSS:
        need += FRAGMENTS.scaled(launch.max_num_seqs * launch.shape.vocab_size * 4)
    return Outside("cuda-graphs", Limiting.CUDA_GRAPHS, need, room, _closely(need, room))


def _closely(need: Range, have: Range) -> Verdict:
    """Uncertain from about a third of the spread before the two expected figures meet: four A10 had 2.2 GiB for 1.9, and failed."""
    spread = LIKELY * math.hypot(need.high - need.expected, have.expected - have.low)
    if need.low > have.high:
        return Verdict.DOES_NOT_FIT
    return Verdict.UNCERTAIN if need.expected and need.expected + spread > have.expected else Verdict.FITS


def _judged(code: str, limiting: Limiting, need: Range, have: Range) -> Outside:
    return Outside(code, limiting, need, have, _verdict(need, have))


def _verdict(need: Range, have: Range) -> Verdict:
    if need.low > have.high:
        return Verdict.DOES_NOT_FIT
    return Verdict.UNCERTAIN if need.expected > have.expected else Verdict.FITS
