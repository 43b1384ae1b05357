"""A real vLLM, a model that needs no download, and attempts on both."""

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from runners.agent.surroundings import Surroundings
from runners.machines.host import Host
from runners.machines.machine import look

ROOT = Path(__file__).parents[2]
INSTALL_S, MAKE_S = 1800, 120
SMALL = {"VLLM_CPU_KVCACHE_SPACE": "1"}


@pytest.fixture(scope="session")
def vllm_python() -> str:
    """The Python of a venv with vLLM, installed when missing."""
    script = ROOT / "deploy" / "vllm-cpu.sh"
    done = subprocess.run([script], stdout=subprocess.PIPE, text=True, check=True, timeout=INSTALL_S)
    return done.stdout.splitlines()[-1]


@pytest.fixture(scope="session")
def vllm_command(vllm_python: str) -> str:
    """The `vllm` command of that venv."""
    return str(Path(vllm_python).with_name("vllm"))


@pytest.fixture(scope="session")
def tiny_model(vllm_python: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a Qwen2 of 4 layers."""
    folder = tmp_path_factory.mktemp("models") / "tiny"
    subprocess.run([vllm_python, ROOT / "tests" / "vllm" / "tiny_model.py", folder], check=True, timeout=MAKE_S)
    return folder


@pytest.fixture
def real(vllm_command: str, tmp_path: Path) -> Callable[..., Surroundings]:
    """This machine with the real vLLM; keyword arguments replace the host's settings."""

    def make(**changed: Any) -> Surroundings:
        settings = {
            "name": "here",
            "vllm": (vllm_command,),
            "serve_args": ("--load-format", "dummy", "--enforce-eager"),
            "environment": SMALL,
            "models": ("*",),
            "start_limit_s": 180.0,
        }
        return Surroundings(
            host=Host(**(settings | changed)),
            environment=os.environ,
            locks=tmp_path / "locks",
            look=look,
            clock=time.time,
        )

    return make
