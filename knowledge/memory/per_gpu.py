"""Where one GPU's memory goes."""

from dataclasses import dataclass

from knowledge.units import Range


@dataclass(frozen=True, slots=True, kw_only=True)
class PerGpu:
    """GiB on one GPU, ranges where they are not known exactly; `budget` = total × utilization."""

    total: Range
    budget: Range
    weights: Range
    activation: Range
    non_torch: Range
    cuda_graphs: Range
    kv_cache: Range
