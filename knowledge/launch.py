"""One `vllm serve` with everything decided: what the memory arithmetic starts from."""

from dataclasses import dataclass

from knowledge.gpus import Gpu
from knowledge.shapes.model import ModelShape
from knowledge.versions import Version


@dataclass(frozen=True, slots=True)
class Speculation:
    """Speculative decoding: `method` is vLLM's word (mtp, eagle, eagle3, ngram, draft_model), `tokens` a step."""

    method: str
    tokens: int
    draft: ModelShape | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """What vLLM is started with, defaults filled in as that version would. Tokens and counts; GiB per GPU where named.

    `dtype` is bfloat16, float16 or float32. `kv_cache_dtype` is vLLM's word, "auto" resolved against the checkpoint.
    `kv_cache_memory_gib` skips the budget, as --kv-cache-memory-bytes does. `block_size` None is the version's choice,
    `prefix_caching` None its default for the model (it doubles what a hybrid's states take).
    """

    shape: ModelShape
    gpu: Gpu
    version: Version
    max_model_len: int
    tp: int = 1
    pp: int = 1
    dp: int = 1
    nodes: int = 1
    expert_parallel: bool = False
    utilization: float = 0.92
    max_num_seqs: int = 256
    max_num_batched_tokens: int = 2048
    dtype: str = "bfloat16"
    kv_cache_dtype: str = "auto"
    block_size: int | None = None
    enforce_eager: bool = False
    speculation: Speculation | None = None
    max_lora_rank: int | None = None
    limit_mm_images: int | None = None
    kv_offloading_gib: float | None = None
    kv_cache_memory_gib: float | None = None
    prefix_caching: bool | None = None

    @property
    def gpus(self) -> int:
        """How many GPUs it takes."""
        return self.tp * self.pp * self.dp
