"""Which answers have their memory chart, so that none gets two."""

from collections.abc import Callable
from enum import StrEnum
from hashlib import sha256

from sqlite_utils import Database


class Drawn(StrEnum):
    """What is known of an answer's chart before one is uploaded."""

    NO = "no"
    BEGUN = "begun"  # by a process that ended meanwhile, or without Slack saying how it ended
    THERE = "there"


class Charts:
    """Charts by question and by what it was understood as: a changed answer may have another one."""

    def __init__(self, db: Database, clock: Callable[[], float]) -> None:
        self._db, self._clock = db, clock

    def begin(self, question: str, understood: str) -> Drawn:
        """Marks the chart as begun; what was known before that."""
        key = (question, _digest(understood))
        marked = self._db.execute(
            "INSERT OR IGNORE INTO charts (question, understood, at, there) VALUES (?, ?, ?, 0)", (*key, self._clock())
        )
        if marked.rowcount:
            return Drawn.NO
        found = self._db.execute("SELECT there FROM charts WHERE question = ? AND understood = ?", key).fetchone()
        return Drawn.THERE if found == (1,) else Drawn.BEGUN

    def there(self, question: str, understood: str) -> None:
        """It arrived."""
        self._db.execute(
            "UPDATE charts SET there = 1 WHERE question = ? AND understood = ?", (question, _digest(understood))
        )

    def drop(self, question: str, understood: str) -> None:
        """It did not arrive, for certain: it may be tried again."""
        self._db.execute("DELETE FROM charts WHERE question = ? AND understood = ?", (question, _digest(understood)))


def _digest(understood: str) -> str:
    return sha256(understood.encode()).hexdigest()
