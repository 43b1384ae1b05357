"""The attempts of jobs: a row before anything is started, a result only from the one that counts."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqlite_utils import Database

from runners.jobs.transactions import together


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One try at a job. `key` is its name everywhere: file, log and result; `steps` counts those of its progress that are journaled.

    `begun_at` (seconds since 1970) tells it from one of the same name in another store; `open` says that it has not ended.
    """

    key: str
    job: int
    number: int
    begun_at: float
    steps: int
    open: bool


class Attempts:
    """Attempts by job."""

    def __init__(self, db: Database, clock: Callable[[], float]) -> None:
        self._db, self._clock = db, clock

    def begin(self, job: int, number: int) -> Attempt:
        """Writes down the n-th attempt, or finds it written: a crash in between changes nothing."""
        key = f"bench-{job}-{number}"
        with together(self._db):
            self._db.execute(
                "INSERT OR IGNORE INTO attempts (key, job, number, begun_at) VALUES (?, ?, ?, ?)",
                (key, job, number, self._clock()),
            )
            self._db.execute("UPDATE jobs SET attempt = ? WHERE number = ? AND attempt < ?", (number, job, number))
        attempt = self._attempt("key = ?", (key,))
        assert attempt is not None
        return attempt

    def current(self, job: int) -> Attempt | None:
        """The newest attempt, None before any."""
        return self._attempt("job = ? ORDER BY number DESC LIMIT 1", (job,))

    def journaled(self, key: str, steps: int) -> None:
        """So many steps of its progress are in the journal now."""
        self._db.execute("UPDATE attempts SET steps = ? WHERE key = ?", (steps, key))

    def end(self, key: str, result: dict[str, Any] | None) -> bool:
        """Keeps what it measured. False when a later attempt has begun: then it is kept as stale, and does not count."""
        with together(self._db):
            later = self._db.execute(
                "SELECT 1 FROM attempts AS other JOIN attempts AS this ON other.job = this.job"
                " WHERE this.key = ? AND other.number > this.number",
                (key,),
            ).fetchone()
            self._db.execute(
                "UPDATE attempts SET ended_at = COALESCE(ended_at, ?), result = ?, stale = ? WHERE key = ?",
                (self._clock(), None if result is None else json.dumps(result), int(later is not None), key),
            )
        return later is None

    def result(self, job: int) -> dict[str, Any] | None:
        """What the newest attempt that counts measured."""
        found = self._db.execute(
            "SELECT result FROM attempts WHERE job = ? AND stale = 0 AND result IS NOT NULL ORDER BY number DESC LIMIT 1",
            (job,),
        ).fetchone()
        return json.loads(found[0]) if found else None

    def _attempt(self, where: str, values: tuple[object, ...]) -> Attempt | None:
        select = f"SELECT key, job, number, begun_at, steps, ended_at IS NULL FROM attempts WHERE {where}"  # noqa: S608
        row = self._db.execute(select, values).fetchone()
        if row is None:
            return None
        key, job, number, begun_at, steps, is_open = row
        return Attempt(key=key, job=job, number=number, begun_at=begun_at, steps=steps, open=bool(is_open))
