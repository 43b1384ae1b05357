"""What a fit question says: the options of `tuning-bot fit`, one to one."""

import re
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

MOST_TOKENS = 100_000_000  # ten times the longest context that any model here was trained for
MOST_GPUS = 4096
MOST_REQUESTS = 1_000_000
MOST_GIB = 100_000.0
MOST_RANK = 512  # vllm/config/lora.py MaxLoRARanks, 0.32.0


def _thousands(value: object) -> object:
    """`16k` as the 16,384 tokens that people mean by it; anything else as it is."""
    found = re.fullmatch(r"\s*(\d{1,6}(?:\.\d{1,3})?)\s*[kK]\s*", value) if isinstance(value, str) else None
    return round(float(found[1]) * 1024) if found else value


Tokens = Annotated[int, BeforeValidator(_thousands)]


class FitRequest(BaseModel):
    """One question for the estimator; None means not said. Values are vLLM's own words.

    `gpu_memory_gib` is a card's total as the driver reports it. `kv_cache_memory_gib` skips the budget and sizes the cache.
    `host` is the machine whose earlier starts, where some were kept, correct the estimate.
    Bounds keep out what no deployment has (a slip of the keyboard), not what is merely large.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    id: str | int | None = None
    model: str = Field(min_length=1, max_length=500)
    gpu: str | None = Field(default=None, min_length=1, max_length=200)
    count: int | None = Field(default=None, ge=1, le=MOST_GPUS)
    tp: int | None = Field(default=None, ge=1, le=MOST_GPUS)
    pp: int | None = Field(default=None, ge=1, le=MOST_GPUS)
    dp: int | None = Field(default=None, ge=1, le=MOST_GPUS)
    nodes: int | None = Field(default=None, ge=1, le=MOST_GPUS)
    enable_expert_parallel: bool = False
    context: Tokens | None = Field(default=None, ge=1, le=MOST_TOKENS)
    concurrency: int | None = Field(default=None, ge=1, le=MOST_REQUESTS)
    gpu_memory_utilization: float | None = Field(default=None, gt=0, le=1)
    gpu_memory_gib: float | None = Field(default=None, gt=0, le=MOST_GIB)
    max_num_seqs: int | None = Field(default=None, ge=1, le=MOST_REQUESTS)
    max_num_batched_tokens: Tokens | None = Field(default=None, ge=1, le=MOST_TOKENS)
    dtype: str | None = Field(default=None, max_length=200)
    quantization: str | None = Field(default=None, max_length=200)
    kv_cache_dtype: str | None = Field(default=None, max_length=200)
    block_size: int | None = Field(default=None, ge=1, le=65_536)
    enforce_eager: bool = False
    speculative: str | None = Field(default=None, max_length=4000)
    max_lora_rank: int | None = Field(default=None, ge=1, le=MOST_RANK)
    limit_mm_images: int | None = Field(default=None, ge=0, le=10_000)
    kv_offloading_size: float | None = Field(default=None, ge=0, le=MOST_GIB)
    vllm_version: str | None = Field(default=None, max_length=200)
    kv_cache_memory_gib: float | None = Field(default=None, gt=0, le=MOST_GIB)
    host: str | None = Field(default=None, min_length=1, max_length=200)
