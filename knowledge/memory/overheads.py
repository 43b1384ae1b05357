"""What CUDA and its libraries take outside PyTorch's own tensors."""

from knowledge.gpus import Link
from knowledge.launch import Launch
from knowledge.memory.runner import COUNTS_ALL
from knowledge.units import GIB, Range
from knowledge.versions import V1_DEFAULT, Version

MEASURES_ALLOCATED = Version(0, 6, 4)  # before, all taken since the process began counted, NCCL's start included
COUNTS_BASELINE = Version(
    0, 6, 5
)  # 0.6.4 alone counted the CUDA context too: four starts logged 0.15, 0.35, 0.47 and 0.73 GiB
MEASURES_ITSELF = Version(0, 9)  # before, V1 counted all that is on the card outside PyTorch, the CUDA context too
MORE_WORKSPACES = Version(0, 18)  # one GPU went from 0.13 to 0.25 GiB between 0.17 and 0.18, same model and card
HOPPER = (9, 0)
LARGE_CARD = 60  # GiB
# From 0.27 on all that was taken since the start counts, scratch of torch.compile too: a first start, which compiles, is reported to have up to
# 2.3 GiB less than the next. 0.26 (A100), 0.41 and 0.73 (4090), 0.47 (3090), 0.56 (80 GB), 1.3 (L40S and L4, five starts of one group).
SINCE_START = Range(0.1, 0.65, 1.5)
STAGES = Range(
    0.03, 0.07, 0.5
)  # pipeline stages without tensor parallelism: 0.07 on H100 with two to four of them, 0.19
NVLINK_EARLY = Range(0.4, 1.0, 1.9)  # up to 0.17
SINCE_START_PCIE = Range(0.05, 0.3, 1.7)  # 1.7 on four RTX PRO 6000, 0.2 on two RTX 5090

# GiB taken on a card before vLLM looks: 0.23 to 0.61 in 14 logs of 11 cards (H100 0.51, A100 0.41, 4090 0.45), more with a desktop.
CUDA_CONTEXT = Range(0.2, 0.48, 0.9)


def non_torch(launch: Launch) -> Range:
    """Bytes: libraries' workspaces and communication buffers, the CUDA context not counted from 0.9 on.

    One GPU: 0.01 to 0.36 GiB on nine logs of V0, 0.02 to 0.13 on six of 0.10 to 0.17, 0.24 to 0.26 on twelve H100 of 0.19,
    0.06 to 0.16 on four Ampere and Ada cards of 0.26. From 0.27 on all that was taken since the start: wide.
    Tensor parallel: H100 2.07 to 2.21 (six, 0.19, with the all-reduce that torch.compile fuses on Hopper), H20 2.43 (0.26), H200 1.38
    (0.10), H100 0.55 on two (0.13) and about 1.05 on eight (0.15), H200 about 0.5 (0.24, eager), four L40S over PCIe 0.21 (0.10, 0.19), B200 0.95: wide. Before 0.6.4 two
    starts: 2.4 and 3.7. Pipeline stages alone: 0.07 (H100, 0.19, two to four stages).
    """
    together = launch.tp * launch.pp > 1 or (launch.dp > 1 and launch.shape.experts > 0)
    found = _together(launch) if together else _alone(launch)
    if counts_context(launch.version):
        found += CUDA_CONTEXT
    return found.scaled(GIB)


def counts_context(version: Version) -> bool:
    """Whether that version counts the CUDA context as its own."""
    return MEASURES_ALLOCATED <= version < COUNTS_BASELINE or V1_DEFAULT <= version < MEASURES_ITSELF


def _alone(launch: Launch) -> Range:
    if MEASURES_ALLOCATED <= launch.version < COUNTS_BASELINE:
        return Range(-0.1, -0.06, 0.0)
    if launch.version < V1_DEFAULT:
        return Range(0.0, 0.14, 0.42)
    if launch.version < MORE_WORKSPACES:
        return Range(0.0, 0.09, 0.25)
    if launch.version >= COUNTS_ALL:
        return SINCE_START
    return Range(0.05, 0.25, 0.35) if _data_centre(launch) else Range(0.03, 0.16, 0.35)


def _data_centre(launch: Launch) -> bool:
    """Hopper or newer; of unlisted cards, large ones."""
    capability = launch.gpu.compute_capability
    return capability >= HOPPER if capability else launch.gpu.total_gib.expected > LARGE_CARD


def _together(launch: Launch) -> Range:
    if launch.version < MEASURES_ALLOCATED:
        return Range(0.3, 2.4, 4.0)
    if launch.version < V1_DEFAULT:
        return Range(0.1, 0.3, 2.6)
    counted = launch.version >= COUNTS_ALL
    if launch.tp == 1 and launch.dp == 1 and not counted:
        return STAGES
    if launch.gpu.link is Link.PCIE:
        return SINCE_START_PCIE if counted else Range(0.05, 0.2, 0.9)
    if launch.version < MORE_WORKSPACES:
        return NVLINK_EARLY
    fused = launch.gpu.compute_capability == HOPPER and not launch.enforce_eager
    return Range(1.7, 2.1, 2.6) if fused else Range(0.4, 1.2, 2.2)
