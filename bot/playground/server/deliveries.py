"""Bringing events, commands and interactions to the app: subscriptions, retries, acknowledgements and their latency."""

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from bot.playground.server import events
from bot.playground.server.common import Common
from bot.playground.server.faults import CutAfterSend, Duplicate, EventFault, LoseAck
from bot.playground.server.manifest import Manifest
from bot.playground.server.state import Json
from bot.playground.server.violations import Rule
from bot.playground.server.workspace import Team

Kind = Literal["events_api", "slash_commands", "interactive"]


class NotDelivered(Exception):
    """Nobody acknowledged; `reason` is the word that a retry carries (`timeout`, `connection_failed`, `http_error`)."""

    def __init__(self, reason: str, *, retry: bool = True) -> None:
        super().__init__(reason)
        self.reason = reason
        self.retry = retry


@dataclass(frozen=True, slots=True)
class Parcel:
    """One delivery attempt as the transport sends it."""

    kind: Kind
    name: str
    payload: Json
    accepts_payload: bool
    retry: int = 0
    retry_reason: str = ""
    cut: bool = False
    """Abort the connection right after sending."""


class Transport(Protocol):
    """Socket Mode or HTTP."""

    async def send(self, parcel: Parcel) -> Json:
        """The payload of the acknowledgement ({} for none); raises NotDelivered."""


@dataclass(slots=True)
class Delivery:
    """What became of one event, command or interaction; latencies are seconds from sending to acknowledgement."""

    kind: Kind
    name: str
    payload: Json
    latencies: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    answer: Json = field(default_factory=dict)
    refused_retries: bool = False
    finished: bool = False

    @property
    def acked(self) -> bool:
        """Whether the app acknowledged it in time."""
        return bool(self.latencies)

    @property
    def event_id(self) -> str | None:
        """The id that all deliveries of one event share."""
        return self.payload.get("event_id")


class Deliveries:
    """Owns every delivery that is under way."""

    def __init__(self, team: Team, manifest: Manifest, common: Common, transport: Transport) -> None:
        self._team, self._manifest, self._common, self.transport = team, manifest, common, transport
        self._tasks: set[asyncio.Task[object]] = set()
        self.all: list[Delivery] = []

    def event(self, event: Json) -> None:
        """Deliver in the background, if the manifest subscribes to it."""
        if events.subscription(event) in self._manifest.events:
            self.redeliver(self._wrapped(event))

    def redeliver(self, payload: Json) -> None:
        """Deliver a whole event payload, new or seen before, in the background."""
        name = events.subscription(payload["event"])
        delivery = Delivery("events_api", name, payload)
        self.all.append(delivery)
        fault = self._common.faults.event(name, payload)
        self._start(self._deliver(delivery, fault))
        for copy in range(fault.copies if isinstance(fault, Duplicate) else 0):
            self._start(self._once(delivery, Parcel("events_api", name, payload, False, copy + 1, "timeout")))

    async def respondable(self, kind: Kind, name: str, payload: Json, *, accepts_payload: bool) -> Delivery:
        """Deliver a command or an interaction: once, and somebody is looking at the result."""
        delivery = Delivery(kind, name, payload)
        self.all.append(delivery)
        fault = self._common.faults.event(name, payload)
        parcel = Parcel(kind, name, payload, accepts_payload, cut=isinstance(fault, CutAfterSend))
        copies = fault.copies if isinstance(fault, Duplicate) else 0
        await asyncio.gather(*(self._once(delivery, parcel) for _ in range(1 + copies)))
        delivery.finished = True
        self._common.changes.happened()
        return delivery

    def _wrapped(self, event: Json) -> Json:
        team = self._team
        return {
            "token": "playground-verification",
            "team_id": team.id,
            "context_team_id": team.id,
            "context_enterprise_id": None,
            "api_app_id": team.app_id,
            "event": event,
            "type": "event_callback",
            "event_id": self._common.ids.take("Ev"),
            "event_time": int(self._common.ids.clock()),
            "authorizations": [
                {
                    "enterprise_id": None,
                    "team_id": team.id,
                    "user_id": team.bot_user,
                    "is_bot": True,
                    "is_enterprise_install": False,
                }
            ],
            "is_ext_shared_channel": False,
            "event_context": f"4-{event['type']}",
        }

    async def _deliver(self, delivery: Delivery, fault: EventFault | None) -> None:
        reason = ""
        for attempt, delay in enumerate((0.0, *self._common.timings.retry_delays)):
            await asyncio.sleep(delay)
            cut = isinstance(fault, CutAfterSend) and attempt == 0
            parcel = Parcel(delivery.kind, delivery.name, delivery.payload, False, attempt, reason, cut)
            acked = await self._once(delivery, parcel)
            lost = isinstance(fault, LoseAck) and attempt == 0
            if (acked and not lost) or delivery.refused_retries:
                break
            reason = delivery.failures[-1] if delivery.failures else "timeout"
        delivery.finished = True
        self._common.changes.happened()

    async def _once(self, delivery: Delivery, parcel: Parcel) -> bool:
        loop = asyncio.get_running_loop()
        started = loop.time()
        try:
            delivery.answer = await self.transport.send(parcel) or delivery.answer
        except NotDelivered as failure:
            delivery.failures.append(failure.reason)
            delivery.refused_retries = not failure.retry
            if failure.reason == "timeout":
                self._common.violations.record(
                    Rule.NO_ACK, parcel.name, f"nothing within {self._common.timings.ack:g} s"
                )
            return False
        else:
            delivery.latencies.append(loop.time() - started)
            return True
        finally:
            self._common.changes.happened()

    def _start(self, work: Coroutine[Any, Any, object]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def stop(self) -> None:
        """Give up what is under way."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
