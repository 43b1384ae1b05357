"""Whose turn it is: higher priority first, then everybody's first job before anybody's second."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from runners.jobs.job import Job, State


def in_order(jobs: Iterable[Job]) -> list[Job]:
    """The queued jobs of one host in the order in which they will start. `jobs` are all its open ones, oldest first.

    A person's running jobs count as their first ones. Equal turns go by age.
    """
    seen: Counter[str] = Counter()
    waiting: list[tuple[int, int, int, Job]] = []
    for job in sorted(jobs, key=lambda job: (not job.running, -job.priority, job.number)):
        if job.state is State.QUEUED:
            waiting.append((-job.priority, seen[job.owner], job.number, job))
        if job.running or job.state is State.QUEUED:
            seen[job.owner] += 1
    return [job for *_, job in sorted(waiting, key=lambda turn: turn[:3])]


def devices(job: Job) -> frozenset[int]:
    """What a job holds: GPU indices; -1 is the whole of a host without GPUs, and a measured URL holds nothing."""
    if job.spec.url is not None:
        return frozenset()
    return frozenset(job.spec.gpus or (-1,))


def startable(jobs: Sequence[Job], placed: Collection[int] = ()) -> list[Job]:
    """The queued jobs of one host that can start now: their GPUs are free, and nobody in front of them waits for the same ones.

    `placed` are the numbers of those that were handed over already, and only wait for their agent.
    """
    taken = {index for job in jobs if job.running or job.number in placed for index in devices(job)}
    found = []
    for job in (each for each in in_order(jobs) if each.number not in placed):
        if not devices(job) & taken:
            found.append(job)
        taken |= devices(job)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """Where a queued job stands. `position` counts from 1; `starts_in_s` is None where own history says nothing.

    `holders` are the running jobs whose GPUs it waits for.
    """

    position: int
    starts_in_s: float | None
    holders: tuple[int, ...]


def turns(jobs: Sequence[Job], durations: Mapping[int, float | None], now: float) -> dict[int, Turn]:
    """Every queued job's turn on one host. `durations` are the seconds that each open job is expected to take in all."""
    free: dict[int, float | None] = {}
    for job in jobs:
        if job.running:
            left = _left(durations.get(job.number), now - (job.started_at or now))
            for device in devices(job):
                free[device] = left
    holders = {device: job.number for job in jobs if job.running for device in devices(job)}
    found: dict[int, Turn] = {}
    for position, job in enumerate(in_order(jobs), 1):
        start = _latest([free.get(device, 0.0) for device in devices(job)])
        held = tuple(sorted({holders[device] for device in devices(job) if device in holders}))
        found[job.number] = Turn(position=position, starts_in_s=start, holders=held)
        takes = durations.get(job.number)
        for device in devices(job):
            free[device] = None if start is None or takes is None else start + takes
    return found


def _left(takes: float | None, gone: float) -> float | None:
    return None if takes is None else max(0.0, takes - gone)


def _latest(times: list[float | None]) -> float | None:
    known = [time for time in times if time is not None]
    return None if len(known) < len(times) else max(known, default=0.0)
