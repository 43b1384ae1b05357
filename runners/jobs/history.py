"""How long jobs take, from those that ran: no run, no figure."""

from collections.abc import Iterable, Sequence
from statistics import median

from runners.jobs.job import Job, State

STOP_S = 60.0  # what stopping takes beyond a limit, at most


def expected(job: Job, finished: Sequence[Job]) -> float | None:
    """Seconds from start to end that `job` will take: as its like on the host took; never beyond its own limit.

    The same spec says it best, then the same model, then any job there.
    """
    done = [each for each in finished if each.state is State.DONE and each.started_at is not None]
    for like in (_same_spec, _same_model, _any):
        times = list(_times(each for each in done if like(each, job)))
        if times:
            return min(median(times), job.spec.wall_limit_s + STOP_S)
    return None


def expectations(jobs: Iterable[Job], finished: Sequence[Job]) -> dict[int, float | None]:
    """The expected seconds of each job, by its number."""
    return {job.number: expected(job, finished) for job in jobs}


def _times(jobs: Iterable[Job]) -> Iterable[float]:
    return (job.ended_at - job.started_at for job in jobs if job.ended_at is not None and job.started_at is not None)


def _same_spec(one: Job, other: Job) -> bool:
    return one.hash == other.hash


def _same_model(one: Job, other: Job) -> bool:
    return one.spec.model == other.spec.model


def _any(_one: Job, _other: Job) -> bool:
    return True
