"""What CUDA, NCCL and CUDA graphs take outside PyTorch's own tensors."""

from knowledge.gpus import Link
from knowledge.launch import Launch
from knowledge.units import GIB, Range
from knowledge.versions import Version

V1_ENGINE = Version(0, 8)
MORE_WORKSPACES = Version(0, 18)  # one GPU went from 0.13 to 0.25 GiB between 0.17 and 0.18, same model and card
GRAPHS_IN_BUDGET = Version(0, 20)  # before, graphs are captured beyond the budget


def non_torch(launch: Launch) -> Range:
    """Bytes: libraries' workspaces and communication buffers. The CUDA context itself is there before vLLM looks.

    One GPU: 12 logs. Tensor parallel: NVLink on H100 4 (0.19), before 0.18 few; PCIe and V0 two each, so wide.
    """
    return (_alone(launch) if launch.gpus == 1 or launch.tp * launch.pp == 1 else _together(launch)).scaled(GIB)


def _alone(launch: Launch) -> Range:
    if launch.version < V1_ENGINE:
        return Range(0.05, 0.3, 0.6)
    if launch.version < MORE_WORKSPACES:
        return Range(0.05, 0.13, 0.45)
    return Range(0.05, 0.25, 0.35)


def _together(launch: Launch) -> Range:
    if launch.version < V1_ENGINE:
        return Range(0.15, 0.5, 2.6)
    if launch.gpu.link is Link.PCIE:
        return Range(0.05, 0.2, 0.8)
    return Range(0.8, 1.19, 2.2) if launch.version < MORE_WORKSPACES else Range(0.9, 2.1, 2.5)


def cuda_graph_estimate(launch: Launch) -> Range:
    """Bytes that vLLM sets aside for CUDA graphs within the budget: from 0.20.0, unless eager.

    Nine logs of 0.19 to 0.31: 0.44 to 1.7 GiB, growing with the number of layers and with the captured sizes (up to
    twice max_num_seqs, at most 512), which is half as much for 16 requests or fewer. Off by a factor both ways in single reports.
    """
    if launch.enforce_eager or launch.version < GRAPHS_IN_BUDGET:
        return Range.exact(0)
    return cuda_graphs(launch)


def cuda_graphs(launch: Launch) -> Range:
    """Bytes that captured CUDA graphs take, wherever they are accounted."""
    if launch.enforce_eager:
        return Range.exact(0)
    layers = len(launch.shape.layers) / launch.pp
    expected = (0.42 + 0.012 * layers) * (0.45 if launch.max_num_seqs <= 16 else 1.0) * GIB
    return Range(expected * 0.45, expected, expected * 1.5)
