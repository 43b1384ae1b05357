"""Whether one run is better than another, figure by figure; or why they cannot be compared."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from runners.results.fingerprint import beyond, differences
from runners.results.result import Result
from runners.results.spread import Spread
from runners.results.truth import Flag

FEWEST = 3  # repeats of each: AIPerf's least
SMALLEST = 0.01  # a change below is not worth a word, however sure it is
MORE_IS_BETTER = frozenset({"request_throughput", "output_throughput", "total_token_throughput", "goodput"})
SPOILS = frozenset(
    {Flag.OVERLOADED, Flag.DRIFT, Flag.FOREIGN_REQUESTS, Flag.CLIENT_LATE, Flag.CLIENT_BUSY, Flag.CACHE_HITS}
)


class Verdict(StrEnum):
    """Of the second run against the first."""

    BETTER = "better"
    WORSE = "worse"
    INCONCLUSIVE = "inconclusive"


class Why(StrEnum):
    """Why a figure is inconclusive."""

    TOO_FEW_REPEATS = "too-few-repeats"
    WITHIN_NOISE = "within-noise"
    TOO_SMALL = "too-small"
    SPOILED = "spoiled"  # overload, drift, company: the runs had no steady state


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """One figure. `change` is the second's mean against the first's (-0.1: a tenth less), None where the first is 0."""

    name: str
    reference: Spread
    other: Spread
    change: float | None
    verdict: Verdict
    why: Why | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two runs, the reference first. Not `comparable`: `beyond` names what else differs, and `figures` is empty.

    `declared` is the field whose effect is asked for; `differs` has each field that differs, with both values.
    """

    comparable: bool
    declared: str | None
    differs: dict[str, tuple[Any, Any]]
    beyond: tuple[str, ...]
    figures: tuple[Compared, ...]
    flags: tuple[Flag, ...]

    def figure(self, name: str) -> Compared | None:
        """One of them."""
        return next((each for each in self.figures if each.name == name), None)


def compare(reference: Result, other: Result, declared: str | None = None) -> Comparison:
    """Holds `other` against `reference`. Undeclared, one difference declares itself, and none is a repetition."""
    if reference.fingerprint is None or other.fingerprint is None:
        return _incomparable(declared, {}, ("fingerprint",))
    differs = differences(reference.fingerprint, other.fingerprint)
    declared = declared or _only(differs)
    more = beyond(differs, declared)
    if more or not reference.repeats or not other.repeats:
        return _incomparable(declared, differs, more or ("repeats",))
    spoiled = tuple(flag for flag in dict.fromkeys((*reference.flags, *other.flags)) if flag in SPOILS)
    left, right = reference.spreads(), other.spreads()
    figures = tuple(_figure(name, left[name], right[name], spoiled=bool(spoiled)) for name in left if name in right)
    return Comparison(comparable=True, declared=declared, differs=differs, beyond=(), figures=figures, flags=spoiled)


def _incomparable(declared: str | None, differs: dict[str, tuple[Any, Any]], more: tuple[str, ...]) -> Comparison:
    return Comparison(comparable=False, declared=declared, differs=differs, beyond=more, figures=(), flags=())


def _only(differs: dict[str, tuple[Any, Any]]) -> str | None:
    """The difference that accounts for all the others; where several would, the first by name."""
    return next((name for name in differs if not beyond(differs, name)), None)


def _figure(name: str, reference: Spread, other: Spread, *, spoiled: bool) -> Compared:
    change = (other.mean - reference.mean) / abs(reference.mean) if reference.mean else None
    why = _doubt(reference, other, change, spoiled=spoiled)
    risen = other.mean > reference.mean
    better = risen is (name in MORE_IS_BETTER)
    verdict = Verdict.INCONCLUSIVE if why else Verdict.BETTER if better else Verdict.WORSE
    return Compared(name=name, reference=reference, other=other, change=change, verdict=verdict, why=why)


def _doubt(reference: Spread, other: Spread, change: float | None, *, spoiled: bool) -> Why | None:
    """A win needs the ranges and the intervals apart, and to be worth a word."""
    if spoiled:
        return Why.SPOILED
    if min(len(reference.values), len(other.values)) < FEWEST:
        return Why.TOO_FEW_REPEATS
    if not (_apart(reference.values, other.values) and _apart(_interval(reference), _interval(other))):
        return Why.WITHIN_NOISE
    return Why.TOO_SMALL if change is not None and abs(change) < SMALLEST else None


def _interval(figure: Spread) -> tuple[float, float]:
    return (figure.mean if figure.low is None else figure.low, figure.mean if figure.high is None else figure.high)


def _apart(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return max(one) < min(other) or max(other) < min(one)
