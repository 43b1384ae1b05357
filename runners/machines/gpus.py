"""The GPUs of this machine as the driver sees them: memory, processes, clocks; and whether they are free for a run."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from knowledge.units import GIB

# nvmlClocksEventReasons in nvml.h: what slows a GPU down beyond being idle or set so by its owner.
SLOWED = {
    0x4: "power cap",
    0x8: "hardware slowdown",
    0x20: "software thermal slowdown",
    0x40: "hardware thermal slowdown",
    0x80: "hardware power brake",
}


@dataclass(frozen=True, slots=True)
class Holder:
    """A process on a GPU; `used_gib` is None where the driver does not say (containers, WSL)."""

    pid: int
    name: str
    used_gib: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuState:
    """One GPU now. GiB, MHz, watts, degrees; None where the driver does not tell."""

    index: int
    name: str
    uuid: str
    total_gib: float
    used_gib: float
    holders: tuple[Holder, ...]
    driver: str
    sm_clock: int | None = None
    max_sm_clock: int | None = None
    power_limit_w: float | None = None
    temperature: int | None = None
    slowed: tuple[str, ...] = ()


Nvml = Any  # the module pynvml, which is not typed, or what stands for it


def nvml() -> Nvml | None:
    """The driver's library, None on a machine without one."""
    import pynvml  # type: ignore[import-untyped]

    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError:
        return None
    pynvml.nvmlShutdown()
    return pynvml


def read(library: Nvml) -> tuple[GpuState, ...]:
    """Every GPU, in the driver's order. A query that this driver or card lacks leaves its field None."""
    with _connected(library):
        driver = str(library.nvmlSystemGetDriverVersion())
        count = int(library.nvmlDeviceGetCount())
        return tuple(_state(library, index, driver) for index in range(count))


def why_busy(states: Sequence[GpuState], wanted: Collection[int], *, idle_gib: float) -> str | None:
    """Why a run cannot have those GPUs now, in a sentence; None when they are free."""
    by_index = {state.index: state for state in states}
    for index in wanted:
        state = by_index.get(index)
        if state is None:
            return f"There is no GPU {index} here; the driver sees {len(states)}."
        if state.holders:
            first = state.holders[0]
            used = "" if first.used_gib is None else f", {first.used_gib:.1f} GiB"
            return f"GPU {index} is in use by `{first.name}` (pid {first.pid}{used})."
        if state.used_gib > idle_gib:
            return f"GPU {index} has {state.used_gib:.1f} GiB in use by processes that the driver does not show."
    return None


def _state(library: Nvml, index: int, driver: str) -> GpuState:
    handle = library.nvmlDeviceGetHandleByIndex(index)
    memory = library.nvmlDeviceGetMemoryInfo(handle)
    limit = _asked(library, "nvmlDeviceGetEnforcedPowerLimit", handle)
    reasons = _asked(library, "nvmlDeviceGetCurrentClocksEventReasons", handle) or 0
    return GpuState(
        index=index,
        name=str(library.nvmlDeviceGetName(handle)),
        uuid=str(library.nvmlDeviceGetUUID(handle)),
        total_gib=memory.total / GIB,
        used_gib=memory.used / GIB,
        holders=tuple(_holders(library, handle)),
        driver=driver,
        sm_clock=_asked(library, "nvmlDeviceGetClockInfo", handle, library.NVML_CLOCK_SM),
        max_sm_clock=_asked(library, "nvmlDeviceGetMaxClockInfo", handle, library.NVML_CLOCK_SM),
        power_limit_w=None if limit is None else limit / 1000,
        temperature=_asked(library, "nvmlDeviceGetTemperature", handle, library.NVML_TEMPERATURE_GPU),
        slowed=tuple(name for bit, name in SLOWED.items() if reasons & bit),
    )


def _holders(library: Nvml, handle: object) -> Iterator[Holder]:
    for process in _asked(library, "nvmlDeviceGetComputeRunningProcesses", handle) or ():
        used = process.usedGpuMemory
        yield Holder(process.pid, _name(process.pid), None if used is None else used / GIB)


def _name(pid: int) -> str:
    import psutil

    try:
        return str(psutil.Process(pid).name())
    except psutil.Error:
        return "?"


def _asked(library: Nvml, call: str, *arguments: object) -> Any:
    try:
        return getattr(library, call)(*arguments)
    except library.NVMLError:
        return None


@contextmanager
def _connected(library: Nvml) -> Iterator[None]:
    library.nvmlInit()
    try:
        yield
    finally:
        library.nvmlShutdown()
