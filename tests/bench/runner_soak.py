"""Random kills of bot, agent and server while jobs run: every job comes to a true end, none twice, and no process is left.

Run: python -m tests.bench.runner_soak [--kills 200] [--seed 1]                         with the stand-in
     python -m tests.bench.runner_soak --kills 25 --vllm /path/to/vllm --model FOLDER   with a real vLLM
"""

import argparse
import asyncio
import json
import os
import random
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

from bot.jobs import heard
from bot.settings import load
from runners.jobs.job import ENDED, Job, State
from runners.jobs.journal import Journal, open_journal
from runners.jobs.spec import BenchSpec, Limits
from runners.jobs.workload import Workload
from runners.processes import warden
from runners.results.result import Result

ROOT = Path(__file__).parents[2]
STANDIN = f"{sys.executable} -S {ROOT / 'tests' / 'runners' / 'standin.py'}"
OPEN = 2  # jobs that are kept in the queue
DEADLINE_S = 900.0
VICTIMS = ("bot", "agent", "server")


class Scene:
    """A bot and an agent in processes of their own, over one folder."""

    def __init__(self, folder: Path, vllm: str, model: str, pause: tuple[float, float]) -> None:
        self.folder, self.model, self.pause = folder, model, pause
        self.store = folder / "store.sqlite"
        words = ", ".join(json.dumps(word) for word in shlex.split(vllm))
        told = 'environment = {STANDIN_STEP = "0.02", STANDIN_STARTS = "0.3", VLLM_CPU_KVCACHE_SPACE = "1"}'
        extra = 'serve_args = ["--load-format", "dummy", "--enforce-eager"]\nmodels = ["*"]'
        host = f'[[hosts]]\nname = "here"\nvllm = [{words}]\n{told}\n{extra}\n'
        (folder / "tuning-bot.toml").write_text(f'{host}[store]\npath = "{self.store}"\n')
        self.sessions: set[int] = set()
        self.killed: Counter[str] = Counter()
        self._environment = dict(os.environ) | {
            "PYTHONPATH": str(ROOT),
            "TUNING_BOT_CONFIG": str(folder / "tuning-bot.toml"),
            "XDG_RUNTIME_DIR": str(folder),
        }
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self.journal: Journal = open_journal(self.store, time.time)
        for name in ("bot", "agent"):
            self.start(name)

    def start(self, name: str) -> None:
        """Starts the bot or the agent."""
        words = {
            "bot": (sys.executable, "-m", "tests.bench.runner_soak", "--bot", str(self.folder / "tuning-bot.toml")),
            "agent": (sys.executable, "-m", "bot", "runner", "--host", "here"),
        }
        log = (self.folder / f"{name}.log").open("ab")
        self._processes[name] = subprocess.Popen(
            words[name], cwd=self.folder, env=self._environment, stdout=log, stderr=log
        )
        log.close()

    def request(self, number: int) -> None:
        """One more job of two short repeats."""
        load = Workload(input_len=16, output_len=8, num_prompts=30, max_concurrency=4, repeats=2)
        spec = BenchSpec(model=self.model, host="here", workload=load, limits=Limits(gpu_minutes=10))
        job = self.journal.request(f"soak-{number}", spec, owner=f"U{number % 3}", desk="serve")
        self.journal.move(job.number, State.QUEUED, who=job.owner)

    def servers(self) -> list[int]:
        """The sessions of all servers that agents have started."""
        for file in (self.folder / "runner-here" / "attempts").glob("*/server.json"):
            with suppress(OSError, ValueError):
                self.sessions.add(int(json.loads(file.read_text())["pid"]))
        return [session for session in self.sessions if warden.members(session)]

    def kill(self, victim: str, chance: random.Random) -> None:
        """KILL, then what a service manager does: start it again."""
        if victim == "server":
            running = [pid for session in self.servers() for pid in warden.members(session)]
            if running:
                with suppress(ProcessLookupError):
                    os.kill(chance.choice(running), signal.SIGKILL)
                self.killed[victim] += 1
            return
        process = self._processes[victim]
        process.kill()
        process.wait()
        self.killed[victim] += 1
        self.servers()
        self.start(victim)

    def stop(self) -> list[int]:
        """Ends bot and agent as they should be: the processes of servers that are left all the same."""
        for process in self._processes.values():
            process.terminate()
            process.wait(60)
        until = time.monotonic() + 60
        while (left := self.servers()) and time.monotonic() < until:
            time.sleep(0.2)
        return left


def soak(scene: Scene, kills: int, chance: random.Random) -> list[Job]:
    """Kills at random moments while jobs run, then lets the rest come to an end."""
    requested = 0
    while sum(scene.killed.values()) < kills:
        while len(scene.journal.open()) < OPEN:
            requested += 1
            scene.request(requested)
        time.sleep(chance.uniform(*scene.pause))
        scene.kill(chance.choice(VICTIMS), chance)
    until = time.monotonic() + DEADLINE_S
    while scene.journal.open() and time.monotonic() < until:
        scene.servers()
        time.sleep(0.5)
    return scene.journal.listing(most=100_000)


def faults(journal: Journal, jobs: list[Job]) -> list[str]:
    """What is not true of the jobs."""
    found = []
    for job in jobs:
        states = [event.state for event in journal.events(job.number)]
        result = journal.result(job.number)
        if job.state not in ENDED:
            found.append(f"run {job.number} has not ended: {job.state}")
        if sum(state in ENDED and state is not State.LOST for state in states) > 1:
            found.append(f"run {job.number} ended twice: {states}")
        if job.attempt > 2:
            found.append(f"run {job.number} was tried {job.attempt} times")
        if job.state is State.DONE:
            found += _untrue(job, result)
        if job.state is State.FAILED and not job.why:
            found.append(f"run {job.number} failed without a reason")
    return found


def _untrue(job: Job, values: dict[str, object] | None) -> list[str]:
    if values is None:
        return [f"run {job.number} is done without a result"]
    result = Result.model_validate(values)
    numbers = [repeat.number for repeat in result.repeats]
    wrong = numbers != [1, 2] or result.failure is not None or any(repeat.completed != 30 for repeat in result.repeats)
    return [f"run {job.number} is done with repeats {numbers}, {result.failure}"] if wrong else []


async def be_the_bot(config: Path) -> None:
    """The jobs of `serve`, without Slack, until killed or told to stop."""
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    async with heard(load(config), {}):
        await stop.wait()


def main() -> None:
    """Soaks and reports; fails when anything is not as it should be."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bot", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--vllm", default=None)
    parser.add_argument("--model", default="org/model")
    args = parser.parse_args()
    if args.bot:
        asyncio.run(be_the_bot(args.bot))
        return
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        scene = Scene(Path(folder), args.vllm or STANDIN, args.model, (3.0, 30.0) if args.vllm else (0.2, 3.0))
        try:
            jobs = soak(scene, args.kills, random.Random(args.seed))
        finally:
            left = scene.stop()
        found = faults(scene.journal, jobs)
        states = Counter(str(job.state) for job in jobs)
        print(f"{sum(scene.killed.values())} kills {dict(scene.killed)} in {time.monotonic() - begun:.0f} s")
        print(f"{len(jobs)} jobs {dict(states)}; {len(scene.sessions)} servers, {len(left)} left")
        for fault in found:
            print(fault)
        if found or left:
            print((scene.folder / "bot.log").read_text()[-3000:], (scene.folder / "agent.log").read_text()[-3000:])
    sys.exit(bool(found or left))


if __name__ == "__main__":
    main()
