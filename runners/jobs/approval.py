"""Who may let a job start, and stop it: nobody is everybody, and once is once."""

from collections.abc import Collection

from knowledge.errors import Refusal
from runners.jobs.job import Event, Job, State
from runners.jobs.journal import Journal


def admit(journal: Journal, job: Job, *, needs_approval: bool) -> Event | None:
    """Sends a new request on: to the approvers where its host asks for them, else to the queue. None when it went on before."""
    after = State.AWAITING_APPROVAL if needs_approval else State.QUEUED
    return journal.move(job.number, after, who=job.owner)


def approve(journal: Journal, number: int, spec_hash: str, *, who: str, approvers: Collection[str]) -> Event:
    """Lets a job start. `spec_hash` is what the approver saw.

    Refuses anybody who is no approver, the requester, another hash than the job's, and a job that does not wait for it.
    """
    job = journal.job(number)
    _refuse_stranger(who, approvers)
    if who == job.owner:
        raise Refusal("own-approval", f"Run `{number}` is your own.", "Somebody else must approve it.", run=number)
    if spec_hash != job.hash:
        error = f"`{spec_hash[:12]}` is not what run `{number}` would do now."
        raise Refusal("stale-approval", error, "Look at the newest message and approve that one.", run=number)
    event = journal.move(number, State.QUEUED, who=who) if job.state is State.AWAITING_APPROVAL else None
    if event is None:
        error = f"Run `{number}` does not wait for approval: it is {journal.job(number).state}."
        raise Refusal("not-waiting", error, "Nothing needs to be done.", run=number)
    return event


def decline(journal: Journal, number: int, *, who: str, approvers: Collection[str], why: str = "") -> Event:
    """Sends a job back for good."""
    _refuse_stranger(who, approvers)
    waits = journal.job(number).state is State.AWAITING_APPROVAL
    event = journal.move(number, State.CANCELLED, who=who, why=why or "It was not approved.") if waits else None
    if event is None:
        error = f"Run `{number}` does not wait for approval."
        raise Refusal("not-waiting", error, "`cancel` stops a job that waits or runs.", run=number)
    return event


def may_cancel(job: Job, who: str, operators: Collection[str]) -> None:
    """Refuses anybody but the owner and the operators, and a job that has ended."""
    if who != job.owner and who not in operators:
        error = f"Run `{job.number}` is somebody else's."
        raise Refusal("not-yours", error, "Its owner or an operator can stop it.", run=job.number)
    if not job.open:
        error = f"Run `{job.number}` has ended: it is {job.state}."
        raise Refusal("already-ended", error, "Nothing is left to stop.", run=job.number)


def _refuse_stranger(who: str, approvers: Collection[str]) -> None:
    if not approvers:
        error = "Nobody is configured to approve jobs."
        raise Refusal("no-approvers", error, "Name people under `approvers` in `[access]`.")
    if who not in approvers:
        error = f"`{who}` may not approve jobs."
        raise Refusal("not-an-approver", error, "Ask one of the approvers.", who=who)
