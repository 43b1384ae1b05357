"""An agent in the same process as the queue: the terminal's own."""

from typing import Any

from runners.dispatch.embedded import Embedded
from runners.dispatch.link import Claim
from runners.dispatch.orders import Progress


class Direct:
    """A link without a network."""

    def __init__(self, embedded: Embedded, host: str, instance: str) -> None:
        self._embedded, self._host, self._instance = embedded, host, instance

    async def claim(self, running: frozenset[str], wait_s: float) -> Claim | None:
        """The next attempt."""
        self._embedded.admit(self._host, self._instance)
        return await self._embedded.wait_for_work(self._host, running, wait_s)

    async def renew(self, key: str, token: int, progress: Progress) -> str | None:
        """Goes on."""
        self._embedded.admit(self._host, self._instance)
        return self._embedded.renew(key, token, progress)

    async def finish(self, key: str, token: int, progress: Progress, result: dict[str, Any]) -> None:
        """Has ended."""
        self._embedded.admit(self._host, self._instance)
        self._embedded.finish(key, token, progress, result)
