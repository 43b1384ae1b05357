"""The entries as rows of a full-text table: SQLite's FTS5 over the signs of each text, in memory."""

import math
import sqlite3
from collections import Counter
from collections.abc import Iterable
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from knowledge.entries import loading
from knowledge.search.cards import Card, cards
from knowledge.search.lines import Lines, lines
from knowledge.search.words import everyday

if TYPE_CHECKING:
    from sqlite_utils import Database

# Columns and their weights in bm25. Found by leaving out one symptom at a time and asking for its entry with it; flat around these;
# with the mechanisms in it was no better.
COLUMNS = {"subject": 2.0, "symptoms": 1.0, "short": 0.6}
_TOKENS = "unicode61 remove_diacritics 0 tokenchars '=.+'"


class Index:
    """The cards of all entries, and what is worked out from them when it is first asked for.

    `entries` has the folder of each entry; one of a team's folder stands for ours of the same id.
    """

    def __init__(self, found: dict[str, Card], entries: dict[str, Path]) -> None:
        self.cards, self.entries = found, entries

    @cached_property
    def names(self) -> dict[str, tuple[str, ...]]:
        """Flags, variables and metrics, squeezed to letters and digits, with the entries about them."""
        found: dict[str, tuple[str, ...]] = {}
        for card in self.cards.values():
            for name in card.names:
                found[name] = (*found.get(name, ()), card.id)
        return found

    @cached_property
    def signatures(self) -> tuple[tuple[str, str], ...]:
        """Pieces of log lines, folded, each with the entry that it points to."""
        return tuple((piece, card.id) for card in self.cards.values() for piece in card.signatures)

    @cached_property
    def rarity(self) -> dict[str, float]:
        """The weight of a sign by how few entries have it."""
        known = Counter(sign for card in self.cards.values() for sign in _signs(card))
        return {sign: _rarity(len(self.cards), having) for sign, having in known.items()}

    @property
    def unknown(self) -> float:
        """The weight of a sign that no entry has."""
        return _rarity(len(self.cards), 0)

    @cached_property
    def lines(self) -> Lines:
        """The single lines of all entries."""
        return lines(self.cards.values())

    @cached_property
    def database(self) -> "Database":
        """The full-text table, in memory."""
        from sqlite_utils import Database

        database = Database(sqlite3.connect(":memory:", check_same_thread=False))
        columns = ", ".join(["id unindexed", *COLUMNS])
        database.execute(f'create virtual table entries using fts5({columns}, tokenize="{_TOKENS}")')
        rows = [
            {"id": card.id} | {name: " ".join(getattr(card, name)) for name in COLUMNS} for card in self.cards.values()
        ]
        database.table("entries").insert_all(rows)
        return database

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

    def subjects(self, sign: str) -> int:
        """How many entries have the sign in their title, words or names."""
        rows = self.database.query("select id from entries where entries match ?", [f'subject : "{sign}"'])
        return sum(1 for _ in rows)


@lru_cache(maxsize=4)
def index(extra_folder: Path | None = None) -> Index:
    """The index over our entries and those of a team's folder."""
    folders = [loading.FOLDER, *([extra_folder] if extra_folder else [])]
    found = {card.id: (card, folder) for folder in folders for card in cards(folder)}
    return Index(
        {entry: card for entry, (card, _) in found.items()}, {entry: folder for entry, (_, folder) in found.items()}
    )


def weight(sign: str) -> int:
    """How much a sign says: a synonym most, then a word; least a pair of characters, of which a word has several, and everyday speech."""
    if sign[0] == "=":
        return 4
    return 2 if sign.isascii() and not everyday(sign) else 1


def _signs(card: Card) -> set[str]:
    return {sign for name in COLUMNS for sign in getattr(card, name)}


def _rarity(entries: int, having: int) -> float:
    return math.log(1 + (entries - having + 0.5) / (having + 0.5))
