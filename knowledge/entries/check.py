"""Everything wrong with a folder of entries, at once: what cannot be read, what dangles, what has expired."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from knowledge.entries import loading
from knowledge.entries.faults import Fault, ends
from knowledge.entries.figures import figure_faults
from knowledge.entries.named import name_faults
from knowledge.entries.schema import Entry, Span, Text
from knowledge.errors import Refusal
from knowledge.versions import DEFAULT, NEWEST, OLDEST, Version, parse

FRESH = Version(DEFAULT.major, DEFAULT.minor - 2)  # an entry that still holds has evidence from here on
LONGEST_SHORT = {"en": 420, "zh": 220}  # characters: one or two sentences
_HAN = re.compile(r"[\u4e00-\u9fff]")
_ID = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


def faults(folder: Path = loading.FOLDER, known: tuple[str, ...] = ()) -> list[Fault]:
    """All faults of all entries, in the order of ids. `known` are further ids that may be referred to (ours, for a team's folder)."""
    entries, found = _read(folder)
    answered = {*known, *loading.ids(folder), *(topic for entry in entries for topic in entry.topics)}
    for entry in entries:
        found += _entry_faults(entry, answered)
    found += _twice(entries)
    return sorted(found, key=lambda fault: fault.entry)


def _read(folder: Path) -> tuple[list[Entry], list[Fault]]:
    entries: list[Entry] = []
    found: list[Fault] = []
    for entry_id in loading.ids(folder):
        try:
            entries.append(Entry.model_validate(loading.read(entry_id, folder) | {"id": entry_id}))
        except ValidationError as fault:
            found += [Fault(entry_id, "", says) for says in loading.shape_faults(fault)]
        except Refusal as refusal:
            found.append(Fault(entry_id, "", refusal.error))
    return entries, found


def _entry_faults(entry: Entry, answered: set[str]) -> Iterator[Fault]:
    if not _ID.fullmatch(entry.id):
        yield Fault(entry.id, "", "the file's name is not lower case words with hyphens")
    yield from _references(entry, answered)
    yield from _spans(entry)
    yield from _expired(entry)
    yield from _languages(entry)
    yield from name_faults(entry)
    yield from figure_faults(entry)


def _references(entry: Entry, answered: set[str]) -> Iterator[Fault]:
    for place, ids in (("related", entry.related), ("topics", entry.topics)):
        for each in ids:
            if each == entry.id:
                yield Fault(entry.id, place, "names the entry itself")
            elif each not in answered:
                yield Fault(entry.id, place, f"there is no `{each}`")
        yield from (Fault(entry.id, place, f"`{each}` twice") for each, times in Counter(ids).items() if times > 1)


def _spans(entry: Entry) -> Iterator[Fault]:
    yield from _span(entry, "applies_to", entry.applies_to)
    for name, parts in (("steps", entry.steps), ("checks", entry.checks)):
        for place, part in enumerate(parts, 1):
            yield from _span(entry, f"{name}.{place}", part)
            first, last = ends(entry, part.first, part.last)
            if first > last:
                yield Fault(entry.id, f"{name}.{place}", "holds for no release that the entry holds for")


def _span(entry: Entry, place: str, span: Span) -> Iterator[Fault]:
    if span.last is not None and span.last < span.first:
        yield Fault(entry.id, place, f"ends with {span.until} before it begins with {span.since}")
    for release in (span.first, span.last):
        if release is not None and not OLDEST <= release <= NEWEST:
            yield Fault(entry.id, place, f"{release} is not among the releases {OLDEST} to {NEWEST}")


def _expired(entry: Entry) -> Iterator[Fault]:
    newest = max(parse(evidence.version) for evidence in entry.evidence)
    if newest > NEWEST:
        yield Fault(entry.id, "evidence", f"{newest} is newer than the newest known release {NEWEST}")
    wanted = min(FRESH, entry.applies_to.last or FRESH)
    if newest < wanted:
        yield Fault(entry.id, "evidence", f"nothing newer than {newest} shows that it still holds in {wanted}")
    if not entry.steps_for(entry.applies_to.last or NEWEST):
        yield Fault(entry.id, "steps", "nothing to do in the newest release it holds for")


def _languages(entry: Entry) -> Iterator[Fault]:
    for language, text in (("en", entry.en), ("zh", entry.zh)):
        if len(text.short) > LONGEST_SHORT[language]:
            says = f"{len(text.short)} characters, more than {LONGEST_SHORT[language]}"
            yield Fault(entry.id, f"{language}.short", says)
        for place, said in _sentences(text):
            if bool(_HAN.search(said)) != (language == "zh"):
                yield Fault(entry.id, f"{language}.{place}", "is not in that language")
    for number, part in enumerate((*entry.steps, *entry.checks), 1):
        if _HAN.search(part.en) or not _HAN.search(part.zh):
            yield Fault(entry.id, f"steps and checks, {number}", "en and zh are not in their languages")


def _sentences(text: Text) -> Iterator[tuple[str, str]]:
    for name in ("short", "mechanism", "not_shown"):
        yield name, getattr(text, name)
    yield "symptoms", " ".join(text.symptoms)


def _twice(entries: list[Entry]) -> Iterator[Fault]:
    owners: dict[str, str] = {}
    for entry in entries:
        for said in (*entry.en.symptoms, *entry.zh.symptoms):
            key = " ".join(said.lower().split())
            if key in owners:
                yield Fault(entry.id, "symptoms", f"`{said}` also stands in `{owners[key]}`")
            owners[key] = entry.id
