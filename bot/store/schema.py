"""The store's tables, as migrations: functions that run once each, in order, and are never changed afterwards."""

from sqlite_utils import Database
from sqlite_utils.migrations import Migrations

migrations = Migrations("tuning-bot")


@migrations()
def conversations(db: Database) -> None:
    """What came in, what was asked, what goes out, what people thought of it."""
    db.executescript(
        """
        CREATE TABLE inbox (
            id INTEGER PRIMARY KEY,
            key TEXT NOT NULL UNIQUE,  -- what makes two deliveries the same
            lane TEXT NOT NULL,        -- rows of one lane are worked off in order
            body TEXT NOT NULL,        -- the work as JSON, emptied when it is done
            busy INTEGER NOT NULL,     -- 1: too much was waiting, say so instead of answering
            at REAL NOT NULL,
            done_at REAL,
            outcome TEXT
        );
        CREATE INDEX inbox_open ON inbox (id) WHERE done_at IS NULL;
        CREATE TABLE questions (
            key TEXT PRIMARY KEY,
            channel TEXT NOT NULL,
            ts TEXT,                   -- NULL for a slash command, which is no message
            thread TEXT NOT NULL,      -- the thread's first message, '' beside it in a direct conversation
            user TEXT NOT NULL,
            text TEXT NOT NULL,        -- with secrets masked
            understood TEXT,           -- what the thread's next message goes on from, as JSON
            language TEXT,
            answer_ts TEXT,
            revision INTEGER NOT NULL DEFAULT 0,
            at REAL NOT NULL,
            deleted_at REAL,
            UNIQUE (channel, ts)
        );
        CREATE INDEX questions_by_thread ON questions (channel, thread, ts);
        CREATE INDEX questions_by_answer ON questions (channel, answer_ts);
        CREATE INDEX questions_by_age ON questions (at);
        CREATE TABLE outbox (
            id INTEGER PRIMARY KEY,
            key TEXT NOT NULL UNIQUE,  -- travels in the message's metadata
            inbox INTEGER NOT NULL,
            question TEXT,
            call TEXT NOT NULL,        -- post, update, delete or respond
            target TEXT NOT NULL,      -- a channel's id, or a response URL
            body TEXT NOT NULL,        -- the arguments as JSON
            state TEXT NOT NULL,       -- new, tried, sent or failed
            ts TEXT,
            error TEXT,
            at REAL NOT NULL
        );
        CREATE INDEX outbox_by_inbox ON outbox (inbox);
        CREATE TABLE feedback (
            question TEXT NOT NULL,
            user TEXT NOT NULL,
            value TEXT NOT NULL,       -- helpful or not-helpful
            at REAL NOT NULL,
            PRIMARY KEY (question, user)
        );
        CREATE TABLE pulse (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            at REAL NOT NULL,
            connected INTEGER NOT NULL
        );
        """
    )


@migrations()
def reasons_and_defaults(db: Database) -> None:
    """Why an answer did not help; what holds in a channel because somebody said so there."""
    db.executescript(
        """
        ALTER TABLE feedback ADD COLUMN reason TEXT;  -- NULL where none was given
        CREATE TABLE channel_defaults (
            channel TEXT NOT NULL,
            name TEXT NOT NULL,        -- model, vllm_version, language or broadcast
            value TEXT NOT NULL,
            user TEXT NOT NULL,        -- who set it
            at REAL NOT NULL,
            PRIMARY KEY (channel, name)
        );
        """
    )


@migrations()
def starts_and_charts(db: Database) -> None:
    """What a start-up log observed, for keeping it later; which charts were begun, and which are there."""
    db.executescript(
        """
        ALTER TABLE questions ADD COLUMN started TEXT;  -- what the answer's log observed, as JSON
        CREATE TABLE charts (
            question TEXT NOT NULL,
            understood TEXT NOT NULL,  -- a digest: another answer to the question is another chart
            at REAL NOT NULL,
            there INTEGER NOT NULL,    -- 0: an upload began and its end is not known
            PRIMARY KEY (question, understood)
        );
        """
    )
