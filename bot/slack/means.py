"""What the handlers of the Slack front work with."""

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from bot.slack.places import Places
from bot.store.store import Store

T = TypeVar("T")
THINKERS = 2  # threads: one is enough for arithmetic, the other goes on while one waits for a model's configuration


class Homes(Protocol):
    """What is needed of the Web API; `bot.slack.calls.Calls` has it."""

    async def publish_home(self, user: str, view: Mapping[str, Any]) -> None:
        """Shows a person's Home tab."""


class Thinking:
    """Runs what takes milliseconds, or waits for the network, beside the event loop: acknowledgements stay fast."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(THINKERS, thread_name_prefix="answer")

    async def about(self, work: Callable[[], T]) -> T:
        """The result of `work`."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    def close(self) -> None:
        """Lets go of the threads; what still runs in them is not waited for."""
        self._threads.shutdown(wait=False, cancel_futures=True)


@dataclass(frozen=True, slots=True)
class Means:
    """The store, the settings by place, the threads that think, and the Home tab's door."""

    store: Store
    places: Places
    thinking: Thinking
    homes: Homes
