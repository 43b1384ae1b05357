"""What an attempt is given of the outside, so that none of it reaches for it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from runners.machines.host import Host
from runners.machines.machine import Look


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """The host's settings, our environment, where locks lie, how the machine is looked at, and the clock (seconds since 1970).

    `api_key` finds the key of a server that runs already by its address; None where it needs none.
    """

    host: Host
    environment: Mapping[str, str]
    locks: Path
    look: Look
    clock: Callable[[], float]
    api_key: Callable[[str], str | None] = lambda _url: None
