"""The GPUs as the driver sees them, asked through the library that it brings; here one that answers as it does."""

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from knowledge.units import GIB
from runners.machines import gpus
from runners.machines.gpus import GpuState, Holder, read, why_busy
from runners.machines.machine import Machine, company, look
from runners.machines.machine import why_busy as machine_busy


class NVMLError(Exception):
    """As pynvml raises it."""


@dataclass
class Memory:
    total: int
    used: int


@dataclass
class Process:
    pid: int
    usedGpuMemory: int | None  # noqa: N815 - its name in pynvml


class Driver:
    """A driver with H100s. `lacks` are the queries that it does not support."""

    NVMLError = NVMLError
    NVML_TEMPERATURE_GPU = 0
    NVML_CLOCK_SM = 1

    def __init__(
        self, count: int = 2, used: int = 0, processes: tuple[Process, ...] = (), lacks: tuple[str, ...] = ()
    ) -> None:
        self.connected = 0
        self._count, self._used, self._processes, self._lacks = count, used, processes, lacks

    def nvmlInit(self) -> None:  # noqa: N802 - pynvml's names
        self.connected += 1

    def nvmlShutdown(self) -> None:  # noqa: N802
        self.connected -= 1

    def __getattr__(self, name: str) -> Callable[..., Any]:
        answers: dict[str, Any] = {
            "nvmlSystemGetDriverVersion": "550.54.15",
            "nvmlDeviceGetCount": self._count,
            "nvmlDeviceGetName": "NVIDIA H100 80GB HBM3",
            "nvmlDeviceGetUUID": "GPU-1",
            "nvmlDeviceGetMemoryInfo": Memory(80 * GIB, self._used),
            "nvmlDeviceGetComputeRunningProcesses": list(self._processes),
            "nvmlDeviceGetClockInfo": 1980,
            "nvmlDeviceGetMaxClockInfo": 1980,
            "nvmlDeviceGetEnforcedPowerLimit": 700_000,
            "nvmlDeviceGetTemperature": 41,
            "nvmlDeviceGetCurrentClocksEventReasons": 0x24,
            "nvmlDeviceGetHandleByIndex": 0,
        }

        def answer(*_: object) -> Any:
            if name in self._lacks:
                raise NVMLError(name)
            return answers[name]

        return answer


def test_each_gpu_is_read_and_the_driver_let_go() -> None:
    driver = Driver(used=3 * GIB, processes=(Process(os.getpid(), 2 * GIB),))
    first, second = read(driver)
    assert (first.index, second.index) == (0, 1)
    assert (first.name, first.driver, first.total_gib, first.used_gib) == (
        "NVIDIA H100 80GB HBM3",
        "550.54.15",
        80.0,
        3.0,
    )
    assert (first.sm_clock, first.max_sm_clock, first.power_limit_w, first.temperature) == (1980, 1980, 700.0, 41)
    assert first.slowed == ("power cap", "software thermal slowdown")
    assert (first.holders[0].pid, first.holders[0].used_gib) == (os.getpid(), 2.0)
    assert first.holders[0].name != "?"
    assert driver.connected == 0


def test_what_a_driver_does_not_tell_is_none() -> None:
    lacks = ("nvmlDeviceGetClockInfo", "nvmlDeviceGetEnforcedPowerLimit", "nvmlDeviceGetCurrentClocksEventReasons")
    state = read(Driver(1, lacks=(*lacks, "nvmlDeviceGetComputeRunningProcesses")))[0]
    assert (state.sm_clock, state.power_limit_w, state.slowed, state.holders) == (None, None, (), ())
    assert read(Driver(1, processes=(Process(2**22 + 5, None),)))[0].holders == (Holder(2**22 + 5, "?", None),)


def test_a_machine_without_a_driver_has_no_gpus() -> None:
    if gpus.nvml() is not None:
        pytest.skip("this machine has a driver")
    assert look().gpus == ()


IDLE = GpuState(index=0, name="H100", uuid="u", total_gib=80, used_gib=0.4, holders=(), driver="550")


@pytest.mark.parametrize(
    ("states", "wanted", "says"),
    [
        ((IDLE,), (0,), None),
        ((IDLE, replace(IDLE, index=1, holders=(Holder(12, "python", 20.0),))), (0,), None),
        (
            (replace(IDLE, holders=(Holder(12, "python", 20.0),)),),
            (0,),
            "GPU 0 is in use by `python` (pid 12, 20.0 GiB).",
        ),
        ((replace(IDLE, holders=(Holder(12, "?", None),)),), (0,), "GPU 0 is in use by `?` (pid 12)."),
        (
            (replace(IDLE, used_gib=30.0),),
            (0,),
            "GPU 0 has 30.0 GiB in use by processes that the driver does not show.",
        ),
        ((IDLE,), (3,), "There is no GPU 3 here; the driver sees 1."),
    ],
)
def test_a_gpu_that_somebody_uses_is_not_free(
    states: tuple[GpuState, ...], wanted: tuple[int, ...], says: str | None
) -> None:
    assert why_busy(states, wanted, idle_gib=1.0) == says


MACHINE = Machine(gpus=(IDLE,), cpu="x", cores=8, memory_gib=64, free_gib=60, load=0.5)


def test_company_is_said_and_does_not_forbid_a_run() -> None:
    assert machine_busy(MACHINE, (0,), idle_gib=1.0) is None
    assert machine_busy(MACHINE, (), idle_gib=1.0) is None
    assert company(MACHINE, (0,)) == ()
    hot = replace(MACHINE, gpus=(replace(IDLE, slowed=("power cap",)),), load=6.0)
    assert company(hot, (0,)) == (
        "GPU 0 is slowed down: power cap.",
        "Other processes kept 6.0 of 8 cores busy before the start.",
    )


def test_this_machine_is_seen() -> None:
    seen = look()
    assert seen.cores >= 1
    assert 0 < seen.free_gib <= seen.memory_gib
    assert seen.cpu
