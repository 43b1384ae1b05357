"""Why a run failed: the layer, a sentence, and the line of the log that decides."""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict


class Layer(StrEnum):
    """Where it failed."""

    SET_UP = "set-up"  # the request itself: this host has no such model, GPU, vLLM
    HOST = "host"  # GPUs are busy, the disk is full
    SERVER_START = "server-start"
    LOAD = "load"  # the server ended while it was being loaded
    MEASUREMENT = "measurement"  # requests failed, the bench failed
    LIMIT = "limit"  # the run's own time was up
    CLEAN_UP = "clean-up"  # something of it could not be removed


class Failure(BaseModel):
    """What went wrong. `line` is the deciding line of a log as it stands there, '' when none decides; `cause` and `entries` are
    knowledge-base ids.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    layer: Layer
    why: str
    line: str = ""
    cause: str | None = None
    entries: tuple[str, ...] = ()


class RunFailed(Exception):
    """Ends an attempt with a failure."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.why)
        self.failure = failure


def failed(layer: Layer, why: str, *, line: str = "") -> RunFailed:
    """A failure without a diagnosis."""
    return RunFailed(Failure(layer=layer, why=why, line=line))
