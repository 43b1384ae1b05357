"""A run's figures as rows, for whoever shows them: a terminal, a message, a file."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from runners.results.result import Repeat, Result
from runners.results.spread import Spread

LATENCIES = ("ttft", "tpot", "itl", "e2el")
PERCENTILES = ("p50", "p90", "p95", "p99")
THROUGHPUTS = ("request_throughput", "output_throughput", "total_token_throughput", "goodput", "error_rate")


@dataclass(frozen=True, slots=True)
class LatencyRow:
    """One latency in milliseconds: percentile by percentile, each over the repeats."""

    name: str
    mean: Spread
    percentiles: dict[str, Spread]


def latencies(result: Result) -> tuple[LatencyRow, ...]:
    """TTFT, TPOT, ITL and end to end, where every repeat has them."""
    spreads = result.spreads()
    return tuple(
        LatencyRow(name, spreads[f"{name}_mean_ms"], {each: spreads[f"{name}_{each}_ms"] for each in PERCENTILES})
        for name in LATENCIES
        if f"{name}_mean_ms" in spreads
    )


def throughputs(result: Result) -> dict[str, Spread]:
    """Requests and tokens a second, goodput where it was asked for, error rate."""
    spreads = result.spreads()
    return {name: spreads[name] for name in THROUGHPUTS if name in spreads}


def server_figures(result: Result) -> dict[str, float]:
    """What the server said: peaks are the highest of all repeats, rates and waits their mean, preemptions their sum. Unseen ones are left out."""
    found = {
        "kv_usage_peak": _of(result, lambda repeat: repeat.watched.kv_usage_peak, max),
        "waiting_peak": _of(result, lambda repeat: repeat.watched.waiting_peak, max),
        "running_peak": _of(result, lambda repeat: repeat.watched.running_peak, max),
        "queue_s": _of(result, lambda repeat: repeat.watched.queue_s, _mean),
        "prefix_hit_rate": _of(result, lambda repeat: repeat.watched.prefix_hit_rate, _mean),
        "preemptions": _of(result, lambda repeat: repeat.watched.preemptions, sum),
    }
    return {name: value for name, value in found.items() if value is not None}


def predicted_beside_observed(result: Result) -> dict[str, tuple[float, float]]:
    """GiB on a GPU and tokens of the cache, as the estimator said before the start and as the log said after it."""
    if result.predicted is None or result.start is None:
        return {}
    per_gpu, tokens = result.predicted.get("per_gpu_gib") or {}, result.predicted.get("kv_cache_tokens") or {}
    said = {
        "weights_gib": per_gpu.get("weights"),
        "kv_gib": per_gpu.get("kv_cache"),
        "graphs_gib": per_gpu.get("cuda_graphs"),
        "kv_tokens": tokens.get("expected"),
    }
    seen = result.start.observed
    return {
        name: (float(value), float(seen[name])) for name, value in said.items() if value is not None and name in seen
    }


def table(result: Result) -> Iterator[tuple[str, ...]]:
    """Every figure as cells: name, mean, low, high, then each repeat's; empty where a single repeat has no interval."""
    for name, spread in result.spreads().items():
        low, high = ("" if each is None else f"{each:.6g}" for each in (spread.low, spread.high))
        yield (name, f"{spread.mean:.6g}", low, high, *(f"{value:.6g}" for value in spread.values))


def _of(
    result: Result, figure: Callable[[Repeat], float | None], combine: Callable[[list[float]], float]
) -> float | None:
    known = [value for repeat in result.repeats if (value := figure(repeat)) is not None]
    return float(combine(known)) if known else None


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)
