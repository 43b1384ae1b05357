"""An agent with a queue at its other end: whole jobs, and every way in which one of the two goes away."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from knowledge.errors import Refusal
from runners.agent.agent import Agent, Identity
from runners.agent.surroundings import Surroundings
from runners.dispatch.direct import Direct
from runners.dispatch.embedded import Embedded
from runners.dispatch.link import LEASE_S, Claim, Turned, Unreachable
from runners.dispatch.orders import Progress
from runners.foreman import Foreman, follow
from runners.jobs.job import Job, State
from runners.jobs.journal import Journal, open_journal
from runners.jobs.spec import BenchSpec
from runners.results.result import Result

DEADLINE_S = 40.0
Make = Callable[..., Any]


class Cut(Direct):
    """A link that can be cut."""

    cut = False

    def _check(self) -> None:
        if self.cut:
            raise Unreachable("cut")

    async def claim(self, running: frozenset[str], wait_s: float) -> Claim | None:
        self._check()
        return await super().claim(running, min(wait_s, 0.2))

    async def renew(self, key: str, token: int, progress: Progress) -> str | None:
        self._check()
        return await super().renew(key, token, progress)

    async def finish(self, key: str, token: int, progress: Progress, result: dict[str, Any]) -> None:
        self._check()
        await super().finish(key, token, progress, result)


async def until(happened: Callable[[], object]) -> None:
    """Returns once it has happened."""
    async with asyncio.timeout(DEADLINE_S):
        while True:
            if happened():
                return
            await asyncio.sleep(0.01)


class Office:
    """A foreman at work, and agents that come and go."""

    def __init__(self, journal: Journal, around: Surroundings, folder: Path) -> None:
        self.journal, self.around, self.folder = journal, around, folder
        self.steady = 0.0
        self.embedded = Embedded(journal.db, {"h100": around.host}, around.clock, lambda: self.steady)
        self.foreman = Foreman(journal, self.embedded, "serve", around.clock)
        self.said: list[str] = []
        self._tasks = [asyncio.create_task(self.foreman.run(self.embedded.changed))]
        self._requests = 0

    def agent(self, instance: str = "agent-1") -> tuple[Cut, asyncio.Task[None], asyncio.Event]:
        link, stop = Cut(self.embedded, "h100", instance), asyncio.Event()
        agent = Agent(link, self.folder, self.around, self.said.append)
        task = asyncio.create_task(agent.run(stop))
        self._tasks.append(task)
        return link, task, stop

    def request(self, spec: BenchSpec) -> Job:
        self._requests += 1
        job = self.journal.request(f"m{self._requests}", spec, owner="U1", desk="serve")
        self.journal.move(job.number, State.QUEUED, who="U1")
        self.foreman.stirred.set()
        return job

    async def reaches(self, job: Job, *states: State) -> Job:
        async with asyncio.timeout(DEADLINE_S):
            while (now := self.journal.job(job.number)).state not in states:
                await follow(self.foreman, 0.1)
            return now

    async def says(self, line: str) -> None:
        await until(lambda: any(line in said for said in self.said))

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


@pytest.fixture
async def open_office(surroundings: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Make]:
    """An office whose agents speak and try again twenty times as often as real ones."""
    monkeypatch.setattr("runners.agent.agent.BEAT_S", 0.25)
    monkeypatch.setattr("runners.agent.agent.AGAIN_S", 0.05)
    monkeypatch.setattr("runners.agent.agent.LONGEST_S", 0.2)
    journal = open_journal(tmp_path / "store.sqlite", time.time)
    offices: list[Office] = []

    def make(**standin: str) -> Office:
        offices.append(Office(journal, surroundings(**standin), tmp_path / "attempts"))
        return offices[-1]

    yield make
    for office in offices:
        await office.close()
    journal.db.close()


async def test_a_job_is_run_and_reported(open_office: Make, make_spec: Make) -> None:
    office = open_office(starts="1.2")
    office.agent()
    job = office.request(make_spec())
    done = await office.reaches(job, State.DONE, State.FAILED)
    assert done.state is State.DONE
    assert [event.state for event in office.journal.events(job.number)] == [
        *(State.REQUESTED, State.QUEUED, State.STARTING, State.LOADING, State.WARMING, State.MEASURING),
        *(State.WARMING, State.MEASURING, State.STOPPING, State.DONE),
    ]
    result = Result.model_validate(office.journal.result(job.number))
    assert len(result.repeats) == 2
    await office.says(f"Run {job.number}: done")


async def test_jobs_follow_each_other(open_office: Make, make_spec: Make) -> None:
    office = open_office()
    office.agent()
    jobs = [office.request(make_spec({"repeats": 1, "num_prompts": count})) for count in (3, 4)]
    ended = [await office.reaches(job, State.DONE) for job in jobs]
    assert ended[0].ended_at is not None
    assert ended[1].started_at is not None
    assert ended[1].started_at >= ended[0].ended_at


async def test_a_job_is_cancelled_while_it_runs(open_office: Make, make_spec: Make) -> None:
    office = open_office(step="1")
    office.agent()
    job = office.request(make_spec({"num_prompts": 500}))
    await office.reaches(job, State.MEASURING)
    await office.foreman.cancel(office.journal.job(job.number), "U1")
    cancelled = await office.reaches(job, State.CANCELLED)
    assert cancelled.why == "U1 cancelled it."


async def test_an_agent_that_is_restarted_goes_on_with_what_it_had(open_office: Make, make_spec: Make) -> None:
    office = open_office(step="0.02")
    _, working, stop = office.agent()
    job = office.request(make_spec({"repeats": 3, "num_prompts": 30}))
    await until(lambda: list(office.folder.glob("*/repeat-1.json")))
    stop.set()
    await working
    assert office.journal.job(job.number).running
    office.agent()
    await office.reaches(job, State.DONE)
    result = Result.model_validate(office.journal.result(job.number))
    assert len(result.repeats) == 3
    assert len(result.bench_commands) < 3
    assert office.journal.job(job.number).attempt == 1


async def test_a_network_that_is_cut_for_a_while_changes_nothing(open_office: Make, make_spec: Make) -> None:
    office = open_office(step="0.02")
    link, *_ = office.agent()
    job = office.request(make_spec({"repeats": 1}))
    await office.reaches(job, State.STARTING, State.LOADING, State.WARMING, State.MEASURING)
    link.cut = True
    await office.says("The bot cannot be reached: cut.")
    await until(lambda: list(office.folder.glob("*/result.json")))
    assert office.journal.job(job.number).open
    link.cut = False
    await office.reaches(job, State.DONE)


async def test_a_lost_job_runs_again_and_only_the_second_result_counts(open_office: Make, make_spec: Make) -> None:
    office = open_office()
    link, *_ = office.agent()
    job = office.request(make_spec({"repeats": 1}))
    await office.reaches(job, State.STARTING, State.LOADING, State.WARMING, State.MEASURING)
    link.cut = True
    office.steady += LEASE_S + 1
    await office.reaches(job, State.QUEUED)
    link.cut = False
    await office.reaches(job, State.DONE)
    result = Result.model_validate(office.journal.result(job.number))
    assert result.attempt == f"bench-{job.number}-2"
    await office.says("counts no more")


async def test_a_second_agent_of_the_same_name_says_so_and_waits(open_office: Make) -> None:
    office = open_office()
    office.agent()
    await office.says("Answering for `h100`.")
    office.agent("agent-2")
    await office.says("Another agent answers for `h100`. Trying again.")


async def test_a_bug_in_the_link_ends_the_agent_with_it(surroundings: Make, tmp_path: Path) -> None:
    class Broken:
        async def claim(self, running: frozenset[str], wait_s: float) -> Claim | None:
            raise LookupError("a bug")

        async def renew(self, key: str, token: int, progress: Progress) -> str | None:
            raise Turned

        async def finish(self, key: str, token: int, progress: Progress, result: dict[str, Any]) -> None:
            raise Turned

    with pytest.raises(LookupError):
        await Agent(Broken(), tmp_path, surroundings()).run(asyncio.Event())


def test_an_agent_is_the_same_one_after_a_restart_and_alone_in_its_folder(tmp_path: Path) -> None:
    first = Identity(tmp_path)
    with pytest.raises(Refusal, match="Another agent works in"):
        Identity(tmp_path)
    first.release()
    second = Identity(tmp_path)
    assert second.instance == first.instance
    second.release()
