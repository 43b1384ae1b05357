"""Identifiers and timestamps shaped like Slack's, counted up so that the same script gives the same ids."""

import uuid
from collections import Counter
from collections.abc import Callable


class Ids:
    """Gives out identifiers; `clock` is seconds since the epoch and is the only source of time here."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.clock = clock
        self._counts: Counter[str] = Counter()
        self._last_micros = 0

    def take(self, prefix: str) -> str:
        """The next identifier with this prefix, such as `U0000000001`."""
        self._counts[prefix] += 1
        return f"{prefix}{self._counts[prefix]:010d}"

    def uuid(self) -> str:
        """The next identifier in the shape of a UUID."""
        self._counts["uuid"] += 1
        return str(uuid.UUID(int=self._counts["uuid"]))

    def timestamp(self) -> str:
        """A message timestamp, `seconds.micros`: unique in the whole workspace and always increasing."""
        self._last_micros = max(int(self.clock() * 1_000_000), self._last_micros + 1)
        seconds, micros = divmod(self._last_micros, 1_000_000)
        return f"{seconds}.{micros:06d}"
