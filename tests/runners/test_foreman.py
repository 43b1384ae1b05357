"""The foreman moves every job to a true end, whatever dies on the way."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from runners.dispatch.embedded import Embedded
from runners.dispatch.link import LEASE_S, Claim
from runners.dispatch.orders import Order, Progress, Step
from runners.foreman import Foreman, follow, orphans
from runners.jobs.job import Job, State
from runners.jobs.journal import Journal
from runners.jobs.spec import BenchSpec
from runners.machines.host import Host
from runners.measuring.failure import Failure, Layer
from runners.results.result import Result, Start
from tests.runners.conftest import Clock

HOSTS = {"h100": Host(name="h100", gpu="H100", gpus=4), "cpu": Host(name="cpu")}


WHOLE = (State.STARTING, State.LOADING, State.WARMING, State.MEASURING, State.STOPPING)


class House:
    """A journal, a queue and a foreman, and an agent that does what it is told."""

    def __init__(self, journal: Journal, clock: Clock, make_spec: Callable[..., BenchSpec]) -> None:
        self.journal, self.clock, self._make_spec = journal, clock, make_spec
        self.steady = 0.0
        self.claims: dict[int, Claim] = {}
        self._requests = 0
        self.restart()

    def restart(self) -> None:
        """The bot is killed and started again: only the file is left."""
        self.embedded = Embedded(self.journal.db, HOSTS, self.clock, lambda: self.steady)
        self.foreman = Foreman(self.journal, self.embedded, "serve", self.clock)

    def request(self, owner: str = "U1", gpus: tuple[int, ...] = (0,), **changed: Any) -> Job:
        self._requests += 1
        spec = self._make_spec(gpus=gpus, **changed)
        job = self.journal.request(f"m{self._requests}", spec, owner=owner, desk="serve")
        self.journal.move(job.number, State.QUEUED, who=owner)
        return job

    def take(self) -> int | None:
        self.embedded.admit("h100", "agent-1")
        claim = self.embedded.claim("h100", {held.order.key for held in self.claims.values()})
        if claim is None:
            return None
        self.claims[claim.order.job] = claim
        return claim.order.job

    def report(self, job: Job, *states: State) -> str | None:
        claim = self.claims[job.number]
        steps = tuple(Step(state=state, at=self.clock.now, detail={"n": place}) for place, state in enumerate(states))
        return self.embedded.renew(claim.order.key, claim.token, Progress(steps=steps, done=5, total=9))

    def finish(self, job: Job, **changed: Any) -> None:
        claim = self.claims.pop(job.number)
        steps = tuple(Step(state=state, at=self.clock.now, detail={"n": place}) for place, state in enumerate(WHOLE))
        result = Result(spec_hash=job.hash, attempt=claim.order.key, **changed)
        self.embedded.finish(claim.order.key, claim.token, Progress(steps=steps), result.model_dump(mode="json"))

    def state(self, job: Job) -> State:
        return self.journal.job(job.number).state

    def states(self, job: Job) -> list[State]:
        return [event.state for event in self.journal.events(job.number)]


@pytest.fixture
def house(journal: Journal, clock: Clock, make_spec: Callable[..., BenchSpec]) -> House:
    return House(journal, clock, make_spec)


async def test_a_job_goes_from_the_queue_to_its_result(house: House) -> None:
    job = house.request()
    await house.foreman.tick()
    assert house.take() == job.number
    house.report(job, State.STARTING)
    await house.foreman.tick()
    assert house.state(job) is State.STARTING
    house.report(job, *WHOLE)
    house.finish(job)
    await house.foreman.tick()
    assert house.states(job) == [State.REQUESTED, State.QUEUED, *WHOLE, State.DONE]
    assert house.journal.result(job.number) is not None
    events = house.journal.events(job.number)
    assert events[2].who == "h100"
    assert events[2].detail == {"n": 0, "attempt": 1}


async def test_what_a_start_teaches_is_passed_on(house: House) -> None:
    taught: list[dict[str, Any]] = []
    house.foreman = Foreman(house.journal, house.embedded, "serve", house.clock, taught.append)
    for start in (Start(seconds=1.0, learnt={"host": "h100"}), Start(seconds=1.0), None):
        job = house.request()
        await house.foreman.tick()
        house.take()
        house.finish(job, start=start)
        await house.foreman.tick()
    assert taught == [{"host": "h100"}]


@pytest.mark.parametrize(
    ("result", "state", "why"),
    [
        ({"failure": Failure(layer=Layer.HOST, why="GPU 0 is in use.")}, State.FAILED, "GPU 0 is in use."),
        ({"cancelled": "U1 cancelled it."}, State.CANCELLED, "U1 cancelled it."),
    ],
)
async def test_how_it_ended_is_what_the_result_says(
    house: House, result: dict[str, Any], state: State, why: str
) -> None:
    job = house.request()
    await house.foreman.tick()
    house.take()
    house.report(job, State.STARTING)
    house.finish(job, **result)
    await house.foreman.tick()
    ended = house.journal.job(job.number)
    assert (ended.state, ended.why) == (state, why)


async def test_jobs_on_one_gpu_run_one_after_the_other(house: House) -> None:
    first, second, beside = house.request(), house.request("U2"), house.request("U3", gpus=(1, 2))
    await house.foreman.tick()
    await house.foreman.tick()
    assert [house.take(), house.take(), house.take()] == [first.number, beside.number, None]
    house.report(first, *WHOLE)
    await house.foreman.tick()
    assert house.take() is None
    house.finish(first)
    await house.foreman.tick()
    assert house.take() == second.number


async def test_a_job_that_can_never_run_fails_at_once(house: House) -> None:
    job = house.request(gpus=(7,))
    await house.foreman.tick()
    assert house.state(job) is State.FAILED
    assert "has 4 GPUs" in house.journal.job(job.number).why


async def test_a_lost_job_is_tried_once_more_and_no_more(house: House) -> None:
    job = house.request()
    for _ in range(2):
        await house.foreman.tick()
        assert house.take() == job.number
        house.report(job, State.STARTING)
        await house.foreman.tick()
        del house.claims[job.number]
        house.steady += LEASE_S + 1
        await house.foreman.tick()
    assert house.states(job)[2:] == [State.STARTING, State.LOST, State.QUEUED, State.STARTING, State.LOST]
    await house.foreman.tick()
    assert house.take() is None
    assert house.journal.job(job.number).attempt == 2


async def test_a_bot_that_is_killed_at_any_point_goes_on_where_it_was(house: House) -> None:
    job = house.request()
    house.restart()
    await house.foreman.tick()
    house.restart()
    assert house.take() == job.number
    house.restart()
    house.report(job, *WHOLE[:2])
    house.restart()
    await house.foreman.tick()
    assert house.state(job) is State.LOADING
    house.report(job, *WHOLE)
    house.finish(job)
    house.restart()
    await house.foreman.tick()
    house.restart()
    await house.foreman.tick()
    assert house.states(job) == [State.REQUESTED, State.QUEUED, *WHOLE, State.DONE]


async def test_a_bot_that_was_away_for_long_loses_no_job(house: House) -> None:
    job = house.request()
    await house.foreman.tick()
    house.take()
    house.report(job, *WHOLE[:4])
    house.steady += 10 * LEASE_S
    house.clock.forward(10 * LEASE_S)
    house.restart()
    await house.foreman.tick()
    assert house.state(job) is State.MEASURING


async def test_a_clock_that_jumps_loses_no_job(house: House) -> None:
    job = house.request()
    await house.foreman.tick()
    house.take()
    house.report(job, *WHOLE[:3])
    await house.foreman.tick()
    house.clock.forward(86_400)
    house.report(job, *WHOLE[:4])
    await house.foreman.tick()
    house.clock.forward(-2 * 86_400)
    house.report(job, *WHOLE)
    await house.foreman.tick()
    times = [event.at for event in house.journal.events(job.number)]
    assert house.state(job) is State.STOPPING
    assert len(times) == 7


async def test_killed_between_writing_an_attempt_and_handing_it_over(house: House) -> None:
    job = house.request()
    house.journal.attempts.begin(job.number, 1)
    await house.foreman.tick()
    assert house.take() == job.number
    assert house.journal.job(job.number).attempt == 1


async def test_a_running_attempt_that_nobody_knows_any_more_is_lost(house: House) -> None:
    job = house.request()
    await house.foreman.tick()
    house.take()
    house.report(job, State.STARTING)
    await house.foreman.tick()
    house.journal.db.execute("DELETE FROM work")
    await house.foreman.tick()
    assert house.states(job)[-2:] == [State.LOST, State.QUEUED]


async def test_a_waiting_job_is_cancelled_at_once(house: House) -> None:
    first, second = house.request(), house.request()
    await house.foreman.tick()
    await house.foreman.cancel(house.journal.job(second.number), "U1")
    assert house.state(second) is State.CANCELLED
    await house.foreman.cancel(house.journal.job(first.number), "U1", "Not now.")
    await house.foreman.tick()
    assert (house.state(first), house.journal.job(first.number).why) == (State.CANCELLED, "Not now.")
    assert house.take() is None


async def test_a_running_job_is_told_to_stop(house: House) -> None:
    job = house.request()
    await house.foreman.tick()
    house.take()
    house.report(job, State.STARTING)
    await house.foreman.tick()
    await house.foreman.cancel(house.journal.job(job.number), "U9")
    assert house.state(job) is State.STARTING
    assert house.report(job, State.STARTING) == "U9 cancelled it."


async def test_a_job_that_is_far_beyond_its_limit_is_stopped(house: House) -> None:
    job = house.request()
    await house.foreman.tick()
    house.take()
    house.report(job, State.STARTING)
    await house.foreman.tick()
    house.clock.forward(job.spec.wall_limit_s * 2 + 1000)
    await house.foreman.tick()
    assert house.report(job, State.STARTING) == "It was stopped: it is long over its limit."


async def test_how_a_job_stands(house: House) -> None:
    first, second = house.request(), house.request("U2")
    await house.foreman.tick()
    await house.foreman.tick()
    standing = house.foreman.standing(house.journal.job(first.number))
    assert standing.why == "No agent has called for `h100`."
    house.take()
    house.report(first, *WHOLE[:4])
    await house.foreman.tick()
    standing = house.foreman.standing(house.journal.job(first.number))
    assert standing.turn is None
    assert standing.progress is not None
    assert (standing.progress.done, standing.progress.total) == (5, 9)
    turn = house.foreman.standing(house.journal.job(second.number)).turn
    assert turn is not None
    assert (turn.position, turn.holders) == (1, (first.number,))


class Away(Embedded):
    """A dispatcher that cannot be reached."""

    async def observe(self, keys: object) -> Any:
        raise ConnectionError("no route")


async def test_a_dispatcher_that_cannot_be_reached_loses_no_job(house: House) -> None:
    job = house.request()
    await house.foreman.tick()
    house.take()
    house.report(job, State.STARTING)
    away = Foreman(house.journal, Away(house.journal.db, HOSTS, house.clock, lambda: 0.0), "serve", house.clock)
    await away.tick()
    assert house.state(job) is State.QUEUED
    await house.foreman.tick()
    assert house.state(job) is State.STARTING


async def test_jobs_of_another_desk_are_left_to_it(house: House) -> None:
    job = house.request()
    other = Foreman(house.journal, house.embedded, "terminal-1", house.clock)
    await other.tick()
    assert house.take() is None
    assert house.state(job) is State.QUEUED


async def test_a_terminal_and_serve_share_a_file_and_leave_each_others_work_alone(house: House) -> None:
    job = house.request()
    await house.foreman.tick()
    terminal = Embedded(house.journal.db, HOSTS, house.clock, lambda: house.steady, desk="local:1:2")
    terminal.admit("h100", "agent-9")
    assert terminal.claim("h100", ()) is None
    assert house.take() == job.number
    house.steady += LEASE_S - 1
    house.report(job, State.STARTING)
    house.steady += 2
    await terminal.observe([])
    await house.foreman.tick()
    assert house.state(job) is State.STARTING


async def test_attempts_that_ended_a_week_ago_are_forgotten(house: House) -> None:
    job = house.request()
    await house.foreman.tick()
    house.take()
    house.finish(job)
    await house.foreman.tick()
    house.clock.forward(8 * 86_400)
    house.request()
    await house.foreman.tick()
    keys = [key for (key,) in house.journal.db.execute("SELECT key FROM work")]
    assert keys == [f"bench-{job.number + 1}-1"]
    assert house.journal.result(job.number) is not None


def test_jobs_of_terminals_that_are_gone_come_to_an_end(house: House, make_spec: Callable[..., BenchSpec]) -> None:
    waiting = house.journal.request("t1", make_spec(), owner="me", desk="local:1:2")
    running = house.journal.request("t2", make_spec(), owner="me", desk="local:1:2")
    for state in (State.QUEUED, State.STARTING):
        house.journal.move(running.number, state, who="me")
    kept = house.request()
    found = orphans(house.journal, lambda desk: desk != "local:1:2", desks={"serve"})
    assert found == [waiting.number, running.number]
    assert [house.state(job) for job in (waiting, running, kept)] == [State.CANCELLED, State.LOST, State.QUEUED]


async def test_news_are_told_to_those_who_follow(house: House) -> None:
    import asyncio

    job = house.request()
    working = asyncio.create_task(house.foreman.run(house.embedded.changed))
    async with asyncio.timeout(10):
        while house.take() is None:
            await follow(house.foreman, 0.05)
        house.report(job, State.STARTING)
        while house.state(job) is not State.STARTING:
            await follow(house.foreman, 0.05)
    working.cancel()
    await asyncio.gather(working, return_exceptions=True)


def test_an_order_survives_the_way(make_spec: Callable[..., BenchSpec], tmp_path: Path) -> None:
    order = Order(key="bench-1-1", job=1, spec=make_spec(serve={"--seed": 1, "--enforce-eager": True}))
    again = Order.model_validate_json(order.model_dump_json())
    assert again == order
    assert again.spec.hash == order.spec.hash
