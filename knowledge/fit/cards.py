"""The cards that are suggested when none is named: those that people rent and buy, one of each size and kind."""

from functools import lru_cache

from knowledge import gpus
from knowledge.gpus import Gpu

COMMON = (
    "T4", "L4", "RTX 4090", "RTX 5090", "L40S", "A100-40GB", "A100-80GB", "H100-80GB", "RTX PRO 6000", "H20-96GB",
    "H200-141GB", "B200", "MI300X", "MI325X", "Ascend 910B",
)  # fmt: skip


@lru_cache(maxsize=1)
def common_cards() -> tuple[Gpu, ...]:
    """Smallest memory first."""
    listed = {gpu.name: gpu for gpu in gpus.all_gpus()}
    return tuple(sorted((listed[name] for name in COMMON), key=lambda gpu: gpu.memory_gb))
