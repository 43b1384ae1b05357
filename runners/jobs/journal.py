"""The journal: every step of every job, written before anybody is told; what is shown is rebuilt from it."""

import json
import sqlite3
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from sqlite_utils import Database

from knowledge.errors import Refusal
from runners.jobs.attempts import Attempts
from runners.jobs.baselines import Baselines
from runners.jobs.job import ENDED, RUNNING, Event, Job, State, may_follow
from runners.jobs.schema import migrations
from runners.jobs.spec import BenchSpec
from runners.jobs.transactions import together

COLUMNS = "number, spec, hash, owner, priority, desk, origin, state, state_at, why, requested_at, started_at, ended_at, attempt"
PAGE = 50  # jobs of one listing
_CLOSED = "('done', 'failed', 'cancelled', 'lost')"  # as the index says it


class Journal:
    """The tables of one file. Every method is short: a few indexed rows. Several processes may hold the same file."""

    def __init__(self, db: Database, clock: Callable[[], float]) -> None:
        migrations.apply(db)
        self.db, self._clock = db, clock
        self.attempts = Attempts(db, clock)
        self.baselines = Baselines(db, clock)

    def request(
        self,
        key: str,
        spec: BenchSpec,
        *,
        owner: str,
        desk: str,
        priority: int = 0,
        origin: dict[str, Any] | None = None,
    ) -> Job:
        """Keeps a request. `key` is what it came by (a message, a click, a shell): the same one again gives the same job."""
        with together(self.db):
            if (known := self._one("key = ?", (key,))) is not None:
                return known
            now = self._clock()
            cursor = self.db.execute(
                "INSERT INTO jobs (key, hash, spec, model, host, owner, priority, desk, origin, state, state_at, why,"
                " requested_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '', ?)",
                (
                    *(key, spec.hash, spec.model_dump_json(), spec.model, spec.host, owner, priority, desk),
                    *(json.dumps(origin or {}), State.REQUESTED, now, now),
                ),
            )
            self._write(int(cursor.lastrowid or 0), State.REQUESTED, owner, "", {}, now)
            return self.job(int(cursor.lastrowid or 0))

    def move(
        self,
        number: int,
        state: State,
        *,
        who: str,
        why: str = "",
        detail: dict[str, Any] | None = None,
        at: float | None = None,
    ) -> Event | None:
        """Writes the next step; None where it cannot follow (it is there already, or has ended): then nothing is written."""
        now = self._clock() if at is None else at
        with together(self.db):
            found = self.db.execute("SELECT state FROM jobs WHERE number = ?", (number,)).fetchone()
            if found is None or not may_follow(State(found[0]), state):
                return None
            event = self._write(number, state, who, why, detail or {}, now)
            self.db.execute(
                "UPDATE jobs SET state = ?, state_at = ?, why = ?,"
                " started_at = CASE WHEN ? THEN COALESCE(started_at, ?) ELSE started_at END,"
                " ended_at = CASE WHEN ? THEN ? END WHERE number = ?",
                (state, now, why, state in RUNNING, now, state in ENDED, now, number),
            )
        return event

    def job(self, number: int) -> Job:
        """The job of that number. Raises Refusal when there is none."""
        found = self._one("number = ?", (number,))
        if found is None:
            error = f"There is no run `{number}`."
            raise Refusal("unknown-run", error, "`runs list` shows those there are.", run=number)
        return found

    def events(self, number: int) -> list[Event]:
        """What happened to one job, oldest first."""
        return self._events("job = ? ORDER BY id", (number,))

    def since(self, event: int, most: int = 1000) -> list[Event]:
        """What happened to any job after that event, oldest first: how a front follows the journal."""
        return self._events("id > ? ORDER BY id LIMIT ?", (event, most))

    def newest_event(self) -> int:
        """The id of the last event, 0 when there is none."""
        found = self.db.execute("SELECT MAX(id) FROM job_events").fetchone()
        return int(found[0] or 0)

    def open(self, *, host: str | None = None, desk: str | None = None) -> list[Job]:
        """Every job that goes on, oldest first."""
        where, values = _where({"host": host, "desk": desk})
        return self._jobs(f"state NOT IN {_CLOSED}{where} ORDER BY number", values)

    def listing(
        self,
        *,
        owner: str | None = None,
        model: str | None = None,
        host: str | None = None,
        state: State | None = None,
        before: int | None = None,
        most: int = PAGE,
    ) -> list[Job]:
        """The newest jobs, those before a number where one is given."""
        where, values = _where({"owner": owner, "model": model, "host": host, "state": state})
        limit = "" if before is None else " AND number < ?"
        more = () if before is None else (before,)
        return self._jobs(f"1{where}{limit} ORDER BY number DESC LIMIT ?", (*values, *more, most))

    def finished_on(self, host: str, most: int = 200) -> list[Job]:
        """The jobs that ended there last, newest first: what waiting times are reckoned from."""
        return self._jobs("host = ? AND ended_at IS NOT NULL ORDER BY ended_at DESC LIMIT ?", (host, most))

    def result(self, number: int) -> dict[str, Any] | None:
        """What the job's last attempt measured, None when nothing was."""
        return self.attempts.result(number)

    def _write(self, number: int, state: State, who: str, why: str, detail: dict[str, Any], at: float) -> Event:
        cursor = self.db.execute(
            "INSERT INTO job_events (job, at, state, who, why, detail) VALUES (?, ?, ?, ?, ?, ?)",
            (number, at, state, who, why, json.dumps(detail)),
        )
        return Event(id=int(cursor.lastrowid or 0), job=number, at=at, state=state, who=who, why=why, detail=detail)

    def _events(self, where: str, values: Iterable[object]) -> list[Event]:
        select = f"SELECT id, job, at, state, who, why, detail FROM job_events WHERE {where}"  # noqa: S608 - fixed texts
        rows = self.db.execute(select, tuple(values))
        return [
            Event(id=row, job=job, at=at, state=State(state), who=who, why=why, detail=json.loads(detail))
            for row, job, at, state, who, why, detail in rows
        ]

    def _one(self, where: str, values: tuple[object, ...]) -> Job | None:
        return next(iter(self._jobs(where, values)), None)

    def _jobs(self, where: str, values: Iterable[object]) -> list[Job]:
        rows = self.db.execute(f"SELECT {COLUMNS} FROM jobs WHERE {where}", tuple(values))  # noqa: S608 - fixed texts
        return [_job(row) for row in rows]


