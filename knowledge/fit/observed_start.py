"""What one start of vLLM observed, as its log tells."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Outcome(StrEnum):
    """How far the start came, as far as the log shows."""

    STARTED = "started"
    FAILED = "failed"
    UNKNOWN = "unknown"


@dataclass(slots=True, kw_only=True)
class ObservedStart:
    """What one start logged; None where its log does not say. GiB of one GPU: of several ranks the one with the least room.

    `activation_gib` is the transient peak; `graphs_estimated_gib` what the budget set aside for CUDA graphs, `graphs_gib` what
    capturing took. `total_gib` is what torch reports, `free_gib` what was free before vLLM took anything.
    """

    model: str | None = None
    version: str | None = None
    tp: int | None = None
    pp: int | None = None
    dp: int | None = None
    expert_parallel: bool | None = None
    gpu: str | None = None
    total_gib: float | None = None
    free_gib: float | None = None
    utilization: float | None = None
    weights_gib: float | None = None
    activation_gib: float | None = None
    non_torch_gib: float | None = None
    graphs_estimated_gib: float | None = None
    graphs_gib: float | None = None
    kv_gib: float | None = None
    kv_tokens: int | None = None
    kv_blocks: int | None = None
    block_size: int | None = None
    max_concurrency: float | None = None
    concurrency_tokens: int | None = None
    max_model_len: int | None = None
    max_num_seqs: int | None = None
    max_num_batched_tokens: int | None = None
    dtype: str | None = None
    quantization: str | None = None
    kv_cache_dtype: str | None = None
    enforce_eager: bool | None = None
    speculative: str | None = None
    max_lora_rank: int | None = None
    architecture: str | None = None
    load_seconds: float | None = None
    init_seconds: float | None = None
    compile_seconds: float | None = None
    port: int | None = None
    enable_prefix_caching: bool | None = None
    chunked_prefill: bool | None = None
    args: dict[str, Any] = field(default_factory=dict)
    ranks: set[int] = field(default_factory=set)
    outcome: Outcome = Outcome.UNKNOWN
    peak_has_graphs: bool = False

    @property
    def gpus(self) -> int | None:
        """GPUs of one replica: as its flags say, else as many as ranks wrote; where some did not, the next power of two."""
        if self.tp is not None:
            return self.tp * (self.pp or 1)
        if not self.ranks:
            return None
        highest = max(self.ranks)
        return highest + 1 if len(self.ranks) == highest + 1 else 1 << highest.bit_length()

    @property
    def transient_gib(self) -> float | None:
        """The activation peak alone: from 0.20 the logged one has the CUDA-graph estimate in it (gpu_worker.py:735)."""
        peak, graphs = self.activation_gib, self.graphs_estimated_gib
        if peak is None or graphs is None or not self.peak_has_graphs:
            return peak
        return max(0.0, round(peak - graphs, 3))

    @property
    def says_memory(self) -> bool:
        """Whether any memory term was logged."""
        return any(value is not None for value in (self.weights_gib, self.kv_gib, self.activation_gib, self.kv_tokens))
