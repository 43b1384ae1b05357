"""A program under a warden ends when it is told to, and nothing of it outlives its owner, however that one dies."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from runners.processes import guarded, warden
from runners.processes.guarded import CouldNotStart, Ended, Guarded

DEADLINE_S = 20.0
STUBBORN = (
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(600)"
)
# a child in a session of its own, whose parent ends at once: nobody who goes by group or parent would find it
RUNAWAY = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork():
        os._exit(0)
    print("runaway", os.getpid(), flush=True)
    time.sleep(600)
os.wait()
print("up", flush=True)
time.sleep(600)
"""
# like an engine that outlives its API server: same session, still there when the parent has ended
ORPHANING = """
import os, time
if os.fork() == 0:
    print("orphan", os.getpid(), flush=True)
    time.sleep(600)
print("up", flush=True)
time.sleep(600)
"""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "program.log"


async def run(code: str, log: Path, grace: float = 5.0) -> Guarded:
    return await guarded.start(
        [sys.executable, "-c", code], environment={"PATH": os.defpath}, log=log, folder=log.parent, grace=grace
    )


def lines(log: Path) -> list[str]:
    return log.read_text().splitlines() if log.exists() else []


async def says(log: Path, word: str) -> str:
    """The line of the log that begins with `word`, once it is there."""
    async with asyncio.timeout(DEADLINE_S):
        while True:
            for line in lines(log):
                if line.startswith(word):
                    return line
            await asyncio.sleep(0.01)


def gone(pid: int) -> bool:
    """Whether nothing but perhaps a zombie has that pid, waited for."""
    until = time.monotonic() + DEADLINE_S
    while time.monotonic() < until:
        stat = warden.stat_of(pid)
        if stat is None or stat[0] == "Z":
            return True
        time.sleep(0.01)
    return False


async def test_its_output_and_status_are_kept(log: Path) -> None:
    program = await run("import sys; print('hello'); sys.exit(3)", log)
    assert await program.ended == Ended(exit=3, killed=False, left=())
    assert lines(log) == ["hello"]
    assert program.over


async def test_it_sees_the_environment_it_is_given_and_no_other(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLACK_BOT_TOKEN", "xoxb-secret")
    program = await run("import os; print(sorted(set(os.environ) & {'SLACK_BOT_TOKEN', 'PATH'}))", log)
    await program.ended
    assert lines(log) == ["['PATH']"]


async def test_a_stopped_program_ends_on_term(log: Path) -> None:
    program = await run("import time; print('up', flush=True); time.sleep(600)", log)
    await says(log, "up")
    assert await program.stop() == Ended(exit=-signal.SIGTERM, killed=False, left=())


async def test_one_that_ignores_term_is_killed(log: Path) -> None:
    program = await run(STUBBORN, log, grace=0.2)
    await says(log, "up")
    assert await program.stop() == Ended(exit=-signal.SIGKILL, killed=True, left=())
    assert await program.stop() == Ended(exit=-signal.SIGKILL, killed=True, left=())


@pytest.mark.parametrize(("code", "word"), [(RUNAWAY, "runaway"), (ORPHANING, "orphan")])
async def test_children_that_outlive_it_go_too(log: Path, code: str, word: str) -> None:
    program = await run(code, log, grace=0.2)
    child = int((await says(log, word)).split()[1])
    await says(log, "up")
    os.kill(program.pid, signal.SIGKILL)
    ended = await program.ended
    assert ended == Ended(exit=-signal.SIGKILL, killed=True, left=())
    assert gone(child)


async def test_a_program_that_is_not_there_is_said_so(log: Path) -> None:
    with pytest.raises(CouldNotStart, match="No such file or directory: /nowhere/vllm"):
        await guarded.start(["/nowhere/vllm"], environment={}, log=log, folder=log.parent)


async def test_a_killed_warden_takes_the_program_with_it(log: Path) -> None:
    program = await run(ORPHANING, log)
    child = int((await says(log, "orphan")).split()[1])
    stat = warden.stat_of(program.pid)
    assert stat is not None
    os.kill(stat[1], signal.SIGKILL)
    ended = await program.ended
    assert ended == Ended(exit=None, killed=True, left=())
    assert gone(program.pid)
    assert gone(child)


OWNER = """
import asyncio, sys
from pathlib import Path
from runners.processes import guarded
async def main():
    log = Path(sys.argv[1])
    program = await guarded.start([sys.executable, "-c", sys.argv[2]], environment={}, log=log, folder=log.parent, grace=0.2)
    print(program.pid, program.started, flush=True)
    await program.ended
asyncio.run(main())
"""


def owning(log: Path, code: str) -> "subprocess.Popen[str]":
    """A process that owns a program; it prints the program's pid and start."""
    return subprocess.Popen([sys.executable, "-c", OWNER, log, code], stdout=subprocess.PIPE, text=True)


@pytest.mark.parametrize("code", [STUBBORN, RUNAWAY, ORPHANING], ids=["stubborn", "runaway", "orphaning"])
async def test_an_owner_killed_with_9_leaves_nothing(log: Path, code: str) -> None:
    owner = owning(log, code)
    assert owner.stdout is not None
    pid, started = map(int, owner.stdout.readline().split())
    await says(log, "up")
    session = warden.members(pid)
    assert pid in session
    owner.kill()
    owner.wait()
    owner.stdout.close()
    assert gone(pid)
    assert await guarded.sweep(pid, started, patience=5.0) == []
    assert all(gone(member) for member in session)


async def test_a_session_whose_number_somebody_else_has_is_let_be(log: Path) -> None:
    program = await run("import time; print('up', flush=True); time.sleep(600)", log)
    await says(log, "up")
    assert await guarded.sweep(program.pid, program.started + 1) == []
    assert guarded.alive(program.pid, program.started)
    assert not guarded.alive(program.pid, program.started + 1)
    assert await guarded.sweep(program.pid, program.started) == []
    assert (await program.ended).exit == -signal.SIGKILL
