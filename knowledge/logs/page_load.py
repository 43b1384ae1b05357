"""A /metrics page, judged: preemptions, queues, drafts that are refused, prefixes that are not shared."""

from typing import Any

from knowledge.logs.finding import FEW_ACCEPTED, FULL, QUEUE, Finding, more_at_once, seqs_limit
from knowledge.logs.metrics_page import figures
from knowledge.logs.reading import Reading
from knowledge.logs.wishes import Wish

MANY_QUERIES = 10_000  # tokens before a hit rate says anything
FEW_HITS = 0.2  # of the queried tokens: prefix caching finds little
SLOW_ITL = 0.1  # seconds between tokens that people notice


def page_load(reading: Reading, wanted: frozenset[Wish], message: str) -> Finding | None:
    page = reading.metrics
    if not page.samples:
        return None
    facts = figures(page)
    facts["limit"] = seqs_limit(message, reading)
    for one in (_preempting, _stuck, _waiting, _drafting, _reusing, _slow_tokens):
        found = one(reading, facts, wanted)
        if found is not None:
            return found
    return None


def _preempting(reading: Reading, facts: dict[str, Any], _: frozenset[Wish]) -> Finding | None:
    count = facts.get("preemptions", 0)
    line = reading.metrics.line_of("preemptions")
    full = facts.get("usage", 0) >= FULL or count * 20 >= facts.get("finished", count)
    if not count or line is None or not full:
        return None
    facts = facts | _fit_at_once(facts)
    return Finding("preemption", "load.preempting", line, ("preemption", "max-num-seqs", "kv-cache-dtype-fp8"), facts)


def _fit_at_once(facts: dict[str, Any]) -> dict[str, Any]:
    """How many requests of the mean length the cache holds."""
    prompt, output, tokens = (facts.get(name) for name in ("prompt_tokens", "output_tokens", "tokens"))
    if prompt is None or output is None or not tokens or prompt + output < 1:
        return {}
    each = prompt + output
    return {"each": round(each), "fit": round(tokens / each), "cap_low": int(tokens / each * 0.8)}


def _stuck(reading: Reading, facts: dict[str, Any], _: frozenset[Wish]) -> Finding | None:
    line = reading.metrics.line_of("requests-waiting")
    if facts.get("waiting", 0) > 0 and facts.get("running") == 0 and line is not None:
        return Finding("queueing", "load.stuck", line, ("queueing", "nccl-hang"), facts)
    return None


def _waiting(reading: Reading, facts: dict[str, Any], _: frozenset[Wish]) -> Finding | None:
    line = reading.metrics.line_of("requests-waiting")
    if facts.get("waiting", 0) < QUEUE or line is None:
        return None
    if facts.get("usage", 0) >= FULL:
        return Finding(
            "queueing",
            "load.waiting_for_cache",
            line,
            ("queueing", "max-num-seqs", "kv-cache-dtype-fp8"),
            facts | _fit_at_once(facts),
        )
    return Finding(
        "queueing", "load.waiting_for_slots", line, ("queueing", "max-num-seqs"), facts | more_at_once(facts)
    )


def _drafting(reading: Reading, facts: dict[str, Any], wanted: frozenset[Wish]) -> Finding | None:
    rate = facts.get("acceptance")
    line = reading.metrics.line_of("accepted-tokens")
    if rate is None or line is None or (rate >= FEW_ACCEPTED and Wish.SPECULATION not in wanted):
        return None
    return Finding("speculative-decoding", "load.few_accepted", line, ("speculative-decoding",), facts)


def _reusing(reading: Reading, facts: dict[str, Any], wanted: frozenset[Wish]) -> Finding | None:
    rate, line = facts.get("hit_rate"), reading.metrics.line_of("prefix-cache-hits")
    if rate is None or line is None or Wish.PREFIX not in wanted:
        return None
    if facts.get("prefix_queries", 0) < MANY_QUERIES and rate > 0:
        return None
    return Finding(
        "prefix-caching", "load.few_hits" if rate < FEW_HITS else "load.hits", line, ("prefix-caching",), facts
    )


def _slow_tokens(reading: Reading, facts: dict[str, Any], wanted: frozenset[Wish]) -> Finding | None:
    itl, line = facts.get("itl"), reading.metrics.line_of("itl", "tpot")
    ttft, queue, prefill = facts.get("ttft"), facts.get("queue", 0), facts.get("prefill", 0)
    first = reading.metrics.line_of("ttft")
    if ttft is not None and first is not None and ttft > 2 and prefill > queue:
        return Finding("latency-ttft", "load.slow_prefill", first, ("latency-ttft", "chunked-prefill"), facts)
    if itl is not None and line is not None and itl >= SLOW_ITL and wanted:
        return Finding(
            "max-num-batched-tokens", "load.slow_tokens", line, ("max-num-batched-tokens", "chunked-prefill"), facts
        )
    return None
