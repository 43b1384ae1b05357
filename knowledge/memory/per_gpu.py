"""Where one GPU's memory goes, and which use of it decides."""

from dataclasses import dataclass
from enum import StrEnum

from knowledge.units import Range


class Limiting(StrEnum):
    """The term that decides."""

    WEIGHTS = "weights"
    KV_CACHE = "kv-cache"
    ACTIVATION = "activation"
    CUDA_GRAPHS = "cuda-graphs"
    FREE_MEMORY = "free-memory"
    STATE_BLOCKS = "state-blocks"
    PARALLELISM = "parallelism"
    MODEL_LIMIT = "model-limit"
    NONE = "none"


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
