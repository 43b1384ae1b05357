"""A program under a warden: started as argv, stopped for certain, gone even when we are killed."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from runners.processes import warden

GRACE_S = 10.0  # between TERM and KILL


class CouldNotStart(Exception):
    """The program is not there, or cannot be run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a program ended. `exit` is its status (negative: the signal that ended it; None: not known), `killed` whether KILL was
    needed for some of it, `left` the processes that are still there after all.
    """

    exit: int | None
    killed: bool
    left: tuple[int, ...]


class Guarded:
    """One running program. `pid` is its own and its session's; `ended` is done when nothing of it is left."""

    def __init__(self, process: asyncio.subprocess.Process, pid: int, started: int) -> None:
        self.pid, self.started = pid, started
        self._process = process
        self.ended: asyncio.Task[Ended] = asyncio.create_task(self._end())

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return self.ended.done()

    async def stop(self) -> Ended:
        """Ends it: TERM, grace, KILL; returns when it is gone, and may be called again."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError, ConnectionResetError):
            self._process.stdin.close()
        return await asyncio.shield(self.ended)

    async def _end(self) -> Ended:
        assert self._process.stdout is not None
        said = await self._process.stdout.readline()
        await self._process.wait()
        if said:
            told = json.loads(said)
            return Ended(exit=told["exit"], killed=told["killed"], left=tuple(told["left"]))
        return Ended(exit=None, killed=True, left=tuple(await sweep(self.pid, self.started)))


async def start(
    argv: Sequence[str], *, environment: Mapping[str, str], log: Path, folder: Path, grace: float = GRACE_S
) -> Guarded:
    """Starts `argv` in `folder` with its output appended to `log`. Raises CouldNotStart."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-I", warden.__file__),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    order = {"argv": list(argv), "env": dict(environment), "cwd": str(folder), "log": str(log), "grace": grace}
    process.stdin.write(json.dumps(order).encode() + b"\n")
    told: dict[str, Any] = json.loads(await process.stdout.readline() or b'{"error": "its warden died"}')
    if "error" in told:
        process.stdin.close()
        await process.wait()
        raise CouldNotStart(told["error"])
    return Guarded(process, told["pid"], told["started"])


def alive(pid: int, started: int) -> bool:
    """Whether that very process lives: a pid alone may be somebody else's by now."""
    stat = warden.stat_of(pid)
    return stat is not None and stat[0] not in warden.ENDED and stat[3] == started


async def sweep(session: int, started: int, *, patience: float = 0.0) -> list[int]:
    """Kills what is left of a program's session, after `patience` seconds in which its warden may do so: what is still there.

    `started` is the program's own start: a session whose number somebody else has by now is let be.
    """
    loop = asyncio.get_running_loop()
    begun = loop.time()
    while (left := _left(session, started)) and loop.time() < begun + patience + warden.KILL_S:
        if loop.time() >= begun + patience:
            for pid in left:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        await asyncio.sleep(warden.LOOK_S)
    return left


def _left(session: int, started: int) -> list[int]:
    leader = warden.stat_of(session)
    if leader is not None and leader[3] != started:
        return []
    return warden.members(session)
