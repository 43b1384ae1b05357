"""Which single change would make a launch fit, or give more where it fits: each is tried before it is named."""

from dataclasses import dataclass

from knowledge.errors import Refusal
from knowledge.fit.effects import effect
from knowledge.fit.estimate import Change, Verdict
from knowledge.fit.largest import max_concurrency, max_context
from knowledge.fit.plans import plan
from knowledge.fit.remedies import Remedy, remedies
from knowledge.fit.serve import serve_command
from knowledge.fit.verdict import SEVERITY, Weighed, weigh

MORE = 1.05  # where it fits already, a change is worth naming if it brings 5 % more context or requests
GIVES_MORE = frozenset({"batched-tokens", "kv-dtype", "utilization", "more-gpus", "quantization"})


@dataclass(frozen=True, slots=True)
class Tried:
    """A remedy and what came of it."""

    remedy: Remedy
    weighed: Weighed


def changes(weighed: Weighed) -> tuple[Change, ...]:
    """Best first: what makes it fit for sure, then what might; by how dearly each is bought. At most one of each kind."""
    wanted = _gains if weighed.overall is Verdict.FITS else _mends
    best: dict[str, Tried] = {}
    for remedy in remedies(weighed):
        kept = best.get(remedy.kind)
        if kept is not None and kept.weighed.overall is Verdict.FITS:
            continue
        if weighed.overall is Verdict.FITS and remedy.kind not in GIVES_MORE:
            continue
        tried = _try(weighed, remedy)
        if tried is not None and wanted(weighed, tried.weighed) and (kept is None or _better(tried, kept)):
            best[remedy.kind] = tried
    ordered = sorted(best.values(), key=lambda tried: (SEVERITY.index(tried.weighed.overall), tried.remedy.rank))
    return tuple(_change(weighed, tried) for tried in ordered)


def _try(weighed: Weighed, remedy: Remedy) -> Tried | None:
    """None where vLLM would refuse the change itself."""
    request = weighed.plan.request.model_copy(update=remedy.update)
    try:
        return Tried(remedy, weigh(plan(request, remedy.subject or weighed.plan.subject)))
    except Refusal:
        return None


def _mends(before: Weighed, after: Weighed) -> bool:
    return SEVERITY.index(after.overall) < SEVERITY.index(before.overall)


def _gains(before: Weighed, after: Weighed) -> bool:
    if after.overall is not Verdict.FITS:
        return False
    more_context = max_context(after).expected >= MORE * max_context(before).expected
    return more_context or max_concurrency(after).expected >= MORE * max_concurrency(before).expected


def _better(one: Tried, other: Tried) -> bool:
    return SEVERITY.index(one.weighed.overall) < SEVERITY.index(other.weighed.overall)


def _change(before: Weighed, tried: Tried) -> Change:
    after, remedy = tried.weighed, tried.remedy
    return Change(
        kind=remedy.kind,
        flag=remedy.flag,
        to=_layout_flags(after) if remedy.kind == "more-gpus" else remedy.to,
        effect=effect(before, after, remedy.caveat),
        verdict=after.overall,
        max_context=int(max_context(after).expected),
        max_concurrency=round(max_concurrency(after).expected, 1),
        serve_command=serve_command(after.plan.launch),
        count=after.plan.launch.gpus,
        caveat=remedy.caveat,
    )


def _layout_flags(weighed: Weighed) -> str:
    """The value of --tensor-parallel-size, with the flags of the other sizes where they are not 1."""
    launch = weighed.plan.launch
    stages = f" --pipeline-parallel-size {launch.pp}" if launch.pp > 1 else ""
    copies = f" --data-parallel-size {launch.dp}" if launch.dp > 1 else ""
    return f"{launch.tp}{stages}{copies}"
