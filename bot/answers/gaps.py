"""Which entries to write next: questions without an answer, and answers that did not help, with how often."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from bot.store.asked import Asked
from bot.understand.message import understand
from bot.understand.understood import Intent
from knowledge.search import nearest, search
from knowledge.search.vague import may_mean
from knowledge.search.words import signs


@dataclass(frozen=True, slots=True)
class Gap:
    """Questions that say the same: the first of them, how many there were, how many thumbs went down, and the nearest entry.

    `answered` tells an entry that did not help from a question that has none. `reasons` are why it did not, the most frequent first.
    """

    text: str
    times: int
    unhelpful: int
    nearest: str | None
    answered: bool
    reasons: tuple[str, ...] = ()


def gaps(questions: Iterable[Asked], folder: Path | None = None) -> list[Gap]:
    """The gaps, most wanted first. Questions that are made of the same signs count as one."""
    times, unhelpful, first = Counter[frozenset[str]](), Counter[frozenset[str]](), dict[frozenset[str], str]()
    reasons = defaultdict[frozenset[str], Counter[str]](Counter)
    for question in questions:
        key = frozenset(signs(question.text))
        times[key] += 1
        unhelpful[key] += question.unhelpful
        reasons[key].update(question.reasons)
        first.setdefault(key, question.text)
    found = [_gap(first[key], times[key], unhelpful[key], folder) for key in times]
    wanted = [replace(gap, reasons=_ordered(reasons[key])) for key, gap in zip(times, found, strict=True) if gap]
    return sorted(wanted, key=lambda gap: (-(gap.times + gap.unhelpful), gap.text))


def _ordered(reasons: Counter[str]) -> tuple[str, ...]:
    return tuple(reason for reason, _ in reasons.most_common())


def _gap(text: str, times: int, unhelpful: int, folder: Path | None) -> Gap | None:
    if understand(text).intent is not Intent.KNOWLEDGE or may_mean(text):
        return None
    hits = search(text, limit=1, extra_folder=folder)
    if hits and not unhelpful:
        return None
    near = hits or nearest(text, limit=1, extra_folder=folder)
    return Gap(text, times, unhelpful, near[0].id if near else None, bool(hits))
