"""What was asked, how it was understood and where its answer stands."""

from collections.abc import Callable
from dataclasses import dataclass

from sqlite_utils import Database

COLUMNS = (
    "key, channel, ts, thread, user, text, understood, language, answer_ts, revision, deleted_at IS NOT NULL, started"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question. `ts` is None for a slash command, `thread` the first message of its thread ('' when it is in none).

    `understood` is None until it is answered, `answer_ts` unless the answer is a message. `revision` counts the answer's changes.
    `started` is what the log in it observed of a start, as JSON; None where it has none.
    """

    key: str
    channel: str
    ts: str | None
    thread: str
    user: str
    text: str
    understood: str | None = None
    language: str | None = None
    answer_ts: str | None = None
    revision: int = 0
    deleted: bool = False
    started: str | None = None


class Questions:
    """Questions by key, by message and by thread."""

    def __init__(self, db: Database, clock: Callable[[], float]) -> None:
        self._db, self._clock = db, clock

    def add(self, question: Question) -> None:
        """Keeps a question, unless its message is known already."""
        self._db.execute(
            "INSERT OR IGNORE INTO questions (key, channel, ts, thread, user, text, at) VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                question.key,
                question.channel,
                question.ts,
                question.thread,
                question.user,
                question.text,
                self._clock(),
            ),
        )

    def by_key(self, key: str) -> Question | None:
        """The question with this key."""
        return self._one("key = ?", (key,))

    def at(self, channel: str, ts: str) -> Question | None:
        """The question that a message is."""
        return self._one("channel = ? AND ts = ?", (channel, ts))

    def before(self, channel: str, thread: str, ts: str) -> Question | None:
        """The last answered question of the thread that was asked before `ts`; a thread may hang on a question or on an answer."""
        where = "channel = ? AND (thread = ? OR ts = ? OR answer_ts = ?) AND ts < ?"
        also = "AND understood IS NOT NULL AND deleted_at IS NULL ORDER BY ts DESC LIMIT 1"
        return self._one(f"{where} {also}", (channel, thread, thread, thread, ts))

    def in_thread(self, channel: str, thread: str) -> bool:
        """Whether something was asked in this thread."""
        found = self._db.execute("SELECT 1 FROM questions WHERE channel = ? AND thread = ? LIMIT 1", (channel, thread))
        return found.fetchone() is not None

    def answered(
        self, key: str, understood: str, language: str, text: str | None = None, *, started: str | None = None
    ) -> None:
        """Keeps what the thread goes on from; `text` is the question's new text after an edit."""
        self._db.execute(
            "UPDATE questions SET understood = ?, language = ?, text = COALESCE(?, text), started = ? WHERE key = ?",
            (understood, language, text, started, key),
        )

    def stands_at(self, key: str, answer_ts: str) -> None:
        """The answer is the message at `answer_ts`."""
        self._db.execute("UPDATE questions SET answer_ts = ? WHERE key = ?", (answer_ts, key))

    def revised(self, key: str) -> int:
        """Counts one more change of the answer: its number."""
        self._db.execute("UPDATE questions SET revision = revision + 1 WHERE key = ?", (key,))
        found = self._db.execute("SELECT revision FROM questions WHERE key = ?", (key,)).fetchone()
        return int(found[0]) if found else 0

    def delete(self, question: Question) -> None:
        """Marks the message as deleted, known before or not: a delivery of it that comes late is then not answered."""
        self.add(question)
        self._db.execute(
            "UPDATE questions SET deleted_at = ?, text = '', understood = NULL, started = NULL WHERE channel = ? AND ts = ?",
            (self._clock(), question.channel, question.ts),
        )

    def _one(self, where: str, values: tuple[object, ...]) -> Question | None:
        found = self._db.execute(f"SELECT {COLUMNS} FROM questions WHERE {where}", values).fetchone()  # noqa: S608 - fixed texts
        if found is None:
            return None
        key, channel, ts, thread, user, text, understood, language, answer_ts, revision, deleted, started = found
        return Question(
            key=key,
            channel=channel,
            ts=ts,
            thread=thread,
            user=user,
            text=text,
            understood=understood,
            language=language,
            answer_ts=answer_ts,
            revision=revision,
            deleted=bool(deleted),
            started=started,
        )
