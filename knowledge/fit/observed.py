"""What starts on our own hosts observed, kept in a file: the best constants there are for the next estimate on the same host."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from knowledge.fit.request import FitRequest

if TYPE_CHECKING:
    from knowledge.fit.observed_start import ObservedStart

FILE_NAME = "observed.jsonl"
NEEDED = ("model", "version", "utilization", "kv_gib", "total_gib")


class Observed(BaseModel):
    """One start of `model` (an id that the catalogue knows) on `host`. GiB of one GPU; None where its log did not say.

    `stored_as` is the contract's label of the weights' format (bf16 for 16 bits), None where it is not known.
    `graphs_gib` is what the budget set aside for CUDA graphs (0 before 0.20). `at` is when it was kept.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    host: str = Field(min_length=1, max_length=200)
    model: str = Field(min_length=1, max_length=500)
    version: str = Field(min_length=3, max_length=40)
    at: datetime
    gpu: str | None = None
    tp: int = Field(default=1, ge=1)
    pp: int = Field(default=1, ge=1)
    dp: int = Field(default=1, ge=1)
    total_gib: float = Field(gt=0)
    utilization: float = Field(gt=0, le=1)
    kv_gib: float
    weights_gib: float | None = None
    activation_gib: float | None = None
    non_torch_gib: float | None = None
    graphs_gib: float | None = None
    kv_tokens: int | None = None
    max_model_len: int | None = None
    max_num_seqs: int | None = None
    max_num_batched_tokens: int | None = None
    dtype: str | None = None
    quantization: str | None = None
    stored_as: str | None = None
    kv_cache_dtype: str | None = None
    enforce_eager: bool = False
    expert_parallel: bool = False
    speculative: str | None = None

    @property
    def key(self) -> tuple[str, str, str, int, int, int]:
        """What a later start replaces an earlier one for."""
        return (self.host, self.model, minor(self.version), self.tp, self.pp, self.dp)


@dataclass(frozen=True, slots=True)
class Missing:
    """Why a start cannot be kept: what its log does not tell, by the names of `Observed`."""

    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ObservedFile:
    """The file, one JSON object a line. Lines that cannot be read are passed over: they cost an estimate nothing but precision."""

    path: Path

    def all(self) -> tuple[Observed, ...]:
        """The latest start for each host, model, version and layout."""
        latest = {each.key: each for each in self._lines()}
        return tuple(latest.values())

    def on(self, host: str) -> tuple[Observed, ...]:
        """Those of one host."""
        return tuple(each for each in self.all() if each.host == host)

    def add(self, observed: Observed) -> None:
        """Keeps a start. The line is written as a whole, so that two writers never mix theirs."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        line = observed.model_dump_json(exclude_none=True).encode() + b"\n"
        handle = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(handle, line)
        finally:
            os.close(handle)

    def _lines(self) -> Iterator[Observed]:
        try:
            text = self.path.read_text(encoding="utf-8", errors="replace")
        except FileNotFoundError:
            return
        for line in text.splitlines():
            try:
                yield Observed.model_validate_json(line)
            except ValidationError:
                continue


def minor(version: str) -> str:
    """`0.32.1` as `0.32`: constants are the same for all patch releases of a minor."""
    return ".".join(version.lstrip("v").split(".")[:2])


def of_start(start: "ObservedStart", host: str, model: str | None, at: datetime) -> Observed | Missing:
    """A start as it is kept; `model` is the catalogue's id for what the log names."""
    known: dict[str, Any] = {name: getattr(start, name, None) for name in Observed.model_fields}
    known |= {"host": host, "model": model, "at": at, "graphs_gib": start.graphs_estimated_gib}
    missing = tuple(name for name in NEEDED if known[name] is None)
    if missing:
        return Missing(missing)
    known |= {"tp": start.tp or start.gpus or 1, "pp": start.pp or 1, "dp": start.dp or 1}
    known |= {"enforce_eager": bool(start.enforce_eager), "expert_parallel": bool(start.expert_parallel)}
    known |= {"activation_gib": start.transient_gib}
    try:
        return Observed.model_validate(known)
    except ValidationError as fault:
        return Missing(tuple(str(error["loc"][0]) for error in fault.errors()))


def remember(observed: Observed, file: ObservedFile) -> None:
    """Keeps what a start observed: from now on estimates for that host, model and version use it."""
    file.add(observed)


def request_of(observed: Observed) -> FitRequest:
    """The question to the estimator whose answer the start gave."""
    return FitRequest(
        model=observed.model,
        gpu=observed.gpu,
        count=observed.tp * observed.pp * observed.dp,
        tp=observed.tp,
        pp=observed.pp,
        dp=observed.dp,
        context=observed.max_model_len,
        gpu_memory_utilization=observed.utilization,
        gpu_memory_gib=observed.total_gib,
        max_num_seqs=observed.max_num_seqs,
        max_num_batched_tokens=observed.max_num_batched_tokens,
        dtype=observed.dtype,
        quantization=observed.quantization,
        kv_cache_dtype=observed.kv_cache_dtype,
        enforce_eager=observed.enforce_eager,
        enable_expert_parallel=observed.expert_parallel,
        vllm_version=observed.version,
    )
