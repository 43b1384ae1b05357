"""Starts one program, and sees to it that nothing of it is left: run as a script by whoever needs the program.

It reads one line of JSON on standard input, {"argv", "env", "cwd", "log", "grace"}, starts the program in a session of its own with its
output in the file `log`, and says {"pid", "started"} (or {"error"}) on standard output. It then waits until the program ends,
until it reads another line, or until standard input closes, which it does however its owner dies. It stops what is left
(TERM, `grace` seconds, KILL), says {"exit", "killed", "left"} and ends.

It is the subreaper of all that the program starts: whatever outlives its parent becomes the warden's child, even in another
session. If the warden itself is killed, the kernel kills the program. Standard library only: it must start in no time.
"""

import ctypes
import json
import os
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36  # linux/prctl.h
LOOK_S = 0.05  # between looks while something is being stopped
ENDED = "ZX"  # states of a process that is no more
KILL_S = 20.0  # for the kernel to take back what was killed: GPU memory takes seconds


def members(session: int, warden: int | None = None) -> list[int]:
    """Processes of that session, and all descendants of `warden` where one is named, zombies left out."""
    parents: dict[int, int] = {}
    sessions: dict[int, int] = {}
    for pid in _pids():
        if (stat := stat_of(pid)) is not None and stat[0] not in ENDED:
            parents[pid], sessions[pid] = stat[1], stat[2]
    return [
        pid for pid in parents if sessions[pid] == session or (warden is not None and _descends(pid, warden, parents))
    ]


def _pids() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def stat_of(pid: int) -> tuple[str, int, int, int] | None:
    """A process's state, parent, session and start (clock ticks since boot); None when there is none."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    fields = text[text.rindex(")") + 2 :].split()  # the name before may hold anything
    return fields[0], int(fields[1]), int(fields[3]), int(fields[19])


def _descends(pid: int, ancestor: int, parents: dict[int, int]) -> bool:
    while pid in parents:
        pid = parents[pid]
        if pid == ancestor:
            return True
    return False


def _prctl(option: int, value: int) -> None:
    ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


class Warden:
    """One program and everything that comes of it."""

    def __init__(self, order: dict[str, Any]) -> None:
        self.grace = float(order["grace"])
        self.exit: int | None = None
        self.killed = False
        with Path(order["log"]).open("ab") as log:
            self.program = subprocess.Popen(  # noqa: S603 - argv comes from the owner, no shell
                order["argv"],
                env=order["env"],
                cwd=order["cwd"],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                preexec_fn=lambda: _prctl(PR_SET_PDEATHSIG, signal.SIGKILL),  # noqa: PLW1509 - this process has one thread
            )
        self.pid = self.program.pid

    def wait(self) -> None:
        """Returns when the program has ended, or when the owner speaks or is gone."""
        ended = os.pidfd_open(self.pid)
        poll = select.poll()
        poll.register(ended, select.POLLIN)
        poll.register(0, select.POLLIN | select.POLLHUP)
        while not poll.poll(1000):
            self.reap()
        os.close(ended)
        self.reap()

    def reap(self) -> None:
        """Takes in whatever ended: the program, or what it left to us."""
        with suppress(ChildProcessError):
            while (found := os.waitpid(-1, os.WNOHANG))[0]:
                if found[0] == self.pid:
                    self.exit = os.waitstatus_to_exitcode(found[1])

    def stop(self) -> list[int]:
        """Ends all that is left: the pids that are still there afterwards."""
        if self.exit is None:
            self._signal([self.pid], signal.SIGTERM)
        left = self._wait_for_none(self.grace) if self.exit is None else self._left()
        if left:
            self.killed = True
            left = self._kill()
        return left

    def _kill(self) -> list[int]:
        until = time.monotonic() + KILL_S
        while (left := self._left()) and time.monotonic() < until:
            self._signal(left, signal.SIGKILL)
            time.sleep(LOOK_S)
        return left

    def _wait_for_none(self, seconds: float) -> list[int]:
        """What is left when the time is up, or once the program itself has ended: the rest then has a second."""
        until = time.monotonic() + seconds
        cut = False
        while (left := self._left()) and time.monotonic() < until:
            if self.exit is not None and not cut:
                until, cut = min(until, time.monotonic() + 1.0), True
            time.sleep(LOOK_S)
        return left

    def _left(self) -> list[int]:
        """What is there; whatever is not has ended, and is reaped afterwards: none can end in between unseen."""
        left = members(self.pid, os.getpid())
        self.reap()
        return left

    @staticmethod
    def _signal(pids: list[int], number: int) -> None:
        for pid in pids:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, number)


def main() -> None:
    """Reads the order, does it, says what came of it."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _go_on)  # not SIG_IGN, which the program would inherit
    order = json.loads(sys.stdin.readline())
    _prctl(PR_SET_CHILD_SUBREAPER, 1)
    try:
        warden = Warden(order)
    except OSError as fault:
        _say({"error": f"{fault.strerror}: {fault.filename or order['argv'][0]}"})
        return
    stat = stat_of(warden.pid)
    _say({"pid": warden.pid, "started": stat[3] if stat else 0})
    warden.wait()
    left = warden.stop()
    _say({"exit": warden.exit, "killed": warden.killed, "left": left})


def _go_on(_number: int, _frame: object) -> None:
    """Only the owner's end, or its word, ends a warden."""


def _say(what: dict[str, Any]) -> None:
    with suppress(BrokenPipeError):
        os.write(1, (json.dumps(what) + "\n").encode())


if __name__ == "__main__":
    main()
