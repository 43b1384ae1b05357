"""One job in the foreground: queued, run by an agent of our own, followed with a progress bar."""

import asyncio
import getpass
import signal
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from bot.cli.run_sheet import show_run
from bot.cli.surroundings import surroundings_of
from bot.jobs import Jobs, at_work, own_desk
from bot.settings import Settings
from bot.world import World
from runners.agent.agent import Agent
from runners.dispatch.direct import Direct
from runners.foreman import follow
from runners.jobs.approval import admit
from runners.jobs.job import Job, State
from runners.jobs.spec import BenchSpec
from runners.machines.host import Host
from runners.results.export import as_json as written
from runners.results.result import Result

Tell = Callable[[Jobs, Job], None]
SAID = {
    State.QUEUED: "Waiting for the GPUs",
    State.STARTING: "Starting vLLM",
    State.LOADING: "Loading the model",
    State.WARMING: "Warming up",
    State.MEASURING: "Measuring",
    State.STOPPING: "Stopping vLLM",
}


def run(world: World, settings: Settings, host: Host, spec: BenchSpec, *, as_json: bool) -> int:
    """Runs it to its end and shows what it came to: 0 when it was measured, 1 when not."""
    job, result = asyncio.run(_run(world, settings, host, spec))
    if as_json:
        world.say(written(job, result))
    else:
        show_run(job, result, world.stdout)
    return int(job.state is not State.DONE)


async def _run(world: World, settings: Settings, host: Host, spec: BenchSpec) -> tuple[Job, Result | None]:
    desk, me = own_desk(), getpass.getuser()
    around = surroundings_of(host, settings, world.environment, world.environment.get("OPENAI_API_KEY"))
    folder = settings.store.path.resolve().parent / "runner-local"
    async with at_work(settings.store.path, {host.name: host}, desk) as jobs:
        job = jobs.journal.request(f"{desk}:{uuid.uuid4().hex}", spec, owner=me, desk=desk)
        admit(jobs.journal, job, needs_approval=False)
        jobs.foreman.stirred.set()
        agent = asyncio.create_task(_work(Agent(Direct(jobs.embedded, host.name, desk), folder, around)))
        try:
            with _stoppable(jobs, job, me):
                await _followed(world, jobs, job)
        finally:
            agent.cancel()
            await asyncio.gather(agent, return_exceptions=True)
        found = jobs.journal.result(job.number)
        return jobs.journal.job(job.number), None if found is None else Result.model_validate(found)


async def _work(agent: Agent) -> None:
    await agent.run(asyncio.Event())


@contextmanager
def _stoppable(jobs: Jobs, job: Job, who: str) -> Iterator[None]:
    """The first Ctrl-C cancels the job, and it is cleaned up; the second one does what signals do."""
    loop = asyncio.get_running_loop()
    stopping: list[asyncio.Task[None]] = []

    def stop() -> None:
        stopping.append(asyncio.create_task(jobs.foreman.cancel(job, who, "It was stopped at the terminal.")))
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    try:
        yield
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            with suppress(ValueError, RuntimeError):
                loop.remove_signal_handler(number)


async def _followed(world: World, jobs: Jobs, job: Job) -> None:
    """Returns when the job has ended; a terminal sees a bar meanwhile, a pipe a line for each state."""
    show = _bar if world.stderr.isatty() else _lines
    with show(world) as tell:
        while (now := jobs.journal.job(job.number)).open:
            tell(jobs, now)
            await follow(jobs.foreman, 0.5)


@contextmanager
def _lines(world: World) -> Iterator[Tell]:
    said: list[str] = []

    def tell(jobs: Jobs, job: Job) -> None:
        line = _line(jobs, job)
        if line and line not in said[-1:]:
            said.append(line)
            world.complain(line)

    yield tell


@contextmanager
def _bar(world: World) -> Iterator[Tell]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(file=world.stderr), transient=True) as bar:
        task = bar.add_task("…", total=None)

        def tell(jobs: Jobs, job: Job) -> None:
            progress = jobs.foreman.standing(job).progress if job.state is State.MEASURING else None
            known = progress is not None and progress.total > 0
            done, total = (progress.done, progress.total) if known and progress else (0, None)
            bar.update(task, description=_line(jobs, job), completed=done, total=total)

        yield tell


def _line(jobs: Jobs, job: Job) -> str:
    """Where the job is, in a few words."""
    said = SAID.get(job.state, "")
    event = jobs.journal.events(job.number)[-1]
    if "repeat" in event.detail:
        said += f" ({event.detail['repeat']} of {event.detail['repeats']})"
    return said
