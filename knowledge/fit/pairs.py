"""Two changes together, tried where no single one is enough."""

from collections.abc import Callable, Iterator
from itertools import islice

from knowledge.fit.remedies import Remedy, remedies
from knowledge.fit.verdict import Weighed
from knowledge.memory.judgement import Verdict

FIRST = ("quantization", "kv-dtype", "copies")
SECOND = ("context", "kv-dtype", "copies", "utilization", "max-num-seqs", "batched-tokens", "more-gpus")
MOST_FIRST, MOST_SECOND = 8, 12  # tried: about a hundred launches at worst, a tenth of a second
SHORTEST = 4096  # tokens: a context that nobody asked for may shrink, but not below what a conversation needs

Together = tuple[Remedy, Remedy, Weighed]
Try = Callable[[Weighed, Remedy], Weighed | None]


def pair(weighed: Weighed, attempt: Try) -> Together | None:
    """The cheapest pair of changes with which it fits for sure, None when there is none. `attempt` makes one change."""
    found = [one for first in _first(weighed, FIRST) if (one := _with_second(weighed, first, attempt, SECOND))]
    return min(found, key=_cost, default=None)


def smaller_build(weighed: Weighed, attempt: Try) -> Together | None:
    """A lighter build with as much context as it leaves room for, where no context was asked; None where none fits."""
    if weighed.plan.request.context is not None:
        return None
    found = (_with_second(weighed, first, attempt, ("context",)) for first in _first(weighed, ("quantization",)))
    return next((one for one in found if one is not None and one[2].plan.context >= SHORTEST), None)


def _first(weighed: Weighed, kinds: tuple[str, ...]) -> Iterator[Remedy]:
    return islice((each for each in remedies(weighed) if each.kind in kinds), MOST_FIRST)


def _with_second(weighed: Weighed, first: Remedy, attempt: Try, kinds: tuple[str, ...]) -> Together | None:
    begun = attempt(weighed, first)
    if begun is None:
        return None
    after = [each for each in remedies(begun) if each.kind in kinds and each.kind != first.kind]
    for second in islice(sorted(after, key=lambda each: each.rank), MOST_SECOND):
        done = attempt(begun, second)
        if done is not None and done.overall is Verdict.FITS:
            return first, second, done
    return None


def _cost(together: Together) -> float:
    return together[0].rank + together[1].rank
