"""This machine as a run finds it: GPUs or cores, memory, and who else is at work."""

import platform
from collections.abc import Callable, Collection
from dataclasses import dataclass

from knowledge.units import GIB
from runners.machines import gpus
from runners.machines.gpus import GpuState

BUSY_CORES = 0.5  # the share of a CPU host's cores that somebody else may use


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """One look at it. `load` is the mean number of busy cores over the last minute."""

    gpus: tuple[GpuState, ...]
    cpu: str
    cores: int
    memory_gib: float
    free_gib: float
    load: float


Look = Callable[[], Machine]


def look() -> Machine:
    """The machine now."""
    import psutil

    library = gpus.nvml()
    memory = psutil.virtual_memory()
    return Machine(
        gpus=gpus.read(library) if library else (),
        cpu=_cpu(),
        cores=psutil.cpu_count() or 1,
        memory_gib=memory.total / GIB,
        free_gib=memory.available / GIB,
        load=psutil.getloadavg()[0],
    )


def why_busy(machine: Machine, wanted: Collection[int], *, idle_gib: float) -> str | None:
    """Why a run cannot start on those GPUs (on this machine when there are none to ask for); None when it can."""
    if wanted:
        return gpus.why_busy(machine.gpus, wanted, idle_gib=idle_gib)
    return None


def company(machine: Machine, wanted: Collection[int]) -> tuple[str, ...]:
    """What does not forbid a run but may slow it: said with the result."""
    slowed = [
        f"GPU {state.index} is slowed down: {', '.join(state.slowed)}."
        for state in machine.gpus
        if state.index in wanted and state.slowed
    ]
    crowded = machine.load > max(1.0, machine.cores * BUSY_CORES)
    busy = (
        [f"Other processes kept {machine.load:.1f} of {machine.cores} cores busy before the start."] if crowded else []
    )
    return (*slowed, *busy)


def _cpu() -> str:
    """The processor's name as Linux tells it, else what Python knows."""
    from pathlib import Path

    try:
        lines = Path("/proc/cpuinfo").read_text(errors="replace").splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or platform.machine())
