"""GPUs: what the driver really reports, and the names that people type."""

from dataclasses import dataclass
from enum import StrEnum

from knowledge.units import Range


class Link(StrEnum):
    """What joins the cards of one host."""

    NVLINK = "nvlink"
    PCIE = "pcie"
    FABRIC = "fabric"  # AMD Infinity Fabric, Huawei HCCS, Gaudi RoCE


@dataclass(frozen=True, slots=True, kw_only=True)
class Gpu:
    """One card. `name` tells it from every other (A100-80GB), `family` is what people call it (A100).

    `total_gib` is the total that torch reports, which is what vLLM multiplies by --gpu-memory-utilization.
    `device_name` is the driver's, by which vLLM chooses defaults. Unlisted cards are computed from a stated memory alone.
    """

    name: str
    family: str
    vendor: str
    memory_gb: int
    total_gib: Range
    link: Link
    device_name: str = ""
    compute_capability: tuple[int, int] | None = None
    native_bf16: bool = True
    native_fp8: bool = False
    bandwidth_gbs: float | None = None
    listed: bool = True
