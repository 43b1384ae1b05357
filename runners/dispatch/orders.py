"""What is handed to an agent, and what it reports: plain values that cross the network and files."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from runners.jobs.job import State
from runners.jobs.spec import BenchSpec


class Message(BaseModel):
    """Frozen, unknown keys refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Order(Message):
    """One attempt at one job. `key` is its name in files and logs, `job` what people call it; `begun_at` (seconds since 1970) tells
    it from one of the same name that came from another store.
    """

    key: str = Field(pattern=r"^bench-\d{1,12}-\d{1,3}$")
    job: int
    spec: BenchSpec
    begun_at: float = 0.0


class Step(Message):
    """A state that the attempt reached: when (seconds since 1970, by the agent's clock), and what a view shows of it."""

    state: State
    at: float
    detail: dict[str, Any] = Field(default_factory=dict)


class Progress(Message):
    """All that happened so far; the newest one says everything, so that one that is lost is not missed.

    `done` of `total` requests of the repeat that runs have ended; `total` 0: not known yet.
    """

    steps: tuple[Step, ...] = ()
    done: int = 0
    total: int = 0
