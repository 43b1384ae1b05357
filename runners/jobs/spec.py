"""What a benchmark will do, fixed: its hash names the job in the approval, the run and the result."""

import hashlib
import json
import re
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from runners.jobs.bounds import MOST_GPU_MINUTES
from runners.jobs.serve_flags import Value
from runners.jobs.workload import Workload

SHOWN = 12  # characters of a hash that people see
_MODEL = re.compile(r"\w[\w.-]*(?:/\w[\w.-]*)?|(?:/|\./)[\w./-]+")  # never an option


class Frozen(BaseModel):
    """From outside: frozen, unknown keys refused, no infinities."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Slo(Frozen):
    """What every request must keep to count as good, in milliseconds; None: not asked for."""

    ttft_ms: float | None = Field(default=None, gt=0)
    tpot_ms: float | None = Field(default=None, gt=0)
    e2el_ms: float | None = Field(default=None, gt=0)

    @property
    def words(self) -> tuple[str, ...]:
        """As `--goodput` takes them."""
        told = {"ttft": self.ttft_ms, "tpot": self.tpot_ms, "e2el": self.e2el_ms}
        return tuple(f"{name}:{limit:g}" for name, limit in told.items() if limit is not None)


class Limits(Frozen):
    """Where a run is stopped. GPU minutes count from the start of the run; a host without GPUs counts as one."""

    gpu_minutes: float = Field(default=60.0, gt=0, le=MOST_GPU_MINUTES)
    error_rate: float = Field(default=0.0, ge=0, lt=1, description="the share of failed requests that is let pass")


class BenchSpec(Frozen):
    """One benchmark. `model` is a Hugging Face id, or a folder of the host; `revision` None is the newest.

    `gpus` are the host's indices, () for a host without. `serve` are options of `vllm serve` by full name, already typed
    (serve_flags.typed). `url` measures a server that runs already: then nothing is started, and `served_model` is the name it
    answers to (None: it is asked).
    """

    model: str = Field(min_length=1, max_length=300)
    revision: str | None = Field(default=None, max_length=200, pattern=r"^\w[\w./-]*$")
    host: str = Field(min_length=1, max_length=100)
    gpus: tuple[int, ...] = ()
    serve: dict[str, Value] = Field(default_factory=dict)
    workload: Workload = Workload()
    slo: Slo = Slo()
    limits: Limits = Limits()
    url: str | None = Field(default=None, max_length=500, pattern=r"^https?://[^\s?#]+$")
    served_model: str | None = Field(default=None, max_length=300)

    @field_validator("model")
    @classmethod
    def _a_model(cls, value: str) -> str:
        if not _MODEL.fullmatch(value) or ".." in value:
            raise ValueError("should be a Hugging Face id such as Qwen/Qwen2.5-7B-Instruct, or a folder")
        return value

    @field_validator("gpus")
    @classmethod
    def _distinct(cls, value: tuple[int, ...]) -> tuple[int, ...]:
        if len(set(value)) != len(value) or any(index < 0 for index in value):
            raise ValueError("should be different GPU indices, from 0")
        return tuple(sorted(value))

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if self.url is not None and (self.serve or self.gpus):
            raise ValueError("should have `url`, or what to start: the options of a running server cannot be set")
        return self

    @property
    def hash(self) -> str:
        """SHA-256 of everything in it, written in one way; the same request has the same hash on every machine."""
        canonical = json.dumps(self.model_dump(mode="json"), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()

    @property
    def short_hash(self) -> str:
        """The part of the hash that people compare."""
        return self.hash[:SHOWN]

    @property
    def wall_limit_s(self) -> float:
        """Seconds from the start of the run until it is stopped."""
        return self.limits.gpu_minutes * 60 / max(1, len(self.gpus))
