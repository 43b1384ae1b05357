"""A repeat over time: what a chart of it shows."""

import math

from runners.measuring.bench_report import Report
from runners.results.result import Slice

MOST = 240  # points of one curve


def course(report: Report) -> tuple[Slice, ...]:
    """The repeat in slices of a second or more; a request's tokens come evenly between its first and its last."""
    rows = list(report.rows())
    if not rows:
        return ()
    ends = max(start + latency for start, _, latency, _ in rows)
    width = max(1.0, ends / MOST)
    count = max(1, math.ceil(ends / width))
    tokens = [0.0] * count
    ttfts: list[list[float]] = [[] for _ in range(count)]
    for start, ttft, latency, output in rows:
        ttfts[min(count - 1, int(start / width))].append(ttft * 1000)
        _spread(tokens, start + ttft, start + latency, output, width)
    return tuple(
        Slice(
            at=place * width,
            started=len(ttfts[place]),
            ttft_ms=sum(ttfts[place]) / len(ttfts[place]) if ttfts[place] else None,
            tokens=tokens[place] / width,
        )
        for place in range(count)
    )


def _spread(tokens: list[float], begins: float, ends: float, amount: int, width: float) -> None:
    last = len(tokens) - 1
    first_slice, last_slice = min(last, int(begins / width)), min(last, int(ends / width))
    length = ends - begins
    if first_slice == last_slice or length <= 0:
        tokens[last_slice] += amount
        return
    for place in range(first_slice, last_slice + 1):
        here = min(ends, (place + 1) * width) - max(begins, place * width)
        tokens[place] += amount * max(0.0, here) / length
