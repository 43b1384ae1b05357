"""Whose turn it is, and when: fair between people, and reckoned from what jobs took before."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from runners.jobs.history import expectations, expected
from runners.jobs.job import Job, State
from runners.jobs.order import Turn, in_order, startable, turns
from runners.jobs.spec import BenchSpec, Limits

NOW = 1_800_000_000.0


@pytest.fixture
def make(make_spec: Callable[..., BenchSpec]) -> Callable[..., Job]:
    """A queued job: number and owner, and whatever else is said."""

    def job(number: int, owner: str = "U1", gpus: tuple[int, ...] = (0,), **changed: object) -> Job:
        spec = make_spec(gpus=gpus, limits=Limits(gpu_minutes=10 * max(1, len(gpus))))
        made = Job(
            number=number,
            spec=spec,
            hash=spec.hash,
            owner=owner,
            priority=0,
            desk="serve",
            origin={},
            state=State.QUEUED,
            state_at=NOW,
            why="",
            requested_at=NOW,
            started_at=None,
            ended_at=None,
            attempt=0,
        )
        return replace(made, **changed)  # type: ignore[arg-type]

    return job


Make = Callable[..., Job]


def numbers(jobs: list[Job]) -> list[int]:
    return [job.number for job in jobs]


def test_everybody_has_a_first_job_before_anybody_has_a_second(make: Make) -> None:
    jobs = [make(1, "U1"), make(2, "U1"), make(3, "U1"), make(4, "U2"), make(5, "U3"), make(6, "U2")]
    assert numbers(in_order(jobs)) == [1, 4, 5, 2, 6, 3]


def test_who_has_a_job_running_waits_for_those_who_have_none(make: Make) -> None:
    jobs = [make(1, "U1", state=State.MEASURING), make(2, "U1"), make(3, "U2")]
    assert numbers(in_order(jobs)) == [3, 2]


def test_a_higher_priority_goes_first(make: Make) -> None:
    jobs = [make(1, "U1"), make(2, "U2"), make(3, "U1", priority=5), make(4, "U1", state=State.AWAITING_APPROVAL)]
    assert numbers(in_order(jobs)) == [3, 2, 1]


def test_one_job_at_a_time_on_a_gpu(make: Make) -> None:
    running = make(1, "U1", (0, 1), state=State.MEASURING)
    jobs = [running, make(2, "U2", (1, 2)), make(3, "U3", (2, 3)), make(4, "U4", (4,))]
    assert numbers(startable(jobs)) == [4]  # 3 waits behind 2, which waits for GPU 1
    assert numbers(startable([make(2, "U2", (1, 2)), make(3, "U3", (2,)), make(4, "U4", (0,))])) == [2, 4]


def test_a_job_that_was_handed_over_holds_its_gpus(make: Make) -> None:
    jobs = [make(1, "U1"), make(2, "U2")]
    assert numbers(startable(jobs, placed={1})) == []


def test_a_machine_without_gpus_is_held_whole_and_a_running_server_not_at_all(
    make: Make, make_spec: Callable[..., BenchSpec]
) -> None:
    measured = make(3, "U3", spec=make_spec(url="http://gpu1:8000"))
    assert numbers(startable([make(1, "U1", ()), make(2, "U2", ()), measured])) == [1, 3]


def test_a_turn_says_position_holder_and_time(make: Make) -> None:
    jobs = [
        make(1, "U1", state=State.MEASURING, started_at=NOW - 100),
        make(2, "U2"),
        make(3, "U3"),
        make(4, "U4", (7,)),
    ]
    found = turns(jobs, {1: 300.0, 2: 60.0, 3: 60.0, 4: None}, NOW)
    assert found == {
        2: Turn(position=1, starts_in_s=200.0, holders=(1,)),
        3: Turn(position=2, starts_in_s=260.0, holders=(1,)),
        4: Turn(position=3, starts_in_s=0.0, holders=()),
    }


def test_a_job_that_takes_longer_than_expected_may_end_at_any_moment(make: Make) -> None:
    jobs = [make(1, "U1", state=State.MEASURING, started_at=NOW - 500), make(2, "U2")]
    assert turns(jobs, {1: 300.0, 2: None}, NOW)[2].starts_in_s == 0.0


def test_no_history_no_time(make: Make) -> None:
    jobs = [make(1, "U1", state=State.STARTING, started_at=NOW), make(2, "U2"), make(3, "U3")]
    assert [turn.starts_in_s for turn in turns(jobs, expectations(jobs, []), NOW).values()] == [None, None]


def test_time_is_reckoned_from_the_nearest_jobs_that_were_done(make: Make, make_spec: Callable[..., BenchSpec]) -> None:
    def done(number: int, seconds: float, **changed: object) -> Job:
        return make(number, state=State.DONE, started_at=NOW, ended_at=NOW + seconds, **changed)

    other = make_spec(model="org/other")
    job = make(9)
    finished = [done(1, 100.0), done(2, 140.0), done(3, 900.0, spec=other, hash=other.hash)]
    assert expected(job, finished) == 120.0
    assert expected(replace(job, hash="another"), finished) == 120.0  # the same model
    assert expected(replace(job, hash="x", spec=make_spec(model="org/third")), finished) == 140.0  # any there
    assert expected(job, [done(1, 9000.0)]) == job.spec.wall_limit_s + 60.0  # never beyond its own limit
    assert expected(job, [make(1, state=State.FAILED, started_at=NOW, ended_at=NOW + 5)]) is None
