"""A command: what was asked to be done, whether or not it is allowed."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from knowledge.errors import Refusal


class Name(StrEnum):
    """The commands of the contract."""

    BENCH_RUN = "bench.run"
    BENCH_RERUN = "bench.rerun"
    BENCH_SWEEP = "bench.sweep"
    TUNE_START = "tune.start"
    JOB_LIST = "job.list"
    JOB_STATUS = "job.status"
    JOB_CANCEL = "job.cancel"
    RUN_SHOW = "run.show"
    RUN_LOGS = "run.logs"
    RUN_COMPARE = "run.compare"
    RUN_EXPLAIN = "run.explain"
    RUN_SET_BASELINE = "run.set_baseline"
    HEALTH_SHOW = "health.show"
    METRICS_QUERY = "metrics.query"
    SCHEDULE_CREATE = "schedule.create"
    SCHEDULE_LIST = "schedule.list"
    SCHEDULE_UPDATE = "schedule.update"
    SCHEDULE_DELETE = "schedule.delete"
    WATCH_START = "watch.start"
    WATCH_STOP = "watch.stop"
    DEPLOY_CHANGE = "deploy.change"


class Risk(StrEnum):
    """What a command can cost: nothing, something that can be undone, GPU time; the last is never done."""

    READ = "read"
    CHANGE = "change"
    RUN = "run"
    NEVER = "never"


_RUNS = frozenset({Name.BENCH_RUN, Name.BENCH_RERUN, Name.BENCH_SWEEP, Name.TUNE_START})
_CHANGES = frozenset(
    {Name.JOB_CANCEL, Name.RUN_SET_BASELINE, Name.WATCH_START, Name.WATCH_STOP}
    | {Name.SCHEDULE_CREATE, Name.SCHEDULE_UPDATE, Name.SCHEDULE_DELETE}
)


def risk_of(name: Name) -> Risk:
    """What the command can cost."""
    if name is Name.DEPLOY_CHANGE:
        return Risk.NEVER
    if name in _RUNS:
        return Risk.RUN
    return Risk.CHANGE if name in _CHANGES else Risk.READ


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """What was asked. `arguments` hold only what was said, by the contract's names, and its two defaults for channels.

    `missing` are arguments that the command needs and that were not said; `assumed` are the values it would take for them, where
    there is a sensible one. `ambiguous` are codes of what could be read in two ways; `problems` say what is beyond a limit.
    """

    name: Name
    arguments: dict[str, Any] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    assumed: dict[str, Any] = field(default_factory=dict)
    ambiguous: tuple[str, ...] = ()
    problems: tuple[Refusal, ...] = ()

    @property
    def risk(self) -> Risk:
        """What it can cost."""
        return risk_of(self.name)

    @classmethod
    def of_object(cls, said: dict[str, Any]) -> "Command":
        """The command that `as_object` told, for a front that got an answer from another process; its problems are not told."""
        return cls(
            name=Name(said["name"]),
            arguments=said["arguments"],
            missing=tuple(said["missing"]),
            assumed=said["assumed"],
            ambiguous=tuple(said["ambiguous"]),
        )

    def as_object(self) -> dict[str, Any]:
        """The contract's `command`."""
        return {
            "name": self.name.value,
            "arguments": self.arguments,
            "risk": self.risk.value,
            "missing": list(self.missing),
            "assumed": self.assumed,
            "ambiguous": list(self.ambiguous),
        }
