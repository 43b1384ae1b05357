"""What a fit question says: the options of `tuning-bot fit`, one to one."""

from pydantic import BaseModel, ConfigDict, Field


class FitRequest(BaseModel):
    """One question for the estimator; None means not said. Values are vLLM's own words.

    `gpu_memory_gib` is a card's total as the driver reports it. `kv_cache_memory_gib` skips the budget and sizes the cache.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str | int | None = None
    model: str
    gpu: str | None = None
    count: int | None = Field(default=None, ge=1)
    tp: int | None = Field(default=None, ge=1)
    pp: int | None = Field(default=None, ge=1)
    dp: int | None = Field(default=None, ge=1)
    nodes: int | None = Field(default=None, ge=1)
    enable_expert_parallel: bool = False
    context: int | None = Field(default=None, ge=1)
    concurrency: int | None = Field(default=None, ge=1)
    gpu_memory_utilization: float | None = Field(default=None, gt=0, le=1)
    gpu_memory_gib: float | None = Field(default=None, gt=0)
    max_num_seqs: int | None = Field(default=None, ge=1)
    max_num_batched_tokens: int | None = Field(default=None, ge=1)
    dtype: str | None = None
    quantization: str | None = None
    kv_cache_dtype: str | None = None
    block_size: int | None = Field(default=None, ge=1)
    enforce_eager: bool = False
    speculative: str | None = None
    max_lora_rank: int | None = Field(default=None, ge=1)
    limit_mm_images: int | None = Field(default=None, ge=0)
    kv_offloading_size: float | None = Field(default=None, ge=0)
    vllm_version: str | None = None
    kv_cache_memory_gib: float | None = Field(default=None, gt=0)
