"""What one job measured: its repeats, their figures together, what was predicted and observed, and what went wrong."""

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from runners.measuring.bench_report import Latency
from runners.measuring.failure import Failure
from runners.measuring.scrape import Watched
from runners.results.fingerprint import Fingerprint
from runners.results.spread import Spread, spread
from runners.results.truth import Flag, Truth

VERSION = 1  # of this shape


class Kept(BaseModel):
    """Crosses files and the network: frozen, and later shapes may add to it."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Slice(Kept):
    """A short part of a repeat, for a chart: its begin in seconds, requests that began in it, their mean TTFT in ms, tokens a second."""

    at: float
    started: int
    ttft_ms: float | None
    tokens: float


class Repeat(Kept):
    """One measured repeat, as the bench's own JSON says it. Milliseconds, seconds, requests and tokens a second."""

    number: int
    seed: int
    completed: int
    failed: int
    duration: float
    request_throughput: float
    output_throughput: float
    total_token_throughput: float
    goodput: float | None
    input_tokens: int
    output_tokens: int
    latencies: dict[str, Latency]
    watched: Watched
    truth: Truth
    course: tuple[Slice, ...] = ()
    cache_reset: bool | None = None
    client_cores: float | None = None

    @property
    def error_rate(self) -> float:
        """Failed requests by all of them."""
        return self.failed / max(1, self.failed + self.completed)

    def figures(self) -> Iterator[tuple[str, float]]:
        """Every figure by its name: `ttft_p95_ms`, `request_throughput`, …"""
        for name, latency in self.latencies.items():
            for part, value in latency:
                yield f"{name}_{part}_ms", value
        yield "request_throughput", self.request_throughput
        yield "output_throughput", self.output_throughput
        yield "total_token_throughput", self.total_token_throughput
        if self.goodput is not None:
            yield "goodput", self.goodput
        yield "error_rate", self.error_rate


class Start(Kept):
    """The server's start: seconds until it was healthy, and the terms that its log states (by the estimator's names).

    `learnt` is what the estimator keeps of it (knowledge/fit/observed.py), None where that is nothing.
    """

    seconds: float
    observed: dict[str, Any] = Field(default_factory=dict)
    learnt: dict[str, Any] | None = None


class Result(Kept):
    """What an attempt came to. `failure` None: it is whole; `repeats` are those that were measured, whatever came after.

    `predicted` is the estimate object of the fit before the start (None: no GPUs, or nothing known); `commands` are the exact words of
    the server and of each repeat; `gpu_seconds` counts from the start of the run; `notes` are sentences about company and cache.
    """

    version: int = VERSION
    spec_hash: str
    attempt: str
    repeats: tuple[Repeat, ...] = ()
    start: Start | None = None
    predicted: dict[str, Any] | None = None
    fingerprint: Fingerprint | None = None
    serve_command: tuple[str, ...] = ()
    bench_commands: tuple[tuple[str, ...], ...] = ()
    failure: Failure | None = None
    cancelled: str | None = None
    gpu_seconds: float = 0.0
    wall_seconds: float = 0.0
    notes: tuple[str, ...] = ()
    log_tail: tuple[str, ...] = ()

    def spreads(self) -> dict[str, Spread]:
        """Every figure over the repeats; one that a repeat lacks is left out."""
        by_name: dict[str, list[float]] = {}
        for repeat in self.repeats:
            for name, value in repeat.figures():
                by_name.setdefault(name, []).append(value)
        return {name: spread(values) for name, values in by_name.items() if len(values) == len(self.repeats)}

    @property
    def flags(self) -> tuple[Flag, ...]:
        """What must be said with the figures, of all repeats."""
        found = dict.fromkeys(flag for repeat in self.repeats for flag in repeat.truth.flags)
        if any(repeat.cache_reset is False for repeat in self.repeats):
            found[Flag.CACHE_NOT_RESET] = None
        leading = self.spreads().get("output_throughput")
        if leading is not None and leading.noisy:
            found[Flag.NOISY] = None
        return tuple(found)
