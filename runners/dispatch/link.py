"""What an agent says to whoever has the work: claim, renew, finish."""

from dataclasses import dataclass
from typing import Any, Protocol

from runners.dispatch.orders import Order, Progress

LEASE_S = 180.0  # without a word from its agent, an attempt is lost: Buildkite and GitHub wait 3 to 4 minutes
UNIX = "unix:"  # before the path of a socket that agents are heard at
BEAT_S = 5.0  # between an agent's words while it runs something


class Fenced(Exception):
    """The attempt is somebody else's by now: whatever comes of it here counts no more."""


class Unreachable(Exception):
    """Nobody answered: try again, and go on meanwhile."""


class Turned(Exception):
    """The agent is not taken: another one answers for its host, its token is wrong, or its host is not configured."""


@dataclass(frozen=True, slots=True)
class Claim:
    """An order, and the token under which it is ours: a later claim has a higher one."""

    order: Order
    token: int


class Link(Protocol):
    """One agent's connection. Every call raises Unreachable when it fails, and Turned when the agent is not taken."""

    async def claim(self, running: frozenset[str], wait_s: float) -> Claim | None:
        """The next attempt for this host, of those that it is not running now; waits for one so long, then None."""

    async def renew(self, key: str, token: int, progress: Progress) -> str | None:
        """Says that it goes on, and how far it is: why it is to be stopped, None when it is not. Raises Fenced."""

    async def finish(self, key: str, token: int, progress: Progress, result: dict[str, Any]) -> None:
        """Hands over all that happened and what it came to. Raises Fenced; said again, it changes nothing."""
