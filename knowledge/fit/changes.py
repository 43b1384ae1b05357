"""Which change would make a launch fit, or give more where it fits: each is tried before it is named."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from knowledge.errors import Refusal
from knowledge.fit.effects import effect
from knowledge.fit.estimate import Change
from knowledge.fit.largest import max_concurrency, max_context
from knowledge.fit.pairs import Together, pair, smaller_build
from knowledge.fit.plans import plan
from knowledge.fit.remedies import Remedy, remedies
from knowledge.fit.serve import serve_command
from knowledge.fit.verdict import SEVERITY, Weighed, refused, weigh
from knowledge.memory.judgement import Verdict

MORE = 1.05  # where it fits already, a change is worth naming if it brings 5 % more context or requests
MUCH_MORE = 1.5  # where it is not enough anyway, a change is worth naming only if it brings half as many again
GIVES_MORE = frozenset({"batched-tokens", "kv-dtype", "utilization", "more-gpus", "quantization", "copies"})
SMALLEST_STEP = 1024  # tokens: smaller batches are for what would not start otherwise


@dataclass(frozen=True, slots=True)
class Tried:
    """A remedy and what came of it; `also` is the second of two."""

    remedy: Remedy
    weighed: Weighed
    also: Remedy | None = None

    @property
    def rank(self) -> float:
        """How dearly it is bought."""
        return self.remedy.rank + (self.also.rank if self.also else 0)


def changes(weighed: Weighed) -> tuple[Change, ...]:
    """Best first: what makes it fit for sure, then what might; by how dearly each is bought. At most one of each kind.

    Where no single change is enough two together are tried. Where nothing but other hardware is enough, what holds more than now
    on the same is listed too. Of weights that vLLM refuses on the card, only what it does not refuse.
    """
    trials = Trials(weighed)
    if refused(weighed):
        return _told(weighed, _not_refused(weighed, trials))
    if weighed.overall is Verdict.FITS:
        return _told(weighed, _of_each_kind(trials, _gains, _worth))
    found = _of_each_kind(trials, _mends, lambda _remedy: True)
    found += _together(weighed, found)
    if not any(_on_these_gpus(weighed, tried) for tried in found):
        found += _most(trials, found)
    return _told(weighed, found)


def _not_refused(weighed: Weighed, trials: "Trials") -> list[Tried]:
    """What vLLM loads: another card, a build for this one, or that with the context that it has room for."""
    found = _of_each_kind(trials, _starts, lambda _remedy: True)
    if any(tried.remedy.kind == "quantization" for tried in found):
        return found
    return found + [tried for tried in _as_tried(smaller_build(weighed, attempt)) if not refused(tried.weighed)]


class Trials:
    """The remedies of one launch, each made at most once however often it is looked at."""

    def __init__(self, weighed: Weighed) -> None:
        self.weighed = weighed
        self.remedies = tuple(remedies(weighed))
        self._made: dict[int, Weighed | None] = {}

    def after(self, place: int) -> Weighed | None:
        """The launch with the remedy at that place made."""
        if place not in self._made:
            self._made[place] = attempt(self.weighed, self.remedies[place])
        return self._made[place]


def attempt(weighed: Weighed, remedy: Remedy) -> Weighed | None:
    """The launch with the change made, None where vLLM would refuse the change itself."""
    request = weighed.plan.request.model_copy(update=remedy.update)
    try:
        return weigh(plan(request, remedy.subject or weighed.plan.subject))
    except Refusal:
        return None


def _told(weighed: Weighed, found: list[Tried]) -> tuple[Change, ...]:
    return tuple(_change(weighed, tried) for tried in sorted(found, key=_place))


def _place(tried: Tried) -> tuple[float, float]:
    """What fits before what might, by price; of what is not enough the most first."""
    after = tried.weighed
    enough = after.overall is not Verdict.DOES_NOT_FIT
    return float(SEVERITY.index(after.overall)), tried.rank if enough else -max_concurrency(after).expected


def _of_each_kind(
    trials: Trials, wanted: Callable[[Weighed, Weighed], bool], worth: Callable[[Remedy], bool]
) -> list[Tried]:
    best: dict[str, Tried] = {}
    weighed = trials.weighed
    for place, remedy in enumerate(trials.remedies):
        kept = best.get(remedy.kind)
        if (kept is not None and kept.weighed.overall is Verdict.FITS) or not worth(remedy):
            continue
        after = trials.after(place)
        if after is not None and wanted(weighed, after) and (kept is None or _better(after, kept.weighed)):
            best[remedy.kind] = Tried(remedy, after)
    return list(best.values())


def _on_these_gpus(weighed: Weighed, tried: Tried) -> bool:
    before, after = weighed.plan.launch, tried.weighed.plan.launch
    return before.gpu is after.gpu and before.gpus == after.gpus


def _most(trials: Trials, found: list[Tried]) -> list[Tried]:
    """What holds more without being enough: on the same GPUs, or on any where nothing is enough."""
    if trials.weighed.plan.request.concurrency is None:
        return []
    told = {tried.remedy.kind for tried in found}
    more = _of_each_kind(trials, _helps, lambda remedy: remedy.kind not in told)
    return [tried for tried in more if not found or _on_these_gpus(trials.weighed, tried)]


def _together(weighed: Weighed, single: list[Tried]) -> list[Tried]:
    """Any pair where nothing alone is enough; else a lighter build with less context, where neither alone is."""
    fitting = {tried.remedy.kind for tried in single if tried.weighed.overall is Verdict.FITS}
    if not fitting:
        return _as_tried(pair(weighed, attempt))
    return [] if fitting & {"quantization", "context"} else _as_tried(smaller_build(weighed, attempt))


def _as_tried(found: Together | None) -> list[Tried]:
    return [] if found is None else [Tried(found[0], found[2], found[1])]


def _worth(remedy: Remedy) -> bool:
    if remedy.kind == "batched-tokens" and int(remedy.to) < SMALLEST_STEP:
        return False
    return remedy.kind in GIVES_MORE


def _mends(before: Weighed, after: Weighed) -> bool:
    return SEVERITY.index(after.overall) < SEVERITY.index(before.overall)


def _starts(_before: Weighed, after: Weighed) -> bool:
    return not refused(after) and after.overall is not Verdict.DOES_NOT_FIT


def _gains(before: Weighed, after: Weighed) -> bool:
    if after.overall is not Verdict.FITS:
        return False
    if max_context(after).expected >= MORE * max_context(before).expected:
        return True
    now, then = max_concurrency(before).expected, max_concurrency(after).expected
    return then >= MORE * now and int(then) > int(now)


def _helps(before: Weighed, after: Weighed) -> bool:
    """Whether it starts for sure and holds more of the asked requests than now, though not all."""
    if after.fits is not Verdict.FITS:
        return False
    more = max_concurrency(after).expected >= max(MUCH_MORE * max_concurrency(before).expected, 1)
    return after.plan.context == before.plan.context and more


def _better(one: Weighed, other: Weighed) -> bool:
    if one.overall is Verdict.DOES_NOT_FIT:
        return max_concurrency(one).expected > max_concurrency(other).expected
    return SEVERITY.index(one.overall) < SEVERITY.index(other.overall)


def _change(before: Weighed, tried: Tried) -> Change:
    after, remedy, also = tried.weighed, tried.remedy, tried.also
    change = Change(
        kind=remedy.kind,
        flag=remedy.flag,
        to=_to(after, remedy),
        effect=effect(before, after, remedy.caveat),
        verdict=after.overall,
        max_context=int(max_context(after).expected),
        max_concurrency=round(max_concurrency(after).expected, 1),
        serve_command=serve_command(after.plan.launch),
        count=after.plan.launch.gpus,
        caveat=remedy.caveat,
    )
    return replace(change, also_kind=also.kind, also_flag=also.flag, also_to=_to(after, also)) if also else change


def _to(after: Weighed, remedy: Remedy) -> str:
    return _layout_flags(after) if remedy.kind == "more-gpus" else remedy.to


def _layout_flags(weighed: Weighed) -> str:
    """The value of --tensor-parallel-size, with the flags of the other sizes where they are not 1."""
    launch = weighed.plan.launch
    stages = f" --pipeline-parallel-size {launch.pp}" if launch.pp > 1 else ""
    copies = f" --data-parallel-size {launch.dp}" if launch.dp > 1 else ""
    return f"{launch.tp}{stages}{copies}"
