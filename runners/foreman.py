"""The foreman: starts what can start, writes down what happens, tries a lost job once more."""

import asyncio
import logging
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from runners.dispatch.orders import Order, Progress, Step
from runners.dispatch.protocol import OVER, Dispatcher, Phase, Seen
from runners.jobs.attempts import Attempt
from runners.jobs.history import expectations
from runners.jobs.job import ATTEMPTS, Job, State
from runners.jobs.journal import Journal
from runners.jobs.order import Turn, startable, turns
from runners.jobs.transactions import together
from runners.results.result import Result

TICK_S = 2.0
OVERDUE_S = 900.0  # beyond a job's own limit: its agent stops it itself, unless it hangs
ME = "tuning-bot"
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Standing:
    """How a job that waits or runs stands now: its turn (None while it runs), progress of what runs, and why nothing happens."""

    turn: Turn | None
    progress: Progress | None
    why: str


class Foreman:
    """Moves the jobs of one desk. Everything it knows is in the journal and with the dispatcher, so that it can be killed at any point.

    `learn` is told the terms of every start that ended in a result.
    """

    def __init__(
        self,
        journal: Journal,
        dispatcher: Dispatcher,
        desk: str,
        clock: Callable[[], float],
        learn: Callable[[dict[str, Any]], None] = lambda _: None,
    ) -> None:
        self._journal, self._dispatcher, self._desk, self._clock = journal, dispatcher, desk, clock
        self._learn = learn
        self._seen: dict[int, Seen] = {}
        self.stirred = asyncio.Event()
        self.changed = asyncio.Condition()

    async def run(self, stirred_too: asyncio.Event | None = None) -> None:
        """Ticks for ever: every two seconds, and at once when `stirred` (or the dispatcher's own event) is set."""
        bells = [self.stirred, *([stirred_too] if stirred_too else [])]
        while True:
            await self.tick()
            rings = [asyncio.create_task(bell.wait()) for bell in bells]
            try:
                await asyncio.wait(rings, timeout=TICK_S, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for ring in rings:
                    ring.cancel()
            for bell in bells:
                bell.clear()

    async def tick(self) -> None:
        """Looks once at everything that is open. A dispatcher that cannot be reached is asked again at the next tick."""
        before = self._journal.newest_event()
        try:
            await self._observe()
            await self._start()
        except ConnectionError as fault:
            log.warning("the dispatcher cannot be reached: %s", fault)
        if self._journal.newest_event() != before or self._seen:
            async with self.changed:
                self.changed.notify_all()

    async def cancel(self, job: Job, who: str, why: str = "") -> None:
        """Stops a job, whatever it is doing. Who may do that is the caller's question."""
        attempt = self._placed(job)
        said = why or f"{who} cancelled it."
        if attempt is None:
            self._journal.move(job.number, State.CANCELLED, who=who, why=said)
        else:
            await self._dispatcher.cancel(attempt.key, said)
        self.stirred.set()

    def standing(self, job: Job) -> Standing:
        """How an open job stands."""
        seen = self._seen.get(job.number)
        why = seen.why if seen else ""
        if job.state is not State.QUEUED:
            return Standing(None, seen.progress if seen else None, why)
        return Standing(self.turns(job.spec.host).get(job.number), None, why)

    def turns(self, host: str) -> dict[int, Turn]:
        """Every queued job's turn on a host."""
        jobs = self._journal.open(host=host)
        return turns(jobs, expectations(jobs, self._journal.finished_on(host)), self._clock())

    async def _observe(self) -> None:
        placed = {
            attempt.key: (job, attempt)
            for job in self._journal.open(desk=self._desk)
            if (attempt := self._placed(job)) is not None
        }
        seen = await self._dispatcher.observe(list(placed)) if placed else {}
        self._seen = {placed[key][0].number: each for key, each in seen.items()}
        for key, each in seen.items():
            with together(self._journal.db):
                self._take_in(*placed[key], each)
            if each.phase is Phase.UNKNOWN:
                await self._unknown(*placed[key])
            elif self._overdue(placed[key][0]):
                await self._dispatcher.cancel(key, "It was stopped: it is long over its limit.")

    def _take_in(self, job: Job, attempt: Attempt, seen: Seen) -> None:
        self._journal_progress(job, attempt, seen)
        if seen.phase is Phase.LOST:
            self._lost(job, attempt, seen.why)
        elif seen.phase in OVER:
            self._end(job, attempt, seen)

    async def _unknown(self, job: Job, attempt: Attempt) -> None:
        """We were killed before it was handed over; one that ran and is not known any more is lost."""
        if job.state is State.QUEUED:
            await self._dispatcher.submit(_order(job, attempt))
            return
        with together(self._journal.db):
            self._lost(job, attempt, "Whoever ran it knows nothing of it any more.")

    def _journal_progress(self, job: Job, attempt: Attempt, seen: Seen) -> None:
        steps = seen.progress.steps if seen.progress else ()
        for step in steps[attempt.steps :]:
            self._step(job, attempt, step, seen.host)
        if len(steps) > attempt.steps:
            self._journal.attempts.journaled(attempt.key, len(steps))

    def _step(self, job: Job, attempt: Attempt, step: Step, host: str | None) -> None:
        """Writes a step at the agent's own time, unless that cannot be: its clock is another one."""
        known = self._journal.job(job.number)
        at = min(max(step.at, known.state_at), self._clock())
        detail = step.detail | {"attempt": attempt.number}
        self._journal.move(job.number, step.state, who=host or ME, detail=detail, at=at)

    def _end(self, job: Job, attempt: Attempt, seen: Seen) -> None:
        result = Result.model_validate(seen.result) if seen.result is not None else None
        if result is not None and result.start is not None and result.start.learnt is not None:
            self._learn(result.start.learnt)
        self._journal.attempts.end(attempt.key, seen.result)
        state, why = _outcome(result, seen)
        detail = {"attempt": attempt.number} | ({"layer": result.failure.layer} if result and result.failure else {})
        self._journal.move(job.number, state, who=seen.host or ME, why=why, detail=detail)

    def _lost(self, job: Job, attempt: Attempt, why: str) -> None:
        self._journal.attempts.end(attempt.key, None)
        self._journal.move(job.number, State.LOST, who=ME, why=why, detail={"attempt": attempt.number})
        if attempt.number < ATTEMPTS:
            self._journal.move(job.number, State.QUEUED, who=ME, why="It is tried once more.")

    async def _start(self) -> None:
        jobs = self._journal.open(desk=self._desk)
        placed = {job.number for job in jobs if self._placed(job) is not None}
        for host in dict.fromkeys(job.spec.host for job in jobs):
            here = [job for job in jobs if job.spec.host == host]
            for job in startable(here, placed):
                await self._submit(job)

    async def _submit(self, job: Job) -> None:
        """The attempt is written down first: if we are killed in between, it is found unknown there, and handed over."""
        refusal = await self._dispatcher.fits(job.spec)
        if refusal is not None:
            self._journal.move(job.number, State.FAILED, who=ME, why=f"{refusal.error} {refusal.hint}")
            return
        attempt = self._journal.attempts.begin(job.number, job.attempt + 1)
        await self._dispatcher.submit(_order(job, attempt))

    def _placed(self, job: Job) -> Attempt | None:
        """The attempt that is with the dispatcher; None while the job has none that goes on."""
        attempt = self._journal.attempts.current(job.number) if job.attempt else None
        return attempt if attempt is not None and attempt.open else None

    def _overdue(self, job: Job) -> bool:
        return (
            job.started_at is not None and self._clock() > job.started_at + job.spec.wall_limit_s * ATTEMPTS + OVERDUE_S
        )


def _order(job: Job, attempt: Attempt) -> Order:
    return Order(key=attempt.key, job=job.number, spec=job.spec, begun_at=attempt.begun_at)


def _outcome(result: Result | None, seen: Seen) -> tuple[State, str]:
    if result is None or result.cancelled is not None:
        return State.CANCELLED, (result.cancelled if result and result.cancelled else seen.why)
    if result.failure is not None:
        return State.FAILED, result.failure.why
    return State.DONE, ""


async def follow(foreman: Foreman, seconds: float) -> None:
    """Returns when something has changed, or after so long."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds), foreman.changed:
            await foreman.changed.wait()


def orphans(journal: Journal, alive: Callable[[str], bool], desks: Collection[str] = ()) -> list[int]:
    """Marks the open jobs of terminals that are gone as lost: their numbers. `desks` are kept, whatever `alive` says."""
    gone = [job for job in journal.open() if job.desk not in desks and not alive(job.desk)]
    for job in gone:
        why = "The terminal that ran it is gone."
        journal.move(job.number, State.LOST if job.running else State.CANCELLED, who=ME, why=why)
    return [job.number for job in gone]
