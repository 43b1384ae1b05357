"""Results written by hand."""

from collections.abc import Callable
from typing import Any

import pytest

from runners.measuring.bench_report import Latency
from runners.measuring.scrape import Watched
from runners.results.fingerprint import Fingerprint
from runners.results.result import Repeat, Result
from runners.results.truth import Load, Truth

Make = Callable[..., Any]


@pytest.fixture
def make_repeat() -> Make:
    """A repeat whose latencies are all multiples of one number of milliseconds."""

    def make(number: int = 1, ms: float = 100.0, throughput: float = 10.0, **changed: Any) -> Repeat:
        latency = Latency(mean=ms, p50=ms, p90=ms * 1.5, p95=ms * 2, p99=ms * 3)
        values: dict[str, Any] = {
            "number": number,
            "seed": number,
            "completed": 200,
            "failed": 0,
            "duration": 20.0,
            "request_throughput": throughput,
            "output_throughput": throughput * 16,
            "total_token_throughput": throughput * 80,
            "goodput": None,
            "input_tokens": 12_800,
            "output_tokens": 3200,
            "latencies": {"ttft": latency, "tpot": latency, "itl": latency, "e2el": latency},
            "watched": Watched(looks=20, kv_usage_peak=0.5, waiting_peak=2, preemptions=1, queue_s=0.01),
            "truth": Truth(load=Load.HEALTHY, flags=()),
        }
        return Repeat(**(values | changed))

    return make


@pytest.fixture
def make_result(make_repeat: Make) -> Make:
    """A result of one repeat for each number of milliseconds."""

    def make(*ms: float, serve: dict[str, Any] | None = None, **changed: Any) -> Result:
        print_of = Fingerprint(
            model="org/model", host="h100", vllm="0.32.0", gpu="H100", gpu_count=1, serve=serve or {}
        )
        values: dict[str, Any] = {
            "spec_hash": "f" * 64,
            "attempt": "bench-1-1",
            "repeats": tuple(make_repeat(place, each, 1000 / each) for place, each in enumerate(ms, 1)),
            "fingerprint": print_of,
        }
        return Result(**(values | changed))

    return make
