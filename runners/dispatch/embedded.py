"""The default dispatcher: a queue in the store, from which agents take their work."""

import asyncio
import json
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from typing import Any

from sqlite_utils import Database

from knowledge.errors import Refusal
from runners.dispatch.leases import Leases
from runners.dispatch.link import LEASE_S, Claim, Fenced, Turned
from runners.dispatch.orders import Order, Progress
from runners.dispatch.protocol import Phase, Seen
from runners.jobs.spec import BenchSpec
from runners.jobs.transactions import together
from runners.machines.host import Host

KEPT_S = 7 * 86_400.0  # an attempt that has ended: its result is in the journal
LOST = "The agent on `{host}` was not heard of for {minutes:.0f} minutes."


class Embedded:
    """Attempts by key. `clock` is in seconds since 1970 and only dates rows; leases go by `steady`, which no clock change moves.

    `desk` is whose attempts these are: others in the same file are left alone. `changed` is set whenever an attempt has reached another state. `urls` are the running servers that may be measured, None for any.
    """

    def __init__(
        self,
        db: Database,
        hosts: Mapping[str, Host],
        clock: Callable[[], float],
        steady: Callable[[], float],
        urls: Collection[str] | None = None,
        desk: str = "serve",
    ) -> None:
        self._db, self._hosts, self._clock, self._urls, self._desk = db, hosts, clock, urls, desk
        self._leases = Leases(steady, LEASE_S)
        self._work: dict[str, asyncio.Event] = defaultdict(asyncio.Event)
        self._steps: dict[str, int] = {}
        self.changed = asyncio.Event()

    # What the queue asks

    async def submit(self, order: Order) -> str:
        """Hands an attempt to the agent of its host."""
        now = self._clock()
        self._db.execute("DELETE FROM work WHERE phase NOT IN ('queued', 'running') AND at < ?", (now - KEPT_S,))
        self._db.execute(
            'INSERT OR IGNORE INTO work (key, host, "order", phase, at, desk) VALUES (?, ?, ?, ?, ?, ?)',
            (order.key, order.spec.host, order.model_dump_json(), Phase.QUEUED, now, self._desk),
        )
        self._work[order.spec.host].set()
        return order.key

    async def observe(self, keys: Collection[str]) -> dict[str, Seen]:
        """Where they stand; an attempt whose lease has run out is lost from now on."""
        for key in self._leases.run_out():
            self._lose(key)
        return {key: self._seen(key) for key in keys}

    async def cancel(self, key: str, why: str) -> None:
        """One that waits is cancelled at once; one that runs is stopped when its agent next speaks."""
        with together(self._db):
            self._db.execute(
                "UPDATE work SET phase = ?, why = ? WHERE key = ? AND phase = ?",
                (Phase.CANCELLED, why, key, Phase.QUEUED),
            )
            self._db.execute(
                "UPDATE work SET cancel = COALESCE(cancel, ?) WHERE key = ? AND phase = ?", (why, key, Phase.RUNNING)
            )
        self.changed.set()

    async def fits(self, spec: BenchSpec) -> Refusal | None:
        """Whether the host is configured, and whether this may run there."""
        host = self._hosts.get(spec.host)
        if spec.url is not None and self._urls is not None and spec.url.rstrip("/") not in self._urls:
            error = f"`{spec.url}` is not among the configured servers."
            return Refusal("unknown-server", error, "Name it under `[[servers]]` first.", url=spec.url)
        if host is not None:
            return host.why_not(spec)
        known = ", ".join(f"`{name}`" for name in self._hosts) or "none"
        error = f"There is no host `{spec.host}`."
        return Refusal("unknown-host", error, f"Configured are: {known}.", host=spec.host)

    def heard(self, host: str) -> float | None:
        """Seconds since the agent of that host last spoke, None when it never did since we began."""
        return self._leases.heard(host)

    # What agents ask

    def admit(self, host: str, instance: str) -> None:
        """Takes an agent for its host. Raises Turned while another one answers for it."""
        if host not in self._hosts:
            raise Turned(f"`{host}` is not among the configured hosts.")
        if not self._leases.admit(host, instance):
            raise Turned(f"Another agent answers for `{host}`.")

    def claim(self, host: str, running: Collection[str]) -> Claim | None:
        """The oldest attempt of that host which its agent is not running: also one that it had before it was restarted."""
        with together(self._db):
            rows = self._db.execute(
                'SELECT key, "order", token FROM work WHERE desk = ? AND host = ? AND phase IN (?, ?) ORDER BY at, key',
                (self._desk, host, Phase.QUEUED, Phase.RUNNING),
            ).fetchall()
            found = next(((key, order, token) for key, order, token in rows if key not in running), None)
            if found is None:
                return None
            key, order, token = found
            self._db.execute("UPDATE work SET phase = ?, token = ? WHERE key = ?", (Phase.RUNNING, token + 1, key))
        self._leases.renew(key)
        self.changed.set()
        return Claim(Order.model_validate_json(order), token + 1)

    async def wait_for_work(self, host: str, running: Collection[str], seconds: float) -> Claim | None:
        """The next claim, waited for."""
        try:
            async with asyncio.timeout(seconds):
                while (claim := self.claim(host, running)) is None:
                    self._work[host].clear()
                    await self._work[host].wait()
                return claim
        except TimeoutError:
            return None

    def renew(self, key: str, token: int, progress: Progress) -> str | None:
        """Keeps an attempt alive: why it is to be stopped, None when it is not. Raises Fenced."""
        phase, cancel = self._held(key, token)
        if phase is not Phase.RUNNING:
            raise Fenced(key)
        self._leases.renew(key)
        self._db.execute("UPDATE work SET progress = ? WHERE key = ?", (progress.model_dump_json(), key))
        if self._steps.get(key) != len(progress.steps):  # mere counts wait for whoever looks next
            self._steps[key] = len(progress.steps)
            self.changed.set()
        return cancel

    def finish(self, key: str, token: int, progress: Progress, result: dict[str, Any]) -> None:
        """Keeps the result; the first one stays. Raises Fenced when the attempt counts no more: then it is kept beside it, unread."""
        phase, _ = self._held(key, token)
        if phase is Phase.DONE:
            return
        after = Phase.DONE if phase is Phase.RUNNING else phase
        self._db.execute(
            "UPDATE work SET phase = ?, progress = ?, result = ? WHERE key = ?",
            (after, progress.model_dump_json(), json.dumps(result), key),
        )
        self._leases.end(key)
        self._steps.pop(key, None)
        if after is not Phase.DONE:
            raise Fenced(key)
        self.changed.set()

    def _held(self, key: str, token: int) -> tuple[Phase, str | None]:
        found = self._db.execute("SELECT phase, cancel, token FROM work WHERE key = ?", (key,)).fetchone()
        if found is None or found[2] != token:
            raise Fenced(key)
        return Phase(found[0]), found[1]

    def _lose(self, key: str) -> None:
        """An attempt that was being stopped anyway is cancelled: nobody wants it again."""
        with together(self._db):
            host = self._db.execute("SELECT host FROM work WHERE key = ?", (key,)).fetchone()[0]
            why = LOST.format(host=host, minutes=LEASE_S / 60)
            self._db.execute(
                "UPDATE work SET phase = CASE WHEN cancel IS NULL THEN ? ELSE ? END, why = COALESCE(cancel, ?)"
                " WHERE key = ? AND phase = ?",
                (Phase.LOST, Phase.CANCELLED, why, key, Phase.RUNNING),
            )

    def _seen(self, key: str) -> Seen:
        found = self._db.execute(
            "SELECT host, phase, why, progress, result, at FROM work WHERE key = ?", (key,)
        ).fetchone()
        if found is None:
            return Seen(phase=Phase.UNKNOWN)
        host, phase, why, progress, result, at = found
        if Phase(phase) is Phase.RUNNING:
            self._leases.begin(key)
        queued = Phase(phase) is Phase.QUEUED
        return Seen(
            phase=Phase(phase),
            why=self._silence(host) if queued else why,
            host=host,
            ahead=self._ahead(host, at) if queued else None,
            progress=Progress.model_validate_json(progress) if progress else None,
            result=json.loads(result) if result else None,
        )

    def _ahead(self, host: str, at: float) -> int:
        waiting = "SELECT COUNT(*) FROM work WHERE desk = ? AND host = ? AND at < ? AND phase = 'queued'"
        return int(self._db.execute(waiting, (self._desk, host, at)).fetchone()[0])

    def _silence(self, host: str) -> str:
        """Why nobody takes it: '' when its agent is there and will."""
        silent = self.heard(host)
        if silent is None:
            return f"No agent has called for `{host}`."
        return f"The agent on `{host}` was last heard of {silent / 60:.0f} minutes ago." if silent > LEASE_S / 2 else ""
