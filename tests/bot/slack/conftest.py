"""A store in a folder of its own, and a time that a test puts forward."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.store.store import Store, open_store


class Clock:
    """Seconds; `wait` lets them pass at once and remembers how many."""

    def __init__(self) -> None:
        self.now = 1_000_000.0
        self.waits: list[float] = []

    def __call__(self) -> float:
        return self.now

    async def wait(self, seconds: float) -> None:
        self.waits.append(seconds)
        self.now += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> Iterator[Store]:
    with open_store(tmp_path / "store.sqlite", clock) as store:
        yield store
