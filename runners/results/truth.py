"""Whether a repeat means what it says: failed requests, a slow client, overload, drift, too few requests."""

from collections.abc import Sequence
from enum import StrEnum
from math import sqrt
from statistics import fmean, median, stdev

from pydantic import BaseModel, ConfigDict

from runners.jobs.spec import Limits
from runners.jobs.workload import Workload
from runners.measuring.bench_report import Report
from runners.measuring.scrape import Sample, Watched

LAG_S = 0.2  # GuideLLM warns when the dispatch lag's p95 is beyond it
BUSY_CLIENT = 0.9  # cores: the client has one event loop
RATE_SHORT = 0.05  # how far the sent rate may fall below the asked one
DRIFT = 0.05  # between the halves of a run
SURE = 3  # standard errors: a run is judged several times
STEADY_S, STEADY_ARRIVALS = 30.0, 100  # below, a run cannot tell whether it is steady
BACKLOG = 0.05  # of the arrivals still waiting at the end: not keeping up
NEAR = 0.85  # of the running requests' limit, or of the KV cache: near capacity
HITS = 0.02  # of the prompts' tokens: random ones share a first token now and then
LEAST_FOR = {"p99": 100, "p95": 20}  # a percentile needs one request beyond it


class Load(StrEnum):
    """How the server bore the load."""

    HEALTHY = "healthy"
    NEAR_CAPACITY = "near-capacity"
    OVERLOADED = "overloaded"
    CANNOT_TELL = "cannot-tell"


class Flag(StrEnum):
    """What a reader of the figures must know."""

    ERRORS = "errors"  # some requests failed, within what was let pass
    CLIENT_LATE = "client-late"  # requests left later than they should have
    CLIENT_BUSY = "client-busy"  # the client's one core was the bottleneck
    RATE_NOT_REACHED = "rate-not-reached"
    DRIFT = "drift"
    TOO_FEW_P99 = "too-few-for-p99"
    TOO_FEW_P95 = "too-few-for-p95"
    OVERLOADED = "overloaded"
    CACHE_HITS = "cache-hits"  # prompts that should be new were found in the prefix cache
    FOREIGN_REQUESTS = "foreign-requests"  # somebody else used the server meanwhile
    CACHE_NOT_RESET = "cache-not-reset"
    PREEMPTIONS = "preemptions"
    NOISY = "noisy"


class Truth(BaseModel):
    """The judgement of one repeat. Seconds; `drift` is the change of the mean latency from its first half to its second."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    load: Load
    flags: tuple[Flag, ...]
    lag_p95_s: float | None = None
    drift: float | None = None


def too_many_errors(report: Report, limits: Limits) -> str | None:
    """Why the repeat does not count, None when few enough requests failed."""
    if report.error_rate <= limits.error_rate and report.completed:
        return None
    first = next((text for text in report.errors if text), "") or ""
    line = next((each.strip() for each in reversed(first.splitlines()) if each.strip()), "")
    says = f": {line[:200]}" if line else ""
    return f"{report.failed} of {report.failed + report.completed} requests failed{says}"


def judge(
    report: Report, workload: Workload, samples: Sequence[Sample], seen: Watched, client_cores: float | None
) -> Truth:
    """What one repeat's figures are worth. `samples` are the looks at the server meanwhile."""
    lag, drift, load = _lag(report), _drift(report), _load(report, workload, samples, seen)
    checks = {
        Flag.ERRORS: report.failed > 0,
        Flag.CLIENT_LATE: lag is not None and lag > LAG_S,
        Flag.CLIENT_BUSY: client_cores is not None and client_cores > BUSY_CLIENT,
        Flag.RATE_NOT_REACHED: _short_of_rate(report, workload),
        Flag.DRIFT: drift is not None and abs(drift) > DRIFT,
        Flag.TOO_FEW_P99: report.completed < LEAST_FOR["p99"],
        Flag.TOO_FEW_P95: report.completed < LEAST_FOR["p95"],
        Flag.OVERLOADED: load is Load.OVERLOADED,
        Flag.CACHE_HITS: _hits_unexpected(report, workload, seen),
        Flag.FOREIGN_REQUESTS: _foreign(report, seen),
        Flag.PREEMPTIONS: bool(seen.preemptions),
    }
    return Truth(load=load, flags=tuple(flag for flag, is_so in checks.items() if is_so), lag_p95_s=lag, drift=drift)


def _lag(report: Report) -> float | None:
    """p95 of how late the client sent; None under a concurrency limit, where waiting for a turn is meant."""
    if report.max_concurrency is not None or not report.queue_times:
        return None
    times = sorted(report.queue_times)
    return times[min(len(times) - 1, int(len(times) * 0.95))]


def _short_of_rate(report: Report, workload: Workload) -> bool:
    """Whether requests left more slowly than asked: over many, the gaps of a Poisson process even out."""
    starts = sorted(report.start_times)
    if workload.request_rate is None or workload.max_concurrency is not None or len(starts) < STEADY_ARRIVALS:
        return False
    span = starts[-1] - starts[0]
    allowed = RATE_SHORT + 2 / sqrt(len(starts))  # what chance does to so many gaps
    return span > 0 and (len(starts) - 1) / span < workload.request_rate * (1 - allowed)


def _drift(report: Report) -> float | None:
    """The relative change of the mean latency between the halves, 0 where it lies within their noise; None of a few requests."""
    latencies = [latency for _, _, latency in report.good()]
    half = len(latencies) // 2
    if half < LEAST_FOR["p95"]:
        return None
    first, second = latencies[:half], latencies[half:]
    error = sqrt(stdev(first) ** 2 / len(first) + stdev(second) ** 2 / len(second))
    change = fmean(second) - fmean(first)
    return change / fmean(first) if abs(change) > SURE * error else 0.0


def _load(report: Report, workload: Workload, samples: Sequence[Sample], seen: Watched) -> Load:
    waiting = [(sample.at, sample.waiting) for sample in samples if sample.waiting is not None]
    good = list(report.good())
    if report.duration < STEADY_S or len(good) < STEADY_ARRIVALS or len(waiting) < 3:
        return Load.CANNOT_TELL
    arrivals = report.completed + report.failed
    grows = _second_half(waiting) - _first_half(waiting) > BACKLOG * arrivals / 2
    slower = _second_half([(at, ttft) for at, ttft, _ in good]) > 1.5 * _first_half(
        [(at, ttft) for at, ttft, _ in good]
    )
    if workload.max_concurrency is None and grows and slower:
        return Load.OVERLOADED
    full = (seen.kv_usage_peak or 0.0) > NEAR or (seen.waiting_mean or 0.0) >= 1.0
    return Load.NEAR_CAPACITY if full else Load.HEALTHY


def _first_half(series: Sequence[tuple[float, float]]) -> float:
    return median(value for _, value in series[: max(1, len(series) // 2)])


def _second_half(series: Sequence[tuple[float, float]]) -> float:
    return median(value for _, value in series[len(series) // 2 :])


def _hits_unexpected(report: Report, workload: Workload, seen: Watched) -> bool:
    """Random prompts share nothing, so that a hit means that the server has seen them before; the first one it has: as the warm-up."""
    fresh = workload.dataset == "random" and workload.prefix_len == 0
    return fresh and (seen.prefix_hit_rate or 0.0) > HITS + 1 / max(1, report.completed)


def _foreign(report: Report, seen: Watched) -> bool:
    """Whether the server ended more requests than the bench sent."""
    return seen.finished is not None and seen.finished > report.completed + report.failed + 1
