"""What every part of the server shares: identifiers and time, waiting times, changes, violations and planned faults."""

from dataclasses import dataclass

from bot.playground.server.changes import Changes
from bot.playground.server.faults import Faults
from bot.playground.server.ids import Ids
from bot.playground.server.timings import Timings
from bot.playground.server.violations import Violations


@dataclass(frozen=True, slots=True)
class Common:
    """One of each, made by the server."""

    ids: Ids
    timings: Timings
    changes: Changes
    violations: Violations
    faults: Faults
