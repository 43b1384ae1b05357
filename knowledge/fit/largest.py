"""The largest context, the concurrency at a context, and a ladder of both."""

from collections.abc import Callable

from knowledge.fit.estimate import LadderRung
from knowledge.fit.verdict import Weighed
from knowledge.units import Range

STEPS = tuple(1024 * 2**step for step in range(2, 11))  # 4k to 1M
MOST_RUNGS = 6


def kv_cache_tokens(weighed: Weighed) -> Range:
    """What that version would log as "GPU KV cache size"; nothing where there is no room."""
    return _over(weighed, lambda kv_bytes: float(weighed.pages.tokens(kv_bytes)))


def max_context(weighed: Weighed) -> Range:
    """The longest single request that fits, up to the model's own limit; 0 when none does."""
    limit = weighed.plan.launch.shape.max_context
    if not weighed.pages.groups:
        return _over(weighed, lambda kv_bytes: float(limit if kv_bytes > 0 else 0))
    return _over(weighed, lambda kv_bytes: float(weighed.pages.max_context(kv_bytes, limit)))


def max_context_together(weighed: Weighed) -> Range | None:
    """The longest context of which as many requests as were asked fit at once; None where one was asked, or no cache is kept."""
    if weighed.plan.concurrency <= 1 or not weighed.pages.groups:
        return None
    limit = weighed.plan.launch.shape.max_context
    return _over(weighed, lambda kv_bytes: longest_together(weighed, kv_bytes, limit))


def longest_together(weighed: Weighed, kv_bytes: int, limit: int) -> float:
    """The longest context up to `limit` of which a cache of `kv_bytes` holds all asked requests at once; 0 when none does."""
    low, high = 0, weighed.pages.max_context(kv_bytes, limit) if weighed.pages.groups and kv_bytes > 0 else 0
    while low < high:
        middle = (low + high + 1) // 2
        holds = int(weighed.pages.concurrency(kv_bytes, middle)) * weighed.plan.launch.dp >= weighed.plan.concurrency
        low, high = (middle, high) if holds else (low, middle - 1)
    return float(low)


def max_concurrency(weighed: Weighed, context: int | None = None) -> Range:
    """Requests of `context` tokens (None: as asked) that fit at once, over all data parallel ranks.

    A model without a KV cache runs as many as --max-num-seqs lets it.
    """
    launch, length = weighed.plan.launch, context or weighed.plan.context
    if not weighed.pages.groups:
        return _over(weighed, lambda kv_bytes: float(launch.max_num_seqs * launch.dp if kv_bytes > 0 else 0))
    return _over(weighed, lambda kv_bytes: weighed.pages.concurrency(kv_bytes, length) * launch.dp)


def ladder(weighed: Weighed) -> tuple[LadderRung, ...]:
    """Context against concurrency: powers of two up to the model's limit, around what is asked and what fits."""
    if not weighed.pages.groups or weighed.kv.high <= 0:
        return ()
    limit = weighed.plan.launch.shape.max_context
    reach = min(limit, int(max_context(weighed).high))
    contexts = {step for step in STEPS if step <= reach} | ({limit} if limit <= reach else set())
    chosen = sorted(contexts)[-MOST_RUNGS:]
    if weighed.plan.context <= reach and weighed.plan.context not in chosen:
        chosen = sorted([weighed.plan.context, *chosen[-(MOST_RUNGS - 1) :]])
    return tuple(LadderRung(context=context, concurrency=max_concurrency(weighed, context)) for context in chosen)


def _over(weighed: Weighed, figure: Callable[[int], float]) -> Range:
    low, expected, high = (figure(max(0, int(size))) for size in (weighed.kv.low, weighed.kv.expected, weighed.kv.high))
    return Range(low, expected, high)
