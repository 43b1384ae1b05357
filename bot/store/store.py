"""The store as a whole: opened once, held by one process, pruned of what has had its time."""

import fcntl
import sqlite3
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, closing
from pathlib import Path
from types import TracebackType
from typing import IO

from sqlite_utils import Database

from bot.store.channel_defaults import ChannelDefaults
from bot.store.charts import Charts
from bot.store.feedback import Feedback
from bot.store.inbox import Inbox
from bot.store.outbox import Outbox
from bot.store.questions import Questions
from bot.store.schema import migrations
from knowledge.errors import Refusal

StoreFault = sqlite3.Error  # what any call on the store raises when the file cannot be read or written

DAY = 86_400.0
KEYS_KEPT = DAY  # Slack repeats a delivery for at most an hour, with delayed events for 24 (docs.slack.dev, Events API)
MESSAGES_KEPT = 7 * DAY
QUESTIONS_KEPT = 30 * DAY  # a thread that is older starts anew
HINT = "Set `path` under `[store]` to a file in a folder that this user may write."


class Store:
    """The tables of one file. Every method is short: a few indexed rows, no scan, no network.

    Writes survive a killed process (write-ahead log); after a power cut the last few may be missing, which is why what is
    taken up again after a start is looked for in Slack before it is said.
    """

    def __init__(self, db: Database, clock: Callable[[], float], lock: IO[str] | None = None) -> None:
        self._db, self._clock, self._lock = db, clock, lock
        self.inbox = Inbox(db, clock)
        self.questions = Questions(db, clock)
        self.outbox = Outbox(db, clock)
        self.feedback = Feedback(db, clock)
        self.charts = Charts(db, clock)
        self.defaults = ChannelDefaults(db, clock)

    def atomic(self) -> AbstractContextManager[Database]:
        """A block whose writes all happen or none does."""
        return self._db.atomic()

    def prune(self) -> None:
        """Forgets delivery keys after a day, messages after a week, questions after a month; opinions stay.

        The last delivery stays too: SQLite would give its id to the next one, whose messages would be taken for said already.
        """
        now = self._clock()
        with self.atomic():
            self._db.execute(
                "DELETE FROM outbox WHERE at < ? AND inbox NOT IN (SELECT id FROM inbox WHERE done_at IS NULL)",
                (now - MESSAGES_KEPT,),
            )
            self._db.execute(
                "DELETE FROM inbox WHERE done_at < ? AND id < (SELECT MAX(id) FROM inbox)", (now - KEYS_KEPT,)
            )
            self._db.execute("DELETE FROM charts WHERE at < ?", (now - QUESTIONS_KEPT,))
            self._db.execute("DELETE FROM questions WHERE at < ?", (now - QUESTIONS_KEPT,))

    def beat(self, *, connected: bool) -> None:
        """Says that the process lives and whether Slack reaches it."""
        self._db.execute(
            "INSERT OR REPLACE INTO pulse (id, at, connected) VALUES (1, ?, ?)", (self._clock(), int(connected))
        )

    def pulse(self) -> tuple[float, bool] | None:
        """Seconds since the last beat and what it said; None when there never was one."""
        found = self._db.execute("SELECT at, connected FROM pulse").fetchone()
        return (self._clock() - found[0], bool(found[1])) if found else None

    def try_writing(self) -> None:
        """Takes the file for writing and gives it back. Raises Refusal where that cannot be."""
        try:
            self._db.execute("BEGIN IMMEDIATE")
            self._db.execute("ROLLBACK")
        except sqlite3.Error as fault:
            raise Refusal("store-unwritable", f"The store cannot be written: {fault}.", HINT) from None

    def close(self) -> None:
        """Closes the file and lets another process have it."""
        self._db.close()
        if self._lock is not None:
            self._lock.close()

    def __enter__(self) -> "Store":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_store(path: Path, clock: Callable[[], float], *, alone: bool = True) -> Store:
    """Opens the file, creating it and bringing its tables up to date. Refuses a place that cannot be written.

    `alone` refuses a file that another process holds: two bots on one store would both answer.
    """
    with ExitStack() as opened:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch(mode=0o600)  # what people ask is nobody else's business
            lock = opened.enter_context(_lock(path)) if alone else None
            db = opened.enter_context(closing(Database(sqlite3.connect(path), execute_plugins=False)))
            db.enable_wal()
            db.execute("PRAGMA synchronous = NORMAL")
            migrations.apply(db)
        except OSError as fault:
            raise Refusal("store-unwritable", f"`{path}` cannot be written: {fault.strerror}.", HINT) from None
        except sqlite3.Error as fault:
            raise Refusal("store-unwritable", f"`{path}` cannot be used as the store: {fault}.", HINT) from None
        opened.pop_all()
    return Store(db, clock, lock)


def _lock(path: Path) -> IO[str]:
    lock = path.with_name(f"{path.name}.lock").open("w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        raise Refusal(
            "store-in-use",
            f"Another tuning-bot holds `{path}`.",
            "Stop that one first, or give this one another `path` under `[store]`.",
        ) from None
    return lock
