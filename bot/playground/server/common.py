"""What every part of the server shares: identifiers and time, waiting times, changes, violations and planned faults."""

from dataclasses import dataclass

from bot.playground.server.changes import Changes
from bot.playground.server.faults import Faults
from bot.playground.server.ids import Ids
from bot.playground.server.timings import Timings
from bot.playground.server.violations import Violations


@dataclass(slots=True)
class Address:
    """Where the server listens; known once it has started."""

    http: str = ""

    @property
    def socket(self) -> str:
        """The same place for web sockets."""
        return self.http.replace("http", "ws", 1)


@dataclass(frozen=True, slots=True)
class Common:
    """One of each, made by the server."""

    ids: Ids
    timings: Timings
    changes: Changes
    violations: Violations
    faults: Faults
    address: Address
