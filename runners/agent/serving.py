"""The server that an attempt measures: one that it starts and removes, or one that runs already."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

from runners.agent.learning import learnt
from runners.agent.preparing import Prepared
from runners.agent.session import Session
from runners.jobs.job import State
from runners.jobs.serve_flags import argv
from runners.jobs.spec import BenchSpec
from runners.machines.gpus import GpuState
from runners.machines.weights import revision
from runners.measuring import logfile, server
from runners.measuring.environment import for_server
from runners.measuring.failure import Failure, Layer, RunFailed
from runners.measuring.server import LOOK_S, Launch, Server
from runners.processes.unbroken import unbroken
from runners.results.result import Start

LOADS = ("Starting to load model", "Loading model", "Loading weights", "Initializing a V1 LLM engine")
FREE_S = 60.0  # for the driver to take back the memory of killed processes


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """A server that answers. `server` is None where it is not ours: then it is neither reset nor stopped, and states its `version` itself."""

    url: str
    served_model: str
    tokenizer: str
    version: str | None = None
    api_key: str | None = None
    server: Server | None = None


async def url_site(spec: BenchSpec, api_key: str | None) -> Site:
    """A server that runs already."""
    assert spec.url is not None
    served = await server.served_model(spec.url, api_key)
    return Site(
        url=spec.url,
        served_model=spec.served_model or served,
        tokenizer=spec.model,
        version=await server.version(spec.url),
        api_key=api_key,
    )


@asynccontextmanager
async def serve(session: Session, prepared: Prepared) -> AsyncIterator[Site]:
    """A server of our own, healthy. On the way out it is stopped, and it is proved that nothing of it is left."""
    running: Server | None = None
    try:
        running = await _started(session, prepared)
        yield Site(
            url=running.url,
            served_model=session.spec.model,
            tokenizer=session.spec.model,
            server=running,
        )
    finally:
        if running is not None:
            await unbroken(_stopped(session, prepared, running))


async def _started(session: Session, prepared: Prepared) -> Server:
    """Starts it; once more where somebody took the port in between."""
    for last in (session.around.host.port is not None, True):
        running = await _launched(session)
        begun = time.monotonic()
        try:
            await _until_healthy(session, running)
        except RunFailed as fault:
            await unbroken(running.stop())
            if last or not logfile.port_taken(fault.failure):
                raise
        except BaseException:
            await unbroken(running.stop())
            raise
        else:
            session.folder.keep_start(_start(session, prepared, time.monotonic() - begun))
            return running
    raise AssertionError("the last try returns or raises")


def _start(session: Session, prepared: Prepared, seconds: float) -> Start:
    log, gpus = session.folder.server_log, prepared.machine.gpus
    terms = learnt(log, session.spec, session.around.host, gpus, session.around.clock())
    return Start(seconds=seconds, observed=logfile.observed(log), learnt=terms)


async def _launched(session: Session) -> Server:
    host, spec = session.around.host, session.spec
    session.step(State.STARTING)
    session.folder.server_log.unlink(missing_ok=True)
    port = host.port or server.free_port()
    pinned = ("--revision", spec.revision) if spec.revision else ()
    running = await server.launch(
        Launch(
            argv=server.serve_argv(host.vllm, spec.model, port, (*argv(spec.serve), *pinned, *host.serve_args)),
            environment=for_server(session.around.environment, host.environment, spec.gpus),
            log=session.folder.server_log,
            port=port,
            limit_s=host.start_limit_s,
        )
    )
    session.serve_command = running.launch.argv
    session.folder.keep_server(running.program.pid, running.program.started)
    return running


async def _until_healthy(session: Session, running: Server) -> None:
    following = asyncio.create_task(_follow(session))
    try:
        await running.healthy()
    finally:
        following.cancel()
        with suppress(asyncio.CancelledError):
            await following


async def _follow(session: Session) -> None:
    """Says when the weights are being loaded, as the log tells it."""
    while True:
        await asyncio.sleep(LOOK_S * 2)
        if any(word in line for line in logfile.lines(session.folder.server_log) for word in LOADS):
            session.step(State.LOADING)
            return


async def _stopped(session: Session, prepared: Prepared, running: Server) -> None:
    session.step(State.STOPPING)
    ended = await running.stop()
    if ended.killed:
        session.note("The server did not end by itself and was killed.")
    left = f"Processes cannot be removed: {', '.join(map(str, ended.left))}." if ended.left else None
    unclean = left or await _memory_held(session, prepared)
    if unclean:
        session.unclean = Failure(layer=Layer.CLEAN_UP, why=unclean)


async def _memory_held(session: Session, prepared: Prepared) -> str | None:
    """What of the GPUs' memory did not come back, None when all did."""
    if not session.spec.gpus:
        return None
    before = {state.index: state for state in prepared.machine.gpus}
    until = time.monotonic() + FREE_S
    while time.monotonic() < until:
        found = next((each for each in session.around.look().gpus if _kept(each, before, session)), None)
        if found is None:
            return None
        await asyncio.sleep(1.0)
    return f"GPU {found.index} did not give back its memory: {found.used_gib:.1f} GiB are in use." if found else None


def _kept(state: GpuState, before: dict[int, GpuState], session: Session) -> bool:
    known = before.get(state.index)
    return (
        known is not None
        and state.index in session.spec.gpus
        and state.used_gib > known.used_gib + session.around.host.idle_memory_gib
    )


def loaded_revision(session: Session) -> str | None:
    """The snapshot that the server loaded."""
    spec, host = session.spec, session.around.host
    return revision(spec.model, spec.revision, {**session.around.environment, **host.environment})
