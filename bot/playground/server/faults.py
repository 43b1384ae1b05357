"""Faults on request: what goes wrong with the next calls of a method or the next deliveries of an event."""

from collections.abc import Callable
from dataclasses import dataclass
from types import UnionType


@dataclass(frozen=True, slots=True)
class RateLimited:
    """Answer 429 with `Retry-After` in whole seconds; the call has no effect."""

    retry_after: int = 1


@dataclass(frozen=True, slots=True)
class ServerError:
    """Answer this 5xx status; the call has no effect unless it was `committed` first."""

    status: int = 503
    committed: bool = False


@dataclass(frozen=True, slots=True)
class Delay:
    """Answer late by this many seconds; the call takes effect at once."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Drop:
    """Close the connection without a word, before the call takes effect or, when `committed`, after."""

    committed: bool = False


@dataclass(frozen=True, slots=True)
class InvalidJson:
    """Process the call and answer something that is not JSON."""

    body: str = "<html>upstream</html>"


@dataclass(frozen=True, slots=True)
class Refuse:
    """Answer `{"ok": false, "error": code}`; the call has no effect."""

    code: str = "internal_error"


CallFault = RateLimited | ServerError | Delay | Drop | InvalidJson | Refuse


@dataclass(frozen=True, slots=True)
class Duplicate:
    """Deliver the event this many more times, at once, as retries with the same `event_id`."""

    copies: int = 1


@dataclass(frozen=True, slots=True)
class LoseAck:
    """Process the acknowledgement as if it never came: the event is delivered again."""


@dataclass(frozen=True, slots=True)
class CutAfterSend:
    """Abort the connection right after the envelope was written to it."""


EventFault = Duplicate | LoseAck | CutAfterSend
Fault = CallFault | EventFault


@dataclass(slots=True)
class Planned:
    """One fault, for the next `times` matches of `target` whose details satisfy `when`; `seen` counts them."""

    target: str
    fault: Fault
    times: int
    when: Callable[[dict[str, object]], bool]
    seen: int = 0


class Faults:
    """The planned faults, used up in the order in which they were planned."""

    def __init__(self) -> None:
        self._planned: list[Planned] = []

    def plan(
        self,
        target: str,
        fault: Fault,
        times: int = 1,
        when: Callable[[dict[str, object]], bool] = lambda details: True,
    ) -> Planned:
        """Plan one: `target` is a Web API method, `response_url`, `upload` or an event's subscription name."""
        planned = Planned(target, fault, times, when)
        self._planned.append(planned)
        return planned

    def call(self, method: str, details: dict[str, object]) -> CallFault | None:
        """The fault that is due for this call, used up by being taken."""
        fault = self._take(method, details, CallFault)
        return fault if isinstance(fault, CallFault) else None

    def event(self, name: str, details: dict[str, object]) -> EventFault | None:
        """The fault that is due for this delivery, used up by being taken."""
        fault = self._take(name, details, EventFault)
        return fault if isinstance(fault, EventFault) else None

    def _take(self, target: str, details: dict[str, object], kind: UnionType) -> Fault | None:
        for planned in self._planned:
            due = planned.target == target and planned.seen < planned.times and isinstance(planned.fault, kind)
            if due and planned.when(details):
                planned.seen += 1
                return planned.fault
        return None

    def clear(self) -> None:
        """Drop what is still planned."""
        self._planned.clear()
