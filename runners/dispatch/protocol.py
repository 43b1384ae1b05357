"""What stands between the queue and whatever runs a job: four calls."""

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from knowledge.errors import Refusal
from runners.dispatch.orders import Order, Progress
from runners.jobs.spec import BenchSpec


class Phase(StrEnum):
    """Where an attempt stands, as whoever runs it knows."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"  # it came to an end of its own: the result says which
    CANCELLED = "cancelled"  # it was stopped before anything ran, or its agent was lost while it was being stopped
    LOST = "lost"
    UNKNOWN = "unknown"  # it was never submitted, or has been forgotten


OVER = frozenset({Phase.DONE, Phase.CANCELLED, Phase.LOST})


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One attempt now. `why` is a sentence ('' when there is nothing to say); `ahead` counts attempts before it, None when not known;
    `estimated_start` is in seconds since 1970.
    """

    phase: Phase
    why: str = ""
    host: str | None = None
    ahead: int | None = None
    estimated_start: float | None = None
    progress: Progress | None = None
    result: dict[str, Any] | None = None


class Dispatcher(Protocol):
    """Runs attempts. A transport that fails raises ConnectionError; it never makes an attempt lost."""

    async def submit(self, order: Order) -> str:
        """Hands an attempt over: its id there. The same key again is the same attempt."""

    async def observe(self, keys: Collection[str]) -> dict[str, Seen]:
        """All of them in one round trip; a key that is not known there is UNKNOWN."""

    async def cancel(self, key: str, why: str) -> None:
        """Stops it, or sees to it that it never starts. Said again, or too late, it changes nothing."""

    async def fits(self, spec: BenchSpec) -> Refusal | None:
        """Why this can never run there, None when it can."""
