"""Which entries to write next: questions without an answer, and answers that did not help, with how often."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
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

    `answered` tells an entry that did not help from a question that has none.
    """

    text: str
    times: int
    unhelpful: int
    nearest: str | None
    answered: bool


def gaps(questions: Iterable[Asked], folder: Path | None = None) -> list[Gap]:
    """The gaps, most wanted first. Questions that are made of the same signs count as one."""
    times, unhelpful, first = Counter[frozenset[str]](), Counter[frozenset[str]](), dict[frozenset[str], str]()
    for question in questions:
        key = frozenset(signs(question.text))
        times[key] += 1
        unhelpful[key] += question.unhelpful
        first.setdefault(key, question.text)
    found = [_gap(first[key], times[key], unhelpful[key], folder) for key in times]
    wanted = [gap for gap in found if gap is not None]
    return sorted(wanted, key=lambda gap: (-(gap.times + gap.unhelpful), gap.text))


def _gap(text: str, times: int, unhelpful: int, folder: Path | None) -> Gap | None:
    if understand(text).intent is not Intent.KNOWLEDGE or may_mean(text):
        return None
    hits = search(text, limit=1, extra_folder=folder)
    if hits and not unhelpful:
        return None
    near = hits or nearest(text, limit=1, extra_folder=folder)
    return Gap(text, times, unhelpful, near[0].id if near else None, bool(hits))
