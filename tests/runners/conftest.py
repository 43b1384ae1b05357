"""What tests of runners share: a journal, a host whose vLLM is the stand-in, and specs that take a second."""

import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from runners.agent.surroundings import Surroundings
from runners.jobs.journal import Journal, open_journal
from runners.jobs.spec import BenchSpec, Limits
from runners.jobs.workload import Workload
from runners.machines.host import Host
from runners.machines.machine import Machine

STANDIN = (sys.executable, "-S", str(Path(__file__).with_name("standin.py")))
MODEL = "org/model"


class Clock:
    """Seconds since 1970, moved by hand."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now

    def forward(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def journal(tmp_path: Path, clock: Clock) -> Iterator[Journal]:
    opened = open_journal(tmp_path / "store.sqlite", clock)
    yield opened
    opened.db.close()


@pytest.fixture
def make_spec() -> Callable[..., BenchSpec]:
    """A spec of two short repeats; keyword arguments replace its fields, `load` those of its workload."""

    def make(load: dict[str, Any] | None = None, **changed: Any) -> BenchSpec:
        workload = Workload(
            **({"input_len": 8, "output_len": 4, "num_prompts": 20, "warmups": 2, "repeats": 2} | (load or {}))
        )
        values = {"model": MODEL, "host": "h100", "workload": workload, "limits": Limits(gpu_minutes=5)}
        return BenchSpec(**(values | changed))

    return make


def quiet_machine() -> Machine:
    """A machine without GPUs on which nothing else runs."""
    return Machine(gpus=(), cpu="a processor", cores=2, memory_gib=16.0, free_gib=12.0, load=0.1)


@pytest.fixture
def surroundings(tmp_path: Path) -> Callable[..., Surroundings]:
    """A host whose vLLM is the stand-in; keyword arguments are its STANDIN_ variables."""

    def make(
        look: Callable[[], Machine] = quiet_machine, host: dict[str, Any] | None = None, **standin: str
    ) -> Surroundings:
        told = {f"STANDIN_{name.upper()}": value for name, value in standin.items()}
        settings = {"name": "h100", "vllm": STANDIN, "environment": told, "start_limit_s": 10.0} | (host or {})
        return Surroundings(
            host=Host(**settings),
            environment={"PATH": os.defpath},
            locks=tmp_path / "locks",
            look=look,
            clock=time.time,
        )

    return make
