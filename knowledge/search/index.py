"""The entries as rows of a full-text table: SQLite's FTS5 over the signs of each text, in memory."""

import math
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from knowledge.entries import loading
from knowledge.entries.schema import Entry
from knowledge.search.signatures import names_of
from knowledge.search.words import everyday, signs_of_line

if TYPE_CHECKING:
    from sqlite_utils import Database

# Columns and their weights in bm25. Found by leaving out one symptom at a time and asking for its entry with it; flat around these.
COLUMNS = {"subject": 2.0, "symptoms": 1.0, "short": 0.6, "mechanism": 0.3}
_TOKENS = "unicode61 remove_diacritics 0 tokenchars '=.+'"


@dataclass(frozen=True, slots=True)
class Index:
    """`rarity` is the weight of a sign by how few entries have it; `unknown` that of a sign which none has.

    `names` are flags, variables and metrics, squeezed to letters and digits, with the entries about them;
    `signatures` pieces of log lines, folded, with theirs. `logged` are entries that people rather meet in a log than ask about.
    """

    database: "Database"
    rarity: dict[str, float]
    unknown: float
    names: dict[str, tuple[str, ...]]
    signatures: tuple[tuple[str, str], ...]
    entries: dict[str, Path]
    logged: frozenset[str]

    def scores(self, wanted: Iterable[str]) -> list[tuple[str, float]]:
        """Every entry that has one of the signs with its bm25 score, best first; equal ones by id."""
        known = sorted(sign for sign in set(wanted) if sign in self.rarity)
        query = " OR ".join(f'"{sign}"' for sign in known for _ in range(weight(sign)))
        if not query:
            return []
        weights = ", ".join(str(weight) for weight in (0.0, *COLUMNS.values()))
        sql = (
            f"select id, -bm25(entries, {weights}) as score from entries where entries match ? order by score desc, id"  # noqa: S608 - constants
        )
        return [(row["id"], row["score"]) for row in self.database.query(sql, [query])]


@lru_cache(maxsize=4)
def index(extra_folder: Path | None = None) -> Index:
    """The index over our entries and those of a team's folder, whose entry stands for ours of the same id."""
    folders = [loading.FOLDER, *([extra_folder] if extra_folder else [])]
    entries = {entry.id: (entry, folder) for folder in folders for entry in loading.every(folder)}
    return _built([entry for entry, _ in entries.values()], {each: folder for each, (_, folder) in entries.items()})


def weight(sign: str) -> int:
    """How much a sign says: a synonym most, then a word; least a pair of characters, of which a word has several, and everyday speech."""
    if sign[0] == "=":
        return 4
    return 2 if sign.isascii() and not everyday(sign) else 1


def _built(entries: list[Entry], folders: dict[str, Path]) -> Index:
    rows = [_row(entry) for entry in entries]
    known = Counter(sign for row in rows for sign in {*" ".join(row[column] for column in COLUMNS).split()})
    names: dict[str, tuple[str, ...]] = {}
    for entry in entries:
        for name in names_of(entry):
            names[name] = (*names.get(name, ()), entry.id)
    signatures = [(" ".join(piece.lower().split()), entry.id) for entry in entries for piece in entry.log_signatures]
    count = len(rows)
    return Index(
        database=_table(rows),
        rarity={sign: _rarity(count, having) for sign, having in known.items()},
        unknown=_rarity(count, 0),
        names=names,
        signatures=tuple(signatures),
        entries=folders,
        logged=frozenset(entry.id for entry in entries if entry.mostly_logged),
    )


def _rarity(entries: int, having: int) -> float:
    return math.log(1 + (entries - having + 0.5) / (having + 0.5))


def _table(rows: list[dict[str, str]]) -> "Database":
    from sqlite_utils import Database

    database = Database(sqlite3.connect(":memory:", check_same_thread=False))
    columns = ", ".join(["id unindexed", *COLUMNS])
    database.execute(f'create virtual table entries using fts5({columns}, tokenize="{_TOKENS}")')
    database.table("entries").insert_all(rows)
    return database


def _row(entry: Entry) -> dict[str, str]:
    return {"id": entry.id} | {column: " ".join(found) for column, found in _columns(entry).items()}


def _columns(entry: Entry) -> dict[str, Iterator[str]]:
    texts = (entry.en, entry.zh)
    subjects = (*(text.title for text in texts), *(word for text in texts for word in text.words), *entry.names)
    return {
        "subject": _each(subjects),
        "symptoms": _each(line for text in texts for line in text.symptoms),
        "short": _each(text.short for text in texts),
        "mechanism": _each(text.mechanism for text in texts),
    }


def _each(texts: Iterable[str]) -> Iterator[str]:
    return (sign for text in texts for sign in signs_of_line(text))
