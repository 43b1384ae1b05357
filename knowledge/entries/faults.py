"""A fault of an entry, and the texts in which faults are looked for."""

from collections.abc import Iterator
from dataclasses import dataclass

from knowledge.entries.schema import Entry
from knowledge.versions import NEWEST, Version


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong in one place of one entry; `place` is the path of keys, empty for the file itself."""

    entry: str
    place: str
    says: str

    def __str__(self) -> str:
        return ": ".join(part for part in (self.entry, self.place, self.says) if part)


@dataclass(frozen=True, slots=True)
class Pair:
    """The same text in both languages, at one place."""

    place: str
    en: str
    zh: str


def claims(entry: Entry) -> Iterator[Pair]:
    """Every text that claims something; symptoms and words are what people say, not claims."""
    for name in ("title", "short", "mechanism", "not_shown"):
        yield Pair(name, getattr(entry.en, name), getattr(entry.zh, name))
    for place, step in enumerate(entry.steps, 1):
        yield Pair(f"steps.{place}", step.en, step.zh)
    for place, check in enumerate(entry.checks, 1):
        yield Pair(f"checks.{place}", check.en, check.zh)
    if entry.experiment:
        yield Pair("experiment", entry.experiment.en, entry.experiment.zh)


def ends(entry: Entry, since: Version, until: Version | None) -> tuple[Version, Version]:
    """The oldest and the newest release for which something in the entry is said."""
    last = min(each for each in (until, entry.applies_to.last, NEWEST) if each is not None)
    return max(since, entry.applies_to.first), last
