"""One call of `vllm bench serve`: started, followed, and read when it has ended."""

import asyncio
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from runners.measuring import bench_report
from runners.measuring.bench_report import Report
from runners.measuring.failure import Layer, failed
from runners.measuring.logfile import tail
from runners.processes import guarded
from runners.processes.guarded import CouldNotStart, Ended, Guarded

LOOK_S = 0.5  # between looks at its output
WARMING, MEASURING = "Warming up with", "Starting main benchmark run"
_BAR = re.compile(r"(\d+)/(\d+) \[")
_ERROR = re.compile(r"^Error \d+: *(.*)|^[\w.]*(?:Error|Exception): .*")


@dataclass(frozen=True, slots=True)
class Seen:
    """How far a call is: `measuring` is False while it warms up; `done` of `total` requests have ended."""

    measuring: bool
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Called:
    """What came of a call. `client_cores` is how many cores the client kept busy while it measured, None if it was too short to see."""

    report: Report
    client_cores: float | None


async def call(
    argv: tuple[str, ...], environment: Mapping[str, str], log: Path, report: Path, follow: Callable[[Seen], None]
) -> Called:
    """Runs it to its end. Raises RunFailed when it gives no result. Cancelled, it is stopped first."""
    begins = _cleared(report, log)
    try:
        program = await guarded.start(argv, environment=environment, log=log, folder=log.parent)
    except CouldNotStart as fault:
        raise failed(Layer.SET_UP, f"`{argv[0]}` cannot be run: {fault}.") from None
    client = Client(program)
    try:
        while not program.over:
            await asyncio.wait({program.ended}, timeout=LOOK_S)
            seen = progress(_said(log, begins))
            client.look(measuring=seen.measuring)
            follow(seen)
    finally:
        ended = await program.stop()
    return Called(_result(report, log, ended), client.cores)


class Client:
    """How busy the client is: processor time by time, over the measured part alone."""

    def __init__(self, program: Guarded) -> None:
        self._pid, self._first, self._last = program.pid, (0.0, 0.0), (0.0, 0.0)

    def look(self, *, measuring: bool) -> None:
        """One more look."""
        import psutil

        if not measuring:
            return
        try:
            times = psutil.Process(self._pid).cpu_times()
        except psutil.Error:
            return
        self._last = (asyncio.get_running_loop().time(), times.user + times.system)
        if self._first == (0.0, 0.0):
            self._first = self._last

    @property
    def cores(self) -> float | None:
        """Busy cores, None unless it was seen over a second or more."""
        seconds = self._last[0] - self._first[0]
        return (self._last[1] - self._first[1]) / seconds if seconds >= 1.0 else None


def progress(said: str) -> Seen:
    """How far the call is by what it has printed."""
    measuring = said.rpartition(MEASURING)
    bars = _BAR.findall(measuring[2] if measuring[1] else said.rpartition(WARMING)[2])
    done, total = (int(bars[-1][0]), int(bars[-1][1])) if bars else (0, 0)
    return Seen(bool(measuring[1]), done, total)


def error(log: Path) -> str:
    """The line that tells best why the bench failed."""
    lines = [line.strip() for line in tail(log, 200) if line.strip()]
    return next((line for line in reversed(lines) if _ERROR.match(line)), lines[-1] if lines else "")[:300]


def _cleared(report: Path, log: Path) -> int:
    """Removes an earlier call's report: where this call's output will begin in the log."""
    report.unlink(missing_ok=True)
    return log.stat().st_size if log.exists() else 0


def _result(report: Path, log: Path, ended: Ended) -> Report:
    if report.exists():
        return bench_report.read(report)
    raise failed(
        Layer.MEASUREMENT, f"`vllm bench serve` ended with status {ended.exit} and no result.", line=error(log)
    )


def _said(log: Path, begins: int) -> str:
    with log.open("rb") as file:
        file.seek(begins)
        return file.read().decode("utf-8", "replace")
