"""One attempt at one job, from looking at the GPUs to proving that they are free again."""

import asyncio
import logging
from typing import Any

from knowledge.errors import Refusal
from runners.agent.folder import Folder
from runners.agent.loading import measure_all
from runners.agent.preparing import Prepared, prepare
from runners.agent.serving import serve, url_site
from runners.agent.session import Session, Tell
from runners.agent.surroundings import Surroundings
from runners.dispatch.orders import Order
from runners.measuring.failure import Failure, Layer, RunFailed
from runners.measuring.logfile import tail
from runners.results.result import Result

TAIL, TAIL_FAILED = 40, 120  # lines of the server's log that are kept with the result
SHOWN = 300  # characters of each
log = logging.getLogger(__name__)


class Attempt:
    """Runs one order in a folder that outlives us."""

    def __init__(self, order: Order, folder: Folder, around: Surroundings, tell: Tell) -> None:
        if not folder.is_for(order):
            folder.clear()
        self.session = Session(order, folder, around, tell)
        self._order, self._folder = order, folder
        self._work: asyncio.Task[None] | None = None
        self._cancelled: str | None = None
        self._predicted: dict[str, Any] | None = None

    def cancel(self, why: str) -> None:
        """Stops it, cleaning up; `run` then returns. Said again, it changes nothing."""
        if self._cancelled is None:
            self._cancelled = why
            if self._work is not None:
                self._work.cancel()

    async def run(self) -> Result:
        """Runs it to an end, whatever that is. A repeat that an earlier agent finished is not run again."""
        done = self._folder.result()
        if done is not None:
            return done
        failure = await self._to_its_end()
        result = self._result(failure)
        try:
            self._folder.keep_result(result)
        except OSError as fault:
            return result.model_copy(update={"failure": result.failure or _of_disk(fault)})
        return result

    async def _to_its_end(self) -> Failure | None:
        self._work = asyncio.create_task(self._measure())
        if self._cancelled is not None:
            self._work.cancel()
        try:
            await self._work
        except asyncio.CancelledError:
            if self._cancelled is None:  # we are shut down: nothing is decided, the next agent goes on
                self._work.cancel()
                await asyncio.wait({self._work})
                raise
        except Exception as fault:  # noqa: BLE001 - the boundary of an attempt: it must come to an end that is told
            return self._failure(fault)
        return None

    def _failure(self, fault: Exception) -> Failure:
        match fault:
            case RunFailed():
                return fault.failure
            case Refusal():
                return Failure(layer=Layer.SET_UP, why=f"{fault.error} {fault.hint}")
            case TimeoutError():
                minutes = self._order.spec.wall_limit_s / 60
                return Failure(layer=Layer.LIMIT, why=f"It was stopped after {minutes:.3g} minutes, its limit.")
            case OSError():
                return _of_disk(fault)
        log.error("a bug while running %s", self._order.key, exc_info=fault)
        return Failure(layer=Layer.SET_UP, why=f"The agent made an error of its own: {type(fault).__name__}: {fault}.")

    async def _measure(self) -> None:
        session, held = self.session, None
        try:
            self._folder.create(self._order)
            async with asyncio.timeout(max(0.0, session.spec.wall_limit_s - session.spent)):
                prepared, held = await prepare(self._order, self._folder, session.around)
                self._predicted = prepared.predicted
                session.notes += prepared.notes
                await self._use(prepared)
        finally:
            if held is not None:
                held.release()

    async def _use(self, prepared: Prepared) -> None:
        session = self.session
        if len(self._folder.repeats()) >= session.spec.workload.repeats:
            return
        if session.spec.url is not None:
            await measure_all(session, prepared, await url_site(session.spec, session.around.api_key(session.spec.url)))
            return
        async with serve(session, prepared) as site:
            await measure_all(session, prepared, site)

    def _result(self, failure: Failure | None) -> Result:
        session, repeats, spent = self.session, self._folder.repeats(), self.session.spent
        if failure is not None and session.unclean is not None:
            session.note(session.unclean.why)
        failure = failure or session.unclean
        lines = TAIL_FAILED if failure else TAIL
        return Result(
            spec_hash=session.spec.hash,
            attempt=self._order.key,
            repeats=tuple(repeats[number] for number in sorted(repeats)),
            start=self._folder.start(),
            predicted=self._predicted,
            fingerprint=session.fingerprint,
            serve_command=session.serve_command,
            bench_commands=tuple(session.commands),
            failure=failure,
            cancelled=self._cancelled,
            gpu_seconds=spent * max(1, len(session.spec.gpus)),
            wall_seconds=spent,
            notes=tuple(session.notes),
            log_tail=tuple(line[:SHOWN] for line in tail(self._folder.server_log, lines)),
        )


def _of_disk(fault: OSError) -> Failure:
    return Failure(layer=Layer.HOST, why=f"The host could not write its files: {fault.strerror or fault}.")
