"""What the load is like: which prompts, how many, how fast, how often."""

import hashlib
import math
from enum import StrEnum
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

MOST_TOKENS = 1_000_000
MOST_PROMPTS = 200_000
LONGEST_S = 24 * 3600.0
PROMPTS_PER_SLOT = 10  # InferenceX: ten requests for each of the concurrent ones
LEAST_PROMPTS = 100  # p99 needs a hundred requests to have one beyond it


class Dataset(StrEnum):
    """Where the prompts come from, in the bench's own words but for the dash."""

    RANDOM = "random"
    SHAREGPT = "sharegpt"
    PREFIX_REPETITION = "prefix-repetition"


class Workload(BaseModel):
    """One load. Tokens, requests a second, seconds.

    `request_rate` None sends everything at once (or as `max_concurrency` lets it through), `max_concurrency` None has no limit.
    `num_prompts` and `duration_s` exclude each other; with neither it is ten for each slot of the concurrency, 100 at least.
    `seeds` () draws a fresh one for every repeat; `range_ratio` varies lengths by that share both ways.
    `prefix_len` is the shared part of prefix-repetition, `num_prefixes` how many there are. A file of the sharegpt kind is the
    host's (its settings name it). `temperature` 0 is greedy, so that repeats differ in timing alone.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    dataset: Dataset = Dataset.RANDOM
    input_len: int = Field(default=1024, ge=1, le=MOST_TOKENS)
    output_len: int = Field(default=128, ge=1, le=MOST_TOKENS)
    range_ratio: float = Field(default=0.0, ge=0, lt=1)
    prefix_len: int = Field(default=0, ge=0, le=MOST_TOKENS)
    num_prefixes: int = Field(default=10, ge=1, le=10_000)
    num_prompts: int | None = Field(default=None, ge=1, le=MOST_PROMPTS)
    duration_s: float | None = Field(default=None, gt=0, le=LONGEST_S)
    request_rate: float | None = Field(default=None, gt=0, le=100_000)
    burstiness: float = Field(default=1.0, gt=0, le=100)
    max_concurrency: int | None = Field(default=None, ge=1, le=10_000)
    warmups: int | None = Field(default=None, ge=0, le=10_000, description="None: as many as requests at once")
    repeats: int = Field(default=3, ge=1, le=50)
    seeds: tuple[int, ...] = ()
    temperature: float = Field(default=0.0, ge=0, le=2)

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.num_prompts is not None and self.duration_s is not None:
            raise ValueError("should have `num_prompts` or `duration_s`, not both")
        if self.duration_s is not None and self.request_rate is None and self.max_concurrency is None:
            raise ValueError(
                "should have `request_rate` or `max_concurrency` beside `duration_s`: all at once has no duration"
            )
        if self.seeds and len(self.seeds) != self.repeats:
            raise ValueError("should have one of `seeds` for each of `repeats`, or none")
        if len(set(self.seeds)) != len(self.seeds):
            raise ValueError("should have different `seeds`: equal ones measure the prefix cache")
        if self.duration_s is not None and self.prompts_expected > MOST_PROMPTS:
            raise ValueError(f"should send at most {MOST_PROMPTS:,} requests: lower `duration_s` or `request_rate`")
        return self

    @property
    def prompts_expected(self) -> int:
        """How many requests a repeat sends; of a duration without a rate, what one a second would be (it is found while warming)."""
        if self.num_prompts is not None:
            return self.num_prompts
        if self.duration_s is not None:
            return max(1, math.ceil(self.duration_s * (self.request_rate or 1.0)))
        return max(LEAST_PROMPTS, PROMPTS_PER_SLOT * (self.max_concurrency or 1))

    @property
    def finds_its_length(self) -> bool:
        """Whether how many requests fill the duration is only known once the server is asked."""
        return self.duration_s is not None and self.request_rate is None

    @property
    def warmup_requests(self) -> int:
        """Requests before a repeat is measured: as many as will run at once, where that is known, else a few."""
        if self.warmups is not None:
            return self.warmups
        return self.max_concurrency or min(32, self.prompts_expected)

    def seed(self, repeat: int, salt: str) -> int:
        """The seed of the n-th repeat, from 1: the one asked for, else one drawn from `salt`; never the same twice in a run."""
        if self.seeds:
            return self.seeds[repeat - 1]
        drawn = hashlib.sha256(f"{salt}/{repeat}".encode()).digest()
        return int.from_bytes(drawn[:4], "big") >> 1
