"""The run that others are held against, by model and host."""

from collections.abc import Callable

from sqlite_utils import Database


class Baselines:
    """At most one run for each model and host; the newest choice counts."""

    def __init__(self, db: Database, clock: Callable[[], float]) -> None:
        self._db, self._clock = db, clock

    def set(self, model: str, host: str, job: int, who: str) -> None:
        """Makes a run the baseline."""
        self._db.execute(
            "INSERT OR REPLACE INTO baselines (model, host, job, who, at) VALUES (?, ?, ?, ?, ?)",
            (model, host, job, who, self._clock()),
        )

    def of(self, model: str, host: str) -> int | None:
        """The number of the baseline, None when none was chosen."""
        found = self._db.execute("SELECT job FROM baselines WHERE model = ? AND host = ?", (model, host)).fetchone()
        return int(found[0]) if found else None
