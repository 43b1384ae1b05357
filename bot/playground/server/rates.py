"""Rate limits: Slack's tiers per method, and one post a second and channel with room for a short burst."""

from collections.abc import Callable
from math import ceil

from bot.playground.server.violations import Rule, Violations
from bot.playground.server.web_api.method import Method

PER_MINUTE = {1: 1, 2: 20, 3: 50, 4: 100}
"""Calls a minute that each tier allows at least (docs.slack.dev, rate limits)."""
POST_BURST = 10
"""Posts that a channel takes at once before one a second is all that it takes; Slack documents no number."""


class Bucket:
    """Holds up to `size` tokens and gains `per_second`."""

    def __init__(self, size: float, per_second: float, now: float) -> None:
        self._size, self._per_second, self._level, self._then = size, per_second, size, now

    def take(self, now: float) -> float:
        """Take one token: 0, or the seconds until there is one (and none is taken)."""
        self._level = min(self._size, self._level + (now - self._then) * self._per_second)
        self._then = now
        if self._level >= 1:
            self._level -= 1
            return 0.0
        return (1 - self._level) / self._per_second


class Rates:
    """`enforced` answers 429; otherwise posting too fast to a channel is only recorded as a violation."""

    def __init__(self, clock: Callable[[], float], violations: Violations, *, enforced: bool) -> None:
        self._clock, self._violations, self._enforced = clock, violations, enforced
        self._buckets: dict[str, Bucket] = {}

    def wait_for(self, name: str, method: Method | None, arguments: dict[str, object]) -> int:
        """Whole seconds to wait before this call is allowed; 0 when it is."""
        if method is None or (method.tier and not self._enforced):
            return 0
        if method.tier:
            per_minute = PER_MINUTE[method.tier]
            return ceil(self._take(name, per_minute, per_minute / 60))
        channel = str(arguments.get("channel"))
        wait = ceil(self._take(f"{name} {channel}", POST_BURST, 1.0))
        if wait and not self._enforced:
            self._violations.record(Rule.TOO_FAST, name, f"more than {POST_BURST} at once to `{channel}`")
            return 0
        return wait

    def _take(self, key: str, size: float, per_second: float) -> float:
        now = self._clock()
        bucket = self._buckets.setdefault(key, Bucket(size, per_second, now))
        return bucket.take(now)