def open_journal(path: Path, clock: Callable[[], float]) -> Journal:
    """The journal in a file that another process may hold too. Refuses a place that cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
        db = Database(sqlite3.connect(path, timeout=10), execute_plugins=False)
        db.enable_wal()
        db.execute("PRAGMA synchronous = NORMAL")
        return Journal(db, clock)
    except (OSError, sqlite3.Error) as fault:
        hint = "Set `path` under `[store]` to a file in a folder that this user may write."
        raise Refusal("store-unwritable", f"`{path}` cannot be written: {fault}.", hint) from None


def _where(equal: dict[str, object]) -> tuple[str, tuple[object, ...]]:
    given = {name: value for name, value in equal.items() if value is not None}
    return "".join(f" AND {name} = ?" for name in given), tuple(given.values())


def _job(row: tuple[Any, ...]) -> Job:
    number, spec, digest, owner, priority, desk, origin, state, state_at, why, requested, started, ended, attempt = row
    return Job(
        number=number,
        spec=BenchSpec.model_validate_json(spec),
        hash=digest,
        owner=owner,
        priority=priority,
        desk=desk,
        origin=json.loads(origin),
        state=State(state),
        state_at=state_at,
        why=why,
        requested_at=requested,
        started_at=started,
        ended_at=ended,
        attempt=attempt,
    )
