"""Before anything is started: are the GPUs there and free, is vLLM, and can this start at all."""

import shutil
from dataclasses import dataclass
from typing import Any

from knowledge.errors import Refusal
from knowledge.versions import Version, nearest, parse
from runners.agent.folder import Folder
from runners.agent.surroundings import Surroundings
from runners.dispatch.orders import Order
from runners.jobs.serve_flags import typed
from runners.jobs.spec import BenchSpec
from runners.machines import locks, machine
from runners.machines.installed import Installed, installed
from runners.machines.locks import Held
from runners.machines.machine import Machine
from runners.machines.prediction import predict
from runners.measuring.environment import passed
from runners.measuring.failure import Layer, failed
from runners.measuring.server import STOP_GRACE_S
from runners.processes import guarded

LEAST_DISK = 512 * 2**20  # bytes for logs and results


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """What was found. `version` is the installed release, or the nearest that the tables know."""

    machine: Machine
    installed: Installed
    version: Version
    predicted: dict[str, Any] | None
    notes: tuple[str, ...]


async def prepare(order: Order, folder: Folder, around: Surroundings) -> tuple[Prepared, Held | None]:
    """Takes the GPUs and looks at everything. Raises RunFailed or Refusal, with nothing held, for a run that cannot be."""
    spec, host = order.spec, around.host
    refusal = host.why_not(spec)
    if refusal is not None:
        raise refusal
    held = None if spec.url is not None else _take(spec, order.key, around)
    try:
        return await _prepared(spec, folder, around), held
    except BaseException:
        if held is not None:
            held.release()
        raise


def _take(spec: BenchSpec, key: str, around: Surroundings) -> Held:
    found = locks.hold(around.locks, spec.gpus or (locks.WHOLE,), key)
    if isinstance(found, str):
        raise failed(Layer.HOST, f"The GPUs are held by `{found}`.")
    return found


async def _prepared(spec: BenchSpec, folder: Folder, around: Surroundings) -> Prepared:
    await _gone(folder)
    if shutil.disk_usage(folder.path).free < LEAST_DISK:
        raise failed(Layer.HOST, "The host's disk is full.")
    seen = around.look()
    if spec.url is None and (busy := machine.why_busy(seen, spec.gpus, idle_gib=around.host.idle_memory_gib)):
        raise failed(Layer.HOST, busy)
    found = await installed(around.host.vllm, passed(around.environment) | dict(around.host.environment))
    version = _version(found, around)
    typed(spec.serve, version)
    predicted = predict(spec, around.host, str(version), seen.gpus)
    if predicted.hopeless:
        raise failed(Layer.SET_UP, predicted.hopeless)
    return Prepared(
        machine=seen,
        installed=found,
        version=version,
        predicted=predicted.estimate,
        notes=machine.company(seen, spec.gpus),
    )


async def _gone(folder: Folder) -> None:
    """A server that an earlier agent left: its warden ends it; what is not gone in time is killed."""
    server = folder.server()
    if server is None:
        return
    left = await guarded.sweep(*server, patience=STOP_GRACE_S)
    if left:
        raise failed(Layer.CLEAN_UP, f"Processes of an earlier attempt cannot be removed: {', '.join(map(str, left))}.")


def _version(found: Installed, around: Surroundings) -> Version:
    text = found.vllm or around.host.vllm_version
    if text is None:
        raise failed(Layer.SET_UP, f"`{around.host.vllm[0]}` is no vLLM: it states no version.")
    try:
        return nearest(parse(text))[0]
    except Refusal:
        raise failed(Layer.SET_UP, f"`{text}` is not a version of vLLM that can be measured.") from None
