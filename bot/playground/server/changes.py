"""Waiting for something to happen in the workspace, with a deadline and without polling."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class NotSeen(AssertionError):
    """What was waited for did not happen in time."""


class Changes:
    """Wakes everybody who waits whenever anything in the server changed."""

    def __init__(self) -> None:
        self._waiting: set[asyncio.Event] = set()
        self.count = 0

    def happened(self) -> None:
        """Something changed: every waiting look is taken again."""
        self.count += 1
        for event in self._waiting:
            event.set()

    async def until(self, look: Callable[[], T | None], within: float, what: str = "the expected change") -> T:
        """The first truthy value of `look`, tried after every change; `NotSeen` after `within` seconds."""
        event = asyncio.Event()
        self._waiting.add(event)
        try:
            async with asyncio.timeout(within):
                while not (found := look()):
                    event.clear()
                    await event.wait()
                return found
        except TimeoutError:
            raise NotSeen(f"{what} was not seen within {within:g} s") from None
        finally:
            self._waiting.discard(event)

    async def quiet(self, for_seconds: float, within: float) -> None:
        """Return once nothing has changed for `for_seconds`; `NotSeen` when that does not come within `within`."""
        try:
            async with asyncio.timeout(within):
                while await self._changes_within(for_seconds):
                    pass
        except TimeoutError:
            raise NotSeen(f"the workspace did not become quiet within {within:g} s") from None

    async def _changes_within(self, seconds: float) -> bool:
        before = self.count
        try:
            await self.until(lambda: self.count > before, seconds)
        except NotSeen:
            return False
        return True
