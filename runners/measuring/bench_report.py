"""The JSON file that `vllm bench serve` writes: the only thing about it that is believed."""

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from runners.measuring.bench_command import METRICS, PERCENTILES
from runners.measuring.failure import Layer, failed


def _rate(value: object) -> object:
    return None if value in {"inf", math.inf} else value


class Latency(BaseModel):
    """One latency in milliseconds, over the requests that succeeded."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    mean: float
    p50: float
    p90: float
    p95: float
    p99: float


class Report(BaseModel):
    """What one call measured. Seconds, tokens, requests a second; lists have a place for each request, failed ones too.

    `start_times` are on the client's own clock. `queue_times` is how long a request waited in the client: for its turn under
    --max-concurrency, else for a client that is too slow.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    completed: int
    failed: int = 0
    num_prompts: int
    duration: float
    request_rate: Annotated[float | None, BeforeValidator(_rate)] = None
    max_concurrency: int | None = None
    total_input_tokens: int
    total_output_tokens: int
    request_throughput: float
    output_throughput: float
    total_token_throughput: float
    request_goodput: float | None = None
    ttfts: tuple[float, ...] = ()
    latencies: tuple[float, ...] = ()
    start_times: tuple[float, ...] = ()
    queue_times: tuple[float, ...] = ()
    output_lens: tuple[int, ...] = ()
    errors: tuple[str | None, ...] = ()
    figures: dict[str, Latency] = {}

    @classmethod
    def of(cls, values: dict[str, Any]) -> Self:
        """Checks the file's content, and gathers the latencies that are spread over its keys."""
        done = cls.model_validate(values)
        wanted = int(values["num_prompts"])
        figures = {name: latency for name in METRICS if (latency := _latency(values, name)) is not None}
        # up to 0.10 there is no `failed`: what did not complete, failed
        return done.model_copy(update={"figures": figures, "failed": max(done.failed, wanted - done.completed)})

    @property
    def error_rate(self) -> float:
        """Failed requests by all of them."""
        return self.failed / max(1, self.failed + self.completed)

    def rows(self) -> Iterator[tuple[float, float, float, int]]:
        """Start, TTFT and latency in seconds and tokens out of each request that succeeded, by start (0 is the first's)."""
        errors, lengths = self.errors or ("",) * len(self.ttfts), self.output_lens or (0,) * len(self.ttfts)
        every = zip(self.start_times, self.ttfts, self.latencies, lengths, errors, strict=False)
        kept = sorted((start, ttft, latency, length) for start, ttft, latency, length, error in every if not error)
        return ((start - kept[0][0], ttft, latency, length) for start, ttft, latency, length in kept)

    def good(self) -> Iterator[tuple[float, float, float]]:
        """The same without the tokens."""
        return ((start, ttft, latency) for start, ttft, latency, _ in self.rows())


def read(file: Path) -> Report:
    """The report in `file`. Raises RunFailed when there is none, or when it is not one."""
    try:
        return Report.of(json.loads(file.read_text()))
    except FileNotFoundError:
        raise failed(Layer.MEASUREMENT, "`vllm bench serve` wrote no result.") from None
    except (ValueError, ValidationError, KeyError):
        raise failed(Layer.MEASUREMENT, "`vllm bench serve` wrote a result that cannot be read.") from None


def _latency(values: dict[str, Any], name: str) -> Latency | None:
    keys = {"mean": f"mean_{name}_ms"} | {f"p{each}": f"p{each}_{name}_ms" for each in PERCENTILES}
    found = {key: values.get(source) for key, source in keys.items()}
    return None if any(value is None for value in found.values()) else Latency.model_validate(found)
