"""The jobs of this process: journal, queue, foreman and, in `serve`, the listener for agents; put together and taken apart."""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.agents import SOCKET, Listener, tokens
from bot.settings import Settings
from runners.dispatch.embedded import Embedded
from runners.dispatch.link import UNIX
from runners.foreman import Foreman, orphans
from runners.jobs.journal import Journal, open_journal
from runners.machines.host import Host
from runners.processes import guarded, warden

SERVE = "serve"
LOCAL = "local"


@dataclass(frozen=True, slots=True, kw_only=True)
class Jobs:
    """What a front needs of jobs: the journal to read and to request in, the foreman to follow and to cancel with."""

    journal: Journal
    foreman: Foreman
    embedded: Embedded
    hosts: Mapping[str, Host]
    desk: str


@asynccontextmanager
async def at_work(
    path: Path, hosts: Mapping[str, Host], desk: str, urls: Collection[str] | None = None
) -> AsyncIterator[Jobs]:
    """The jobs of one desk, moved by a foreman meanwhile. Jobs of terminals that died come to an end first."""
    clock = time.time
    journal = open_journal(path, clock)
    orphans(journal, _lives, desks={SERVE, desk})
    embedded = Embedded(journal.db, hosts, clock, time.monotonic, urls, desk)
    foreman = Foreman(journal, embedded, desk, clock, _learner(path))
    working = asyncio.create_task(foreman.run(embedded.changed))
    try:
        yield Jobs(journal=journal, foreman=foreman, embedded=embedded, hosts=hosts, desk=desk)
    finally:
        working.cancel()
        with suppress(asyncio.CancelledError):
            await working
        journal.db.close()


@asynccontextmanager
async def heard(settings: Settings, environment: Mapping[str, str]) -> AsyncIterator[Jobs]:
    """The jobs of `serve`, with its agents listened to. Raises Refusal where that cannot be."""
    hosts = {host.name: host for host in settings.hosts}
    where = settings.agents.listen or f"{UNIX}{settings.store.path.resolve().parent / SOCKET}"
    urls = frozenset(server.url.rstrip("/") for server in settings.servers)
    async with at_work(settings.store.path, hosts, SERVE, urls) as jobs:
        listener = Listener(jobs.embedded, None if where.startswith(UNIX) else tokens(environment))
        await listener.start(where)
        try:
            yield jobs
        finally:
            await listener.close()


def _learner(store: Path) -> Callable[[dict[str, Any]], None]:
    """Keeps what starts observed beside the store, where the next estimate for that host finds it."""

    def learn(terms: dict[str, Any]) -> None:
        from knowledge.fit.observed import FILE_NAME, Observed, ObservedFile, remember

        remember(Observed.model_validate(terms), ObservedFile(store.parent / FILE_NAME))

    return learn


def own_desk() -> str:
    """The desk of a terminal: it names this very process, so that others know when it is gone."""
    stat = warden.stat_of(os.getpid())
    return f"{LOCAL}:{os.getpid()}:{stat[3] if stat else 0}"


def _lives(desk: str) -> bool:
    kind, _, process = desk.partition(":")
    pid, _, started = process.partition(":")
    return kind != LOCAL or not pid.isdigit() or guarded.alive(int(pid), int(started))
