"""The journal: every step once, in an order that can be, and nothing lost or doubled."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from knowledge.errors import Refusal
from runners.jobs.job import ENDED, OPEN, RUNNING, WAITING, Job, State, may_follow
from runners.jobs.journal import Journal, open_journal
from runners.jobs.spec import BenchSpec
from tests.runners.conftest import Clock

Make = Callable[..., BenchSpec]
WHOLE = (
    *(State.REQUESTED, State.AWAITING_APPROVAL, State.QUEUED, State.STARTING, State.LOADING, State.WARMING),
    *(State.MEASURING, State.MEASURING, State.WARMING, State.MEASURING, State.STOPPING, State.DONE),
)


@pytest.fixture
def job(journal: Journal, make_spec: Make) -> Job:
    return journal.request("message-1", make_spec(), owner="U1", desk="serve", origin={"channel": "C1"})


def test_a_whole_run_can_follow_its_states() -> None:
    assert all(may_follow(before, after) for before, after in pairwise(WHOLE))


@pytest.mark.parametrize("ended", sorted(ENDED - {State.LOST}))
def test_nothing_follows_an_end(ended: State) -> None:
    assert [state for state in State if may_follow(ended, state)] == []


def test_only_a_lost_job_is_queued_again() -> None:
    assert {state for state in State if may_follow(state, State.QUEUED)} == {
        State.REQUESTED,
        State.AWAITING_APPROVAL,
        State.LOST,
    }


@pytest.mark.parametrize("state", sorted(RUNNING))
def test_whatever_runs_can_end_in_every_way(state: State) -> None:
    assert all(may_follow(state, end) for end in ENDED)


def test_every_state_is_waiting_running_or_ended() -> None:
    assert set(State) == WAITING | RUNNING | ENDED == OPEN | ENDED


def test_a_request_that_comes_twice_is_one_job(journal: Journal, make_spec: Make, job: Job) -> None:
    again = journal.request("message-1", make_spec({"repeats": 9}), owner="U2", desk="serve")
    assert again == job
    assert [event.state for event in journal.events(job.number)] == [State.REQUESTED]
    other = journal.request("message-2", make_spec(), owner="U1", desk="serve")
    assert other.number == job.number + 1


def test_each_step_is_kept_with_who_and_why(journal: Journal, job: Job, clock: Clock) -> None:
    clock.forward(5)
    event = journal.move(job.number, State.QUEUED, who="U1", why="No approval is needed.", detail={"a": 1})
    assert event == journal.events(job.number)[-1]
    assert (event.state, event.who, event.why, event.detail) == (
        State.QUEUED,
        "U1",
        "No approval is needed.",
        {"a": 1},
    )
    moved = journal.job(job.number)
    assert (moved.state, moved.state_at, moved.started_at) == (State.QUEUED, clock.now, None)
    assert moved.origin == {"channel": "C1"}


def test_a_step_that_cannot_follow_is_not_written(journal: Journal, job: Job) -> None:
    assert journal.move(job.number, State.DONE, who="x") is None
    assert journal.move(99, State.QUEUED, who="x") is None
    assert journal.move(job.number, State.CANCELLED, who="x") is not None
    assert journal.move(job.number, State.CANCELLED, who="x") is None
    assert len(journal.events(job.number)) == 2


def test_a_job_starts_once_and_ends_once(journal: Journal, job: Job, clock: Clock) -> None:
    for state in (State.QUEUED, State.STARTING, State.LOST, State.QUEUED, State.STARTING, State.WARMING):
        clock.forward(1)
        journal.move(job.number, state, who="h100")
    begun = journal.job(job.number)
    assert begun.started_at == job.requested_at + 2
    assert begun.ended_at is None
    assert begun.running
    journal.move(job.number, State.FAILED, who="h100", why="It failed.")
    ended = journal.job(job.number)
    assert (ended.ended_at, ended.why, ended.open) == (clock.now, "It failed.", False)


def test_what_happened_is_followed_from_any_event(journal: Journal, job: Job) -> None:
    before = journal.newest_event()
    journal.move(job.number, State.QUEUED, who="U1")
    journal.move(job.number, State.STARTING, who="h100")
    assert [event.state for event in journal.since(before)] == [State.QUEUED, State.STARTING]
    assert journal.since(journal.newest_event()) == []


def test_jobs_are_listed_newest_first_and_by_what_is_asked(journal: Journal, make_spec: Make) -> None:
    assert journal.newest_event() == 0
    numbers = [
        journal.request(f"m{place}", make_spec(host=host), owner=owner, desk="serve").number
        for place, (owner, host) in enumerate([("U1", "h100"), ("U2", "h100"), ("U1", "a100")])
    ]
    assert [job.number for job in journal.listing()] == numbers[::-1]
    assert [job.number for job in journal.listing(owner="U1")] == [numbers[2], numbers[0]]
    assert [job.number for job in journal.listing(host="h100", most=1)] == [numbers[1]]
    assert [job.number for job in journal.listing(before=numbers[2], model="org/model")] == numbers[1::-1]
    journal.move(numbers[0], State.CANCELLED, who="U1")
    assert [job.number for job in journal.listing(state=State.CANCELLED)] == [numbers[0]]
    assert [job.number for job in journal.open()] == numbers[1:]
    assert [job.number for job in journal.open(host="h100", desk="serve")] == [numbers[1]]
    assert [job.number for job in journal.finished_on("h100")] == [numbers[0]]


def test_another_process_sees_the_same_jobs(journal: Journal, job: Job, tmp_path: Path, clock: Clock) -> None:
    other = open_journal(tmp_path / "store.sqlite", clock)
    other.move(job.number, State.QUEUED, who="U2")
    assert journal.job(job.number).state is State.QUEUED
    other.db.close()


def test_an_unknown_run_is_refused(journal: Journal) -> None:
    with pytest.raises(Refusal, match="no run `7`"):
        journal.job(7)


def test_a_store_that_cannot_be_written_is_refused(tmp_path: Path, clock: Clock) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Refusal) as refused:
        open_journal(tmp_path / "file" / "store.sqlite", clock)
    assert refused.value.code == "store-unwritable"


def test_an_attempt_is_begun_once(journal: Journal, job: Job) -> None:
    assert journal.attempts.current(job.number) is None
    first = journal.attempts.begin(job.number, 1)
    assert (first.key, first.open) == (f"bench-{job.number}-1", True)
    assert journal.attempts.begin(job.number, 1) == first == journal.attempts.current(job.number)
    assert journal.job(job.number).attempt == 1
    journal.attempts.journaled(first.key, 3)
    current = journal.attempts.current(job.number)
    assert current is not None
    assert current.steps == 3


def test_a_result_that_comes_after_the_next_attempt_began_does_not_count(journal: Journal, job: Job) -> None:
    first = journal.attempts.begin(job.number, 1)
    assert journal.result(job.number) is None
    second = journal.attempts.begin(job.number, 2)
    assert journal.attempts.end(second.key, {"of": 2})
    assert not journal.attempts.end(first.key, {"of": 1})
    assert journal.result(job.number) == {"of": 2}


def test_a_baseline_is_one_for_each_model_and_host(journal: Journal) -> None:
    assert journal.baselines.of("org/model", "h100") is None
    journal.baselines.set("org/model", "h100", 3, "U1")
    journal.baselines.set("org/model", "a100", 4, "U1")
    journal.baselines.set("org/model", "h100", 5, "U2")
    assert journal.baselines.of("org/model", "h100") == 5
    assert journal.baselines.of("org/model", "a100") == 4


def test_what_is_written_together_is_written_whole_or_not_at_all(journal: Journal, job: Job) -> None:
    from runners.jobs.transactions import together

    def interrupted() -> None:
        with together(journal.db):
            journal.move(job.number, State.QUEUED, who="U1")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert journal.job(job.number).state is State.REQUESTED
    assert len(journal.events(job.number)) == 1
