"""Whether answers helped: one opinion for each person and question, the last one counts."""

from collections.abc import Callable

from sqlite_utils import Database


class Feedback:
    """Opinions by question and person."""

    def __init__(self, db: Database, clock: Callable[[], float]) -> None:
        self._db, self._clock = db, clock

    def rate(self, question: str, user: str, value: str) -> bool:
        """Keeps an opinion; False when the person said the same before."""
        said = self._db.execute("SELECT value FROM feedback WHERE question = ? AND user = ?", (question, user))
        if said.fetchone() == (value,):
            return False
        self._db.execute(
            "INSERT OR REPLACE INTO feedback (question, user, value, at) VALUES (?, ?, ?, ?)",
            (question, user, value, self._clock()),
        )
        return True

    def explain(self, question: str, user: str, reason: str) -> bool:
        """Keeps why an answer did not help; False where the person never said that it did not."""
        changed = self._db.execute(
            "UPDATE feedback SET reason = ? WHERE question = ? AND user = ? AND value = 'not-helpful'",
            (reason, question, user),
        )
        return changed.rowcount > 0

    def of(self, question: str) -> dict[str, str]:
        """Who thought what."""
        return dict(self._db.execute("SELECT user, value FROM feedback WHERE question = ?", (question,)).fetchall())
