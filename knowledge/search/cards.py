"""What the search keeps of each entry: its signs, worked out once and kept in the user's cache until a file changes."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, fields
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from knowledge import shelf
from knowledge.entries import loading
from knowledge.search import words
from knowledge.search.signatures import folded, names_of
from knowledge.search.words import signs_of_line
from knowledge.versions import Version, parse

if TYPE_CHECKING:
    from knowledge.entries.schema import Entry

Line = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """One entry's signs. `lines` are those of each title, symptom and log line for itself; `symptoms`, `subject` and `short`
    those of all such texts one after another. `names` and `signatures` are squeezed and folded.

    `logged`: people rather meet it in a log than ask about it. `since` and `until` are the releases it holds for.
    """

    id: str
    lines: tuple[Line, ...]
    subject: Line
    symptoms: Line
    short: Line
    names: Line
    signatures: Line
    logged: bool
    since: str | None
    until: str | None

    def holds_in(self, version: Version) -> bool:
        """Whether the entry holds for that version."""
        return (self.since is None or parse(self.since) <= version) and (
            self.until is None or version <= parse(self.until)
        )


def cards(folder: Path = loading.FOLDER) -> tuple[Card, ...]:
    """The cards of a folder's entries, by id. Refuses the first file that is not an entry."""
    kind = f"search-{sha256(str(folder).encode()).hexdigest()[:8]}"
    name = f"{kind}-{_stamp(folder)}.json"
    found = _kept(name)
    if found is None:
        found = tuple(card_of(entry) for entry in loading.every(folder))
        shelf.put(name, json.dumps([_values(card) for card in found], ensure_ascii=False), f"{kind}-*")
    return found


def card_of(entry: "Entry") -> Card:
    """What the search needs of an entry."""
    texts = (entry.en, entry.zh)
    symptoms = [signs_of_line(line) for text in texts for line in text.symptoms]
    others = [signs_of_line(line) for line in (*entry.log_signatures, *(text.title for text in texts))]
    return Card(
        id=entry.id,
        lines=tuple(line for line in (*symptoms, *others) if line),
        subject=_joined(
            (*(text.title for text in texts), *(word for text in texts for word in text.words), *entry.names)
        ),
        symptoms=tuple(sign for line in symptoms for sign in line),
        short=_joined(text.short for text in texts),
        names=tuple(names_of(entry)),
        signatures=tuple(folded(piece) for piece in entry.log_signatures),
        logged=entry.mostly_logged,
        since=entry.applies_to.since,
        until=entry.applies_to.until,
    )


def _joined(texts: Iterable[str]) -> Line:
    return tuple(sign for text in texts for sign in signs_of_line(text))


def _stamp(folder: Path) -> str:
    """Changes with every file that the cards are made from, and with how they are made."""
    made_by = (Path(__file__), Path(words.__file__), words.SYNONYMS)
    files = (*made_by, *sorted(folder.glob("*.toml")))
    told = [(str(path), found.st_size, found.st_mtime_ns) for path in files for found in [path.stat()]]
    return sha256(json.dumps(told).encode()).hexdigest()[:16]


def _kept(name: str) -> tuple[Card, ...] | None:
    text = shelf.taken(name)
    if text is None:
        return None
    try:
        return tuple(Card(**_tuples(values)) for values in json.loads(text))
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def _values(card: Card) -> dict[str, Any]:
    return {field.name: getattr(card, field.name) for field in fields(card)}


def _tuples(values: dict[str, Any]) -> dict[str, Any]:
    plain = {key: tuple(value) if isinstance(value, list) else value for key, value in values.items()}
    return plain | {"lines": tuple(tuple(line) for line in plain["lines"])}
