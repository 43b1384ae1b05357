"""What a repeat is worth: errors, lag, overload, drift, too few requests, company."""

from typing import Any

import pytest

from runners.jobs.spec import Limits
from runners.jobs.workload import Workload
from runners.measuring.bench_report import Report
from runners.measuring.scrape import Sample, Watched
from runners.results.truth import Flag, Load, Truth, judge, too_many_errors


def report(count: int = 200, seconds: float = 40.0, **changed: Any) -> Report:
    """Requests at an even pace, each answered within 100 ms."""
    starts = tuple(place * seconds / count for place in range(count))
    values: dict[str, Any] = {
        "completed": count,
        "failed": 0,
        "num_prompts": count,
        "duration": seconds,
        "total_input_tokens": 1,
        "total_output_tokens": 1,
        "request_throughput": count / seconds,
        "output_throughput": 1.0,
        "total_token_throughput": 1.0,
        "ttfts": (0.05,) * count,
        "latencies": tuple(0.1 + place % 5 / 100 for place in range(count)),
        "start_times": starts,
        "queue_times": (0.001,) * count,
        "output_lens": (16,) * count,
        "errors": ("",) * count,
    }
    return Report(**(values | changed))


def looks(waiting: list[float]) -> list[Sample]:
    return [Sample(at=float(place), waiting=each) for place, each in enumerate(waiting)]


def judged(said: Report, *, load: dict[str, Any] | None = None, seen: Watched | None = None, **more: Any) -> Truth:
    workload = Workload(**({"request_rate": 5.0, "num_prompts": 200} | (load or {})))
    samples = more.get("samples", looks([0, 0, 0, 0]))
    return judge(said, workload, samples, seen or Watched(), more.get("client_cores"))


def test_a_steady_run_has_nothing_to_say() -> None:
    assert judged(report()) == Truth(load=Load.HEALTHY, flags=(), lag_p95_s=0.001, drift=0.0)


@pytest.mark.parametrize(
    ("changed", "more", "flag"),
    [
        ({"failed": 1}, {}, Flag.ERRORS),
        ({"queue_times": (0.3,) * 200}, {}, Flag.CLIENT_LATE),
        ({}, {"client_cores": 0.97}, Flag.CLIENT_BUSY),
        ({}, {"load": {"request_rate": 8.0}}, Flag.RATE_NOT_REACHED),
        ({"completed": 99}, {}, Flag.TOO_FEW_P99),
        ({"completed": 19}, {}, Flag.TOO_FEW_P95),
        ({"latencies": (0.1,) * 100 + (0.2, 0.21) * 50}, {}, Flag.DRIFT),
        ({}, {"seen": Watched(prefix_hit_rate=0.2)}, Flag.CACHE_HITS),
        ({}, {"seen": Watched(finished=240)}, Flag.FOREIGN_REQUESTS),
        ({}, {"seen": Watched(preemptions=3)}, Flag.PREEMPTIONS),
    ],
    ids=lambda value: str(value) if isinstance(value, Flag) else "",
)
def test_what_must_be_known_is_flagged(changed: dict[str, Any], more: dict[str, Any], flag: Flag) -> None:
    assert flag in judged(report(**changed), **more).flags


@pytest.mark.parametrize(
    ("changed", "more", "flag"),
    [
        ({"max_concurrency": 8, "queue_times": (3.0,) * 200}, {}, Flag.CLIENT_LATE),  # its turn is waited for
        ({}, {"load": {"request_rate": 8.0, "max_concurrency": 4}}, Flag.RATE_NOT_REACHED),
        ({}, {"seen": Watched(finished=201)}, Flag.FOREIGN_REQUESTS),
        ({}, {"seen": Watched(prefix_hit_rate=0.02)}, Flag.CACHE_HITS),
        ({}, {"seen": Watched(prefix_hit_rate=0.8), "load": {"prefix_len": 512}}, Flag.CACHE_HITS),
        ({"latencies": tuple(0.1 + place % 7 / 10 for place in range(200))}, {}, Flag.DRIFT),  # noise
    ],
    ids=lambda value: str(value) if isinstance(value, Flag) else "",
)
def test_what_is_as_it_should_be_is_not(changed: dict[str, Any], more: dict[str, Any], flag: Flag) -> None:
    assert flag not in judged(report(**changed), **more).flags


def growing(count: int = 200) -> Report:
    """Every request waits longer than the one before."""
    ttfts = tuple(0.05 + place / 20 for place in range(count))
    return report(count, ttfts=ttfts, latencies=tuple(ttft + 0.05 for ttft in ttfts))


def test_a_queue_that_grows_all_the_time_is_overload() -> None:
    truth = judged(growing(), samples=looks([0, 10, 20, 30, 40, 50]))
    assert truth.load is Load.OVERLOADED
    assert Flag.OVERLOADED in truth.flags


@pytest.mark.parametrize(
    ("said", "samples", "more", "load"),
    [
        (growing(), looks([0, 0, 0, 0]), {}, Load.HEALTHY),
        (report(seconds=20.0), looks([0, 10, 20, 30]), {}, Load.CANNOT_TELL),
        (report(50, 40.0), looks([0, 10, 20, 30]), {}, Load.CANNOT_TELL),
        (report(), [], {}, Load.CANNOT_TELL),
        (report(), looks([2, 2, 2]), {"seen": Watched(waiting_mean=2.0)}, Load.NEAR_CAPACITY),
        (report(), looks([0, 0, 0]), {"seen": Watched(kv_usage_peak=0.9)}, Load.NEAR_CAPACITY),
        (growing(), looks([0, 9, 20, 30]), {"load": {"max_concurrency": 64}}, Load.HEALTHY),
    ],
    ids=["no queue", "too short", "too few", "not seen", "a queue", "a full cache", "a limit on concurrency"],
)
def test_how_the_server_bore_it(said: Report, samples: list[Sample], more: dict[str, Any], load: Load) -> None:
    assert judged(said, samples=samples, **more).load is load


@pytest.mark.parametrize(
    ("changed", "allowed", "says"),
    [
        ({}, 0.0, None),
        ({"completed": 198, "failed": 2}, 0.01, None),
        ({"completed": 190, "failed": 10}, 0.01, "10 of 200 requests failed: ClientOSError: reset"),
        ({"completed": 0, "failed": 200}, 0.99, "200 of 200 requests failed: ClientOSError: reset"),
        ({"completed": 199, "failed": 1, "errors": ()}, 0.0, "1 of 200 requests failed"),
    ],
)
def test_failures_beyond_what_is_let_pass_fail_the_run(
    changed: dict[str, Any], allowed: float, says: str | None
) -> None:
    errors = ("", "Traceback (most recent call last):\n  File x\nClientOSError: reset\n")
    said = report(**({"errors": errors} | changed))
    assert too_many_errors(said, Limits(error_rate=allowed)) == says
