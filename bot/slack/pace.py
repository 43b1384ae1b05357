"""Posting no faster than Slack takes it: about one message a second and channel, after a short burst."""

from collections import OrderedDict
from collections.abc import Callable

BURST = 10  # posts at once; Slack promises “short bursts” and no number (docs.slack.dev, rate limits)
APART = 1.0  # seconds between posts after that
SLACKNESS = (BURST - 1) * APART
CHANNELS = 10_000  # whose pace is remembered, the longest unused forgotten first


class Pace:
    """Tells how long to wait before the next post to a channel, which then counts as posted."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._due: OrderedDict[str, float] = OrderedDict()  # when each channel's next post would be due at one a second

    def turn(self, channel: str) -> float:
        """Seconds until this post may go out. Turns are given in the order in which they are asked for."""
        now = self._clock()
        due = max(self._due.pop(channel, now), now)
        self._due[channel] = due + APART
        if len(self._due) > CHANNELS:
            self._due.popitem(last=False)
        return max(due - SLACKNESS - now, 0.0)

    def hold(self, channel: str, seconds: float) -> None:
        """Slack said to wait: nothing goes to this channel for so long."""
        self._due[channel] = max(self._due.get(channel, 0.0), self._clock() + seconds + SLACKNESS)
