"""Who may let a job start, and stop it."""

from collections.abc import Callable

import pytest

from knowledge.errors import Refusal
from runners.jobs.approval import admit, approve, decline, may_cancel
from runners.jobs.job import Job, State
from runners.jobs.journal import Journal
from runners.jobs.spec import BenchSpec

APPROVERS = ("U8", "U9")


@pytest.fixture
def waiting(journal: Journal, make_spec: Callable[..., BenchSpec]) -> Job:
    job = journal.request("message-1", make_spec(), owner="U1", desk="serve")
    admit(journal, job, needs_approval=True)
    return journal.job(job.number)


def test_a_job_waits_for_approval_where_its_host_asks_for_it(
    journal: Journal, make_spec: Callable[..., BenchSpec], waiting: Job
) -> None:
    assert waiting.state is State.AWAITING_APPROVAL
    free = journal.request("message-2", make_spec(), owner="U1", desk="serve")
    assert admit(journal, free, needs_approval=False) is not None
    assert journal.job(free.number).state is State.QUEUED
    assert admit(journal, free, needs_approval=True) is None


def test_an_approver_lets_it_start_once(journal: Journal, waiting: Job) -> None:
    event = approve(journal, waiting.number, waiting.hash, who="U9", approvers=APPROVERS)
    assert (event.state, event.who) == (State.QUEUED, "U9")
    with pytest.raises(Refusal, match="does not wait for approval"):
        approve(journal, waiting.number, waiting.hash, who="U8", approvers=APPROVERS)
    assert [event.state for event in journal.events(waiting.number)].count(State.QUEUED) == 1


@pytest.mark.parametrize(
    ("who", "approvers", "digest", "code"),
    [
        ("U9", (), None, "no-approvers"),
        ("U1", (), None, "no-approvers"),
        ("U2", APPROVERS, None, "not-an-approver"),
        ("U1", ("U1", "U9"), None, "own-approval"),
        ("U9", APPROVERS, "0" * 64, "stale-approval"),
    ],
)
def test_nobody_else_does(
    journal: Journal, waiting: Job, who: str, approvers: tuple[str, ...], digest: str | None, code: str
) -> None:
    with pytest.raises(Refusal) as refused:
        approve(journal, waiting.number, digest or waiting.hash, who=who, approvers=approvers)
    assert refused.value.code == code
    assert journal.job(waiting.number).state is State.AWAITING_APPROVAL


def test_an_approver_can_send_it_back(journal: Journal, waiting: Job) -> None:
    with pytest.raises(Refusal):
        decline(journal, waiting.number, who="U2", approvers=APPROVERS)
    event = decline(journal, waiting.number, who="U8", approvers=APPROVERS)
    assert (event.state, event.why) == (State.CANCELLED, "It was not approved.")
    with pytest.raises(Refusal, match="does not wait"):
        decline(journal, waiting.number, who="U8", approvers=APPROVERS)


@pytest.mark.parametrize(("who", "code"), [("U1", None), ("U7", None), ("U2", "not-yours")])
def test_its_owner_or_an_operator_may_stop_it(waiting: Job, who: str, code: str | None) -> None:
    if code is None:
        may_cancel(waiting, who, operators=("U7",))
        return
    with pytest.raises(Refusal) as refused:
        may_cancel(waiting, who, operators=("U7",))
    assert refused.value.code == code


def test_what_has_ended_is_not_stopped(journal: Journal, waiting: Job) -> None:
    decline(journal, waiting.number, who="U8", approvers=APPROVERS)
    with pytest.raises(Refusal, match="has ended"):
        may_cancel(journal.job(waiting.number), "U1", operators=())
