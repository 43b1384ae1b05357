"""What CUDA, NCCL and CUDA graphs take outside PyTorch's own tensors."""

from knowledge.gpus import Link
from knowledge.launch import Launch
from knowledge.memory.runner import COUNTS_ALL, ESTIMATES_GRAPHS, runs_v2
from knowledge.units import GIB, MIB, Range
from knowledge.versions import Version

V1_ENGINE = Version(0, 8)
MEASURES_ITSELF = Version(0, 9)  # before, V1 counted all that is on the card outside PyTorch, the CUDA context too
MORE_WORKSPACES = Version(0, 18)  # one GPU went from 0.13 to 0.25 GiB between 0.17 and 0.18, same model and card
GRAPHS_IN_BUDGET = Version(0, 20)  # before, graphs are captured beyond the budget
HOPPER = (9, 0)

CUDA_CONTEXT = Range(0.25, 0.42, 0.8)  # GiB; 79.19 GiB total and 78.66 to 78.68 free before anything runs

# GiB of a CUDA graph's baseline, and MiB that each further graph keeps for each layer: 16 logs of 0.18 to 0.31 within 30 %.
GRAPH_BASE = 0.25
GRAPH_LAYER = 0.164
GRAPH_SPREAD = (0.5, 1.6)
MEASURED_GRAPHS = 1.5  # the second runner captures all mixed graphs to measure: one log of 0.31, 1.18 GiB for 32 layers
NCCL_IN_GRAPHS = (
    1.9  # more than two cards over PCIe have no custom all-reduce: one log, 2.73 GiB for 80 layers, four L40S
)


def non_torch(launch: Launch) -> Range:
    """Bytes: libraries' workspaces and communication buffers, the CUDA context not counted from 0.9 on.

    One GPU: 0.01 to 0.36 GiB on nine logs of V0, 0.02 to 0.13 on six of 0.10 to 0.17, 0.24 to 0.26 on twelve H100 of 0.19,
    0.06 to 0.16 on four Ampere and Ada cards of 0.26. With the second runner from 0.27 on, which counts all that was taken since the
    start: 0.13 (A100, 0.31), about 0.6 (L40S and L4, 0.28): wide.
    Tensor parallel: H100 2.07 to 2.21 (six, 0.19), H200 1.38 (0.10), four L40S over PCIe 0.21 (0.19), B200 0.95: wide.
    """
    alone = launch.tp * launch.pp == 1
    found = _alone(launch) if alone else _together(launch)
    if V1_ENGINE <= launch.version < MEASURES_ITSELF:
        found += CUDA_CONTEXT
    return found.scaled(GIB)


def _alone(launch: Launch) -> Range:
    if launch.version < V1_ENGINE:
        return Range(0.0, 0.14, 0.42)
    if launch.version < MORE_WORKSPACES:
        return Range(0.0, 0.09, 0.25)
    if launch.version >= COUNTS_ALL and runs_v2(launch):
        return Range(0.08, 0.35, 0.75)
    hopper_or_newer = (launch.gpu.compute_capability or HOPPER) >= HOPPER
    return Range(0.05, 0.25, 0.35) if hopper_or_newer else Range(0.03, 0.16, 0.35)


def _together(launch: Launch) -> Range:
    if launch.version < V1_ENGINE:
        return Range(0.1, 0.3, 2.6)
    if launch.gpu.link is Link.PCIE:
        return Range(0.05, 0.2, 0.6)
    if launch.version < MORE_WORKSPACES:
        return Range(0.8, 1.3, 1.9)
    return Range(1.7, 2.1, 2.4) if launch.gpu.compute_capability == HOPPER else Range(0.7, 1.3, 2.2)


def cuda_graph_estimate(launch: Launch) -> Range:
    """Bytes that vLLM sets aside for CUDA graphs within the budget: from 0.20.0, unless eager; the second runner's from 0.29."""
    first = ESTIMATES_GRAPHS if runs_v2(launch) else GRAPHS_IN_BUDGET
    if launch.version < first:
        return Range.exact(0)
    return cuda_graphs(launch)


def cuda_graphs(launch: Launch) -> Range:
    """Bytes that captured CUDA graphs take, wherever they are accounted; none when eager.

    A baseline for the largest, and for each further graph a little driver memory for each layer. Estimates in logs: 0.35 GiB
    (40 layers, 9 graphs) to 1.7 (80 layers, 102 graphs). Single reports are off by a factor both ways.
    """
    if launch.enforce_eager:
        return Range.exact(0)
    layers = len(launch.shape.layers) / launch.pp
    expected = GRAPH_BASE * GIB + GRAPH_LAYER * MIB * layers * graph_count(launch)
    if launch.version >= ESTIMATES_GRAPHS:
        expected *= MEASURED_GRAPHS
    if launch.tp > 2 and launch.gpu.link is Link.PCIE:
        expected *= NCCL_IN_GRAPHS
    return Range(expected * GRAPH_SPREAD[0], expected, expected * GRAPH_SPREAD[1])


def graph_count(launch: Launch) -> int:
    """Graphs captured: one a batch size up to min(2 × max_num_seqs, 512) for mixed batches, one up to max_num_seqs for decoding.

    51 and 35 for 256 requests, 11 and 7 for 32, 5 and 4 for 8 in logs of 0.19 to 0.24 (config/vllm.py _set_cudagraph_sizes).
    """
    step = 1 + (launch.speculation.tokens if launch.speculation else 0)
    largest = min(2 * launch.max_num_seqs * step, 512)
    return _sizes_up_to(largest) + _sizes_up_to(min(largest, launch.max_num_seqs * step))


def _sizes_up_to(largest: int) -> int:
    """1, 2, 4, then every 8th to 256, then every 16th."""
    small = sum(size <= largest for size in (1, 2, 4))
    return small + min(largest, 256) // 8 + max(0, largest - 256) // 16
