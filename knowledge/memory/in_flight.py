"""Tokens that are scheduled but not yet settled: a window keeps their pages as well as its own."""

from knowledge.launch import Launch
from knowledge.memory.runner import runs_v2
from knowledge.versions import Version

# Read in the sources of every minor release from 0.25 to 0.32 (vllm/config/vllm.py, vllm/v1/kv_cache_interface.py).
COUNTS_BATCHES = Version(0, 26)  # before, one batch, however many overlap
SYNCHRONOUS = frozenset({"ngram", "suffix", "medusa", "mlp_speculator"})  # speculation that cannot run a step ahead
DRAFT_MODELS_AHEAD = Version(0, 28)


def tokens_in_flight(launch: Launch) -> int:
    """The most tokens of one request that can be scheduled and unsettled at once."""
    return concurrent_batches(launch) * launch.max_num_batched_tokens


def concurrent_batches(launch: Launch) -> int:
    """Batches that overlap: one a pipeline stage, and one more where scheduling runs a step ahead (the default)."""
    if launch.version < COUNTS_BATCHES:
        return 1
    ahead = _schedules_ahead(launch) and (launch.pp == 1 or runs_v2(launch))
    return launch.pp + ahead


def _schedules_ahead(launch: Launch) -> bool:
    method = launch.speculation.method if launch.speculation else ""
    waits = method in SYNCHRONOUS or (method == "draft_model" and launch.version < DRAFT_MODELS_AHEAD)
    return not launch.shape.encoder_only and not waits
