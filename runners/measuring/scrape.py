"""What a server says about itself on /metrics: one look, and what several looks add up to."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from knowledge.releases.metric_names import SIGNALS

_SUMMED = {
    "requests-running": "running",
    "requests-waiting": "waiting",
    "preemptions": "preemptions",
    "prefix-cache-hits": "prefix_hits",
    "prefix-cache-queries": "prefix_queries",
    "requests-finished": "finished",
    "prompt-tokens": "prompt_tokens",
    "generation-tokens": "generation_tokens",
}
_KV = SIGNALS["kv-cache-usage"]
_QUEUE = SIGNALS["queue-time"][0]
_WANTED = tuple({name for signal in _SUMMED for name in SIGNALS[signal]} | {*_KV, f"{_QUEUE}_sum", f"{_QUEUE}_count"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One look. `at` is in seconds since 1970; gauges are now, counters since the server's start; None: not on the page.

    Several engines are added up; `kv_usage` (0 to 1) is the fullest one's.
    """

    at: float
    running: float | None = None
    waiting: float | None = None
    kv_usage: float | None = None
    preemptions: float | None = None
    prefix_hits: float | None = None
    prefix_queries: float | None = None
    finished: float | None = None
    prompt_tokens: float | None = None
    generation_tokens: float | None = None
    queue_seconds: float | None = None
    queue_count: float | None = None


class Watched(BaseModel):
    """What the looks during one repeat add up to. Means and peaks of gauges, differences of counters; None: could not be seen.

    `prefix_hit_rate` is hit tokens by asked tokens (0 to 1); `queue_s` the mean wait of a request in the server; `finished` counts
    every request that the server ended meanwhile, whoever sent it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    looks: int = 0
    running_mean: float | None = None
    running_peak: float | None = None
    waiting_mean: float | None = None
    waiting_peak: float | None = None
    kv_usage_mean: float | None = None
    kv_usage_peak: float | None = None
    preemptions: float | None = None
    prefix_hit_rate: float | None = None
    queue_s: float | None = None
    finished: float | None = None


def read(page: str, at: float) -> Sample:
    """The page of any release: a signal has the newest of its names that stands there. A page that is none gives nothing."""
    values = _values(page)
    summed = {field: _sum(values, SIGNALS[signal]) for signal, field in _SUMMED.items()}
    usage = next((values[name] for name in _KV if name in values), None)
    return Sample(
        at=at,
        kv_usage=max(usage) if usage else None,
        queue_seconds=_sum(values, (f"{_QUEUE}_sum",)),
        queue_count=_sum(values, (f"{_QUEUE}_count",)),
        **summed,
    )


def watched(samples: Sequence[Sample]) -> Watched:
    """The looks of one repeat, the first before it and the last after it."""
    if not samples:
        return Watched()
    first, last, during = samples[0], samples[-1], samples[1:-1] or samples
    hits, queries = _gained(first.prefix_hits, last.prefix_hits), _gained(first.prefix_queries, last.prefix_queries)
    waited, counted = _gained(first.queue_seconds, last.queue_seconds), _gained(first.queue_count, last.queue_count)
    running, waiting = [each.running for each in during], [each.waiting for each in during]
    usage = [each.kv_usage for each in during]
    return Watched(
        looks=len(samples),
        running_mean=_mean(running),
        running_peak=_peak(running),
        waiting_mean=_mean(waiting),
        waiting_peak=_peak(waiting),
        kv_usage_mean=_mean(usage),
        kv_usage_peak=_peak(usage),
        preemptions=_gained(first.preemptions, last.preemptions),
        prefix_hit_rate=_ratio(hits, queries),
        queue_s=_ratio(waited, counted),
        finished=_gained(first.finished, last.finished),
    )


def _values(page: str) -> dict[str, list[float]]:
    from prometheus_client.parser import text_string_to_metric_families

    found: dict[str, list[float]] = defaultdict(list)
    try:
        for family in text_string_to_metric_families("\n".join(_wanted(page)) + "\n"):
            for sample in family.samples:
                found[sample.name].append(sample.value)
    except ValueError:  # not a metrics page: a proxy's error, half an answer
        return {}
    return found


def _wanted(page: str) -> Iterator[str]:
    """The few lines that are looked at: parsing all of them takes ten times as long, beside a server that is measured."""
    return (line for line in page.splitlines() if line.startswith(_WANTED))


def _sum(values: dict[str, list[float]], names: Sequence[str]) -> float | None:
    found = next((values[name] for name in names if name in values), None)
    return None if found is None else sum(found)


def _gained(before: float | None, after: float | None) -> float | None:
    """The difference of a counter; None when it fell: the server was started anew."""
    return None if before is None or after is None or after < before else after - before


def _ratio(part: float | None, whole: float | None) -> float | None:
    return part / whole if part is not None and whole else None


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def _peak(values: Sequence[float | None]) -> float | None:
    return max((value for value in values if value is not None), default=None)
