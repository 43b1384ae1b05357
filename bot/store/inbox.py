"""What came in and is to be worked off: every delivery once, in the order of its lane, across restarts."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from sqlite_utils import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """A row that is not done: `body` is the work as JSON, `busy` whether too much was waiting when it came."""

    id: int
    lane: str
    body: str
    busy: bool


class Inbox:
    """Accepts each key once and remembers it until it is pruned."""

    def __init__(self, db: Database, clock: Callable[[], float]) -> None:
        self._db, self._clock = db, clock

    def accept(self, key: str, lane: str, body: str, *, busy: bool = False) -> int | None:
        """Keeps one delivery before it is acknowledged: its row's id, None for one that was accepted before."""
        cursor = self._db.execute(
            "INSERT OR IGNORE INTO inbox (key, lane, body, busy, at) VALUES (?, ?, ?, ?, ?)",
            (key, lane, body, int(busy), self._clock()),
        )
        return cursor.lastrowid if cursor.rowcount else None

    def get(self, row: int) -> Received | None:
        """A row that is not done yet."""
        return next(self._open("AND id = ?", (row,)), None)

    def open(self) -> list[Received]:
        """Every row that is not done, oldest first."""
        return list(self._open("ORDER BY id", ()))

    def done(self, row: int, outcome: str) -> None:
        """Nothing more will be done; what was said is forgotten, the key is kept."""
        self._db.execute(
            "UPDATE inbox SET done_at = ?, outcome = ?, body = '' WHERE id = ?", (self._clock(), outcome, row)
        )

    def _open(self, also: str, values: tuple[object, ...]) -> Iterator[Received]:
        select = "SELECT id, lane, body, busy FROM inbox WHERE done_at IS NULL"
        for row, lane, body, busy in self._db.execute(f"{select} {also}", values):
            yield Received(id=row, lane=lane, body=body, busy=bool(busy))
