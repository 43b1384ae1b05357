"""The journal's tables, as migrations: functions that run once each, in order, and are never changed afterwards."""

from sqlite_utils import Database
from sqlite_utils.migrations import Migrations

migrations = Migrations("tuning-bot-jobs")


@migrations()
def jobs(db: Database) -> None:
    """Jobs, their events, attempts, results and baselines, and the work that agents take."""
    db.executescript(
        """
        CREATE TABLE jobs (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            key TEXT NOT NULL UNIQUE,   -- what makes two requests the same one
            hash TEXT NOT NULL,
            spec TEXT NOT NULL,
            model TEXT NOT NULL,
            host TEXT NOT NULL,
            owner TEXT NOT NULL,
            priority INTEGER NOT NULL,  -- higher goes first
            desk TEXT NOT NULL,         -- the process in charge
            origin TEXT NOT NULL,
            state TEXT NOT NULL,        -- of the newest event
            state_at REAL NOT NULL,
            why TEXT NOT NULL,
            requested_at REAL NOT NULL,
            started_at REAL,
            ended_at REAL,
            attempt INTEGER NOT NULL DEFAULT 0
        );
        CREATE INDEX jobs_open ON jobs (host, number)
            WHERE state NOT IN ('done', 'failed', 'cancelled', 'lost');
        CREATE INDEX jobs_by_owner ON jobs (owner, number);
        CREATE INDEX jobs_by_host ON jobs (host, ended_at);
        CREATE TABLE job_events (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            job INTEGER NOT NULL,
            at REAL NOT NULL,
            state TEXT NOT NULL,
            who TEXT NOT NULL,
            why TEXT NOT NULL,
            detail TEXT NOT NULL
        );
        CREATE INDEX job_events_by_job ON job_events (job, id);
        CREATE TABLE attempts (
            key TEXT PRIMARY KEY,       -- bench-JOB-ATTEMPT
            job INTEGER NOT NULL,
            number INTEGER NOT NULL,
            begun_at REAL NOT NULL,
            ended_at REAL,
            steps INTEGER NOT NULL DEFAULT 0,  -- of its progress, how many are in the journal
            result TEXT,                -- what it measured, as JSON
            stale INTEGER NOT NULL DEFAULT 0   -- 1: it came after another attempt had begun
        );
        CREATE INDEX attempts_by_job ON attempts (job, number);
        CREATE TABLE baselines (
            model TEXT NOT NULL,
            host TEXT NOT NULL,
            job INTEGER NOT NULL,
            who TEXT NOT NULL,
            at REAL NOT NULL,
            PRIMARY KEY (model, host)
        );
        CREATE TABLE work (
            key TEXT PRIMARY KEY,
            host TEXT NOT NULL,
            "order" TEXT NOT NULL,      -- what the agent is to do, as JSON
            phase TEXT NOT NULL,        -- queued, running, done, failed, cancelled, lost
            why TEXT NOT NULL DEFAULT '',
            token INTEGER NOT NULL DEFAULT 0,  -- counts the claims: an older one is refused
            agent TEXT,
            cancel TEXT,                -- why it is to be stopped
            progress TEXT,
            result TEXT,
            at REAL NOT NULL
        );
        CREATE INDEX work_open ON work (host, at) WHERE phase IN ('queued', 'running');
        """
    )


@migrations()
def desks_of_work(db: Database) -> None:
    """Work belongs to a desk: a terminal and `serve` may share the file, and each looks after its own."""
    db.executescript(
        """
        ALTER TABLE work ADD COLUMN desk TEXT NOT NULL DEFAULT 'serve';
        DROP INDEX work_open;
        CREATE INDEX work_open ON work (desk, host, at) WHERE phase IN ('queued', 'running');
        """
    )
