"""Whether something fits, and which use of memory decides."""

from enum import StrEnum


class Verdict(StrEnum):
    """Whether it starts (or N requests fit): uncertain only when low and high disagree."""

    FITS = "fits"
    DOES_NOT_FIT = "does-not-fit"
    UNCERTAIN = "uncertain"


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
