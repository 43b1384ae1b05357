"""A job and how it may go on.

requested ──▶ awaiting-approval ──▶ queued ──▶ starting ──▶ loading ──▶ warming ◀──▶ measuring ──▶ stopping ──▶ done
    │                 │               │            │           │           │             │             │
    └────────────▶────┴──────▶────────┴─────▶──────┴────▶──────┴─────▶─────┴──────▶──────┴─────▶───────┤
                                                                                                       ├──▶ failed
requested ──▶ queued            no approval is needed                                                  ├──▶ cancelled
queued ──▶ warming              a running server is measured: nothing is started                       └──▶ lost
starting … stopping ──▶ starting  the agent came back, or the port was taken: once more, from the next repeat
measuring ──▶ done              a running server was measured: nothing is stopped
lost ──▶ queued                 the agent was lost: one more attempt, once

done, failed and cancelled are final; so is a second lost.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from runners.jobs.spec import BenchSpec

ATTEMPTS = 2  # a lost one is retried once


class State(StrEnum):
    """How far a job is."""

    REQUESTED = "requested"
    AWAITING_APPROVAL = "awaiting-approval"
    QUEUED = "queued"
    STARTING = "starting"
    LOADING = "loading"
    WARMING = "warming"
    MEASURING = "measuring"
    STOPPING = "stopping"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    LOST = "lost"


WAITING = frozenset({State.REQUESTED, State.AWAITING_APPROVAL, State.QUEUED})
RUNNING = frozenset({State.STARTING, State.LOADING, State.WARMING, State.MEASURING, State.STOPPING})
ENDED = frozenset({State.DONE, State.FAILED, State.CANCELLED, State.LOST})
OPEN = WAITING | RUNNING

_ENDS = ENDED - {State.DONE}
_AFTER: dict[State, frozenset[State]] = {
    State.REQUESTED: frozenset({State.AWAITING_APPROVAL, State.QUEUED, State.CANCELLED, State.FAILED}),
    State.AWAITING_APPROVAL: frozenset({State.QUEUED, State.CANCELLED, State.FAILED}),
    State.QUEUED: RUNNING | _ENDS,
    State.LOST: frozenset({State.QUEUED}),
    State.STOPPING: frozenset({State.STARTING}) | ENDED,
} | {state: (RUNNING - {state}) | ENDED for state in (State.STARTING, State.LOADING, State.WARMING, State.MEASURING)}


def may_follow(before: State, after: State) -> bool:
    """Whether a job in `before` can go to `after`. Measuring may follow measuring: the next repeat."""
    return after in _AFTER.get(before, frozenset()) or before is after is State.MEASURING


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One step of a job: when (seconds since 1970), to which state, who caused it, why in a sentence or ''.

    `detail` has figures for a view: repeat and repeats, the attempt's key, the start-up time.
    """

    id: int
    job: int
    at: float
    state: State
    who: str
    why: str = ""
    detail: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A job as its events left it. `number` is what people call it ("run 12"), `owner` who asked (a Slack user id, or a login).

    `origin` is what the front that asked needs to answer there (channel, thread, language); nothing here reads it. `desk` is the
    process in charge of it. `started_at` is the first start, None while it waits; `attempt` counts from 1, 0 before any.
    """

    number: int
    spec: BenchSpec
    hash: str
    owner: str
    priority: int
    desk: str
    origin: dict[str, Any]
    state: State
    state_at: float
    why: str
    requested_at: float
    started_at: float | None
    ended_at: float | None
    attempt: int

    @property
    def open(self) -> bool:
        """Whether it still goes on."""
        return self.state in OPEN

    @property
    def running(self) -> bool:
        """Whether it holds GPUs."""
        return self.state in RUNNING
