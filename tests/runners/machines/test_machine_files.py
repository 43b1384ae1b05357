"""What a host allows, what is installed on it, which weights a name stands for, who holds its GPUs, and what is predicted."""

import os
import stat
import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from knowledge.errors import Refusal
from runners.jobs.gpu_sets import first_gpus, gpus_needed
from runners.jobs.spec import BenchSpec, Limits
from runners.machines import locks
from runners.machines.gpus import GpuState
from runners.machines.host import Host
from runners.machines.installed import Installed, installed
from runners.machines.prediction import predict
from runners.machines.weights import digest, file_digest, revision

H100 = Host(name="h100", gpu="H100", gpus=2)


@pytest.mark.parametrize(
    ("host", "changed", "code"),
    [
        (H100, {}, None),
        (H100, {"gpus": (0, 1)}, None),
        (H100, {"gpus": (1, 2)}, "no-such-gpus"),
        (H100, {"gpus": ()}, "no-such-gpus"),
        (H100, {"model": "/srv/models/x"}, "model-not-allowed"),
        (H100, {"limits": Limits(gpu_minutes=121)}, "over-limit"),
        (Host(name="h100", gpus=1, models=("org/*", "/srv/x")), {"model": "org/any"}, None),
        (Host(name="h100", gpus=1, models=("org/*", "/srv/x")), {"model": "/srv/x"}, None),
        (Host(name="h100", gpus=1, models=("org/*",)), {"model": "other/any"}, "model-not-allowed"),
        (H100, {"gpus": (), "url": "http://gpu1:8000"}, None),
    ],
)
def test_what_may_run_on_a_host(host: Host, changed: dict[str, Any], code: str | None) -> None:
    spec = BenchSpec(**({"model": "org/model", "host": "h100", "gpus": (0,)} | changed))
    refusal = host.why_not(spec)
    assert (refusal.code if refusal else None) == code


@pytest.mark.parametrize("values", [{"name": "a b"}, {"name": "x", "vllm": ()}, {"name": "x", "gpuz": 1}])
def test_a_host_that_makes_no_sense_is_refused(values: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Host(**values)


@pytest.mark.parametrize(
    ("serve", "needed"),
    [({}, 1), ({"--tensor-parallel-size": 4}, 4), ({"--tensor-parallel-size": 2, "--data-parallel-size": 2}, 4)],
)
def test_parallel_sizes_multiply(serve: dict[str, int], needed: int) -> None:
    assert gpus_needed(serve) == needed
    assert first_gpus(serve, 8, "h100") == tuple(range(needed))
    assert first_gpus(serve, 0, "cpu") == ()


def test_more_gpus_than_there_are_is_refused() -> None:
    with pytest.raises(Refusal, match="has 2 GPUs, and 4 are needed"):
        first_gpus({"--tensor-parallel-size": 4}, 2, "h100")


def script(path: Path, first: str, body: str) -> str:
    path.write_text(f"{first}\n{body}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


async def test_versions_are_asked_of_the_commands_own_python(tmp_path: Path) -> None:
    """Our own Python has no vLLM: then the command itself is asked."""
    command = script(tmp_path / "vllm", f"#!{sys.executable}", "print('vLLM 0.11.2+cu128')")
    assert await installed([command], {"PATH": os.defpath}) == Installed(vllm="0.11.2+cu128")
    assert await installed(["vllm"], {"PATH": str(tmp_path)}) == Installed(vllm="0.11.2+cu128")


async def test_where_the_python_has_it_nothing_is_imported(tmp_path: Path) -> None:
    site = tmp_path / "vllm-0.9.1.dist-info"
    site.mkdir()
    (site / "METADATA").write_text("Metadata-Version: 2.1\nName: vllm\nVersion: 0.9.1\n")
    command = script(tmp_path / "vllm", f"#!{sys.executable}", "raise SystemExit('it was run')")
    assert (await installed([command], {"PYTHONPATH": str(tmp_path)})).vllm == "0.9.1"


async def test_no_command_no_version(tmp_path: Path) -> None:
    assert await installed(["/nowhere/vllm"], {}) == Installed()
    command = script(tmp_path / "vllm", "#!/bin/sh", "echo nothing")
    assert await installed([command], {"PATH": os.defpath}) == Installed()


async def test_a_command_that_hangs_is_not_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runners.machines.installed.ASK_S", 0.2)
    command = script(tmp_path / "vllm", "#!/bin/sh", "exec sleep 60")
    assert await installed([command], {"PATH": os.defpath}) == Installed()


def test_a_snapshot_is_found_in_the_cache(tmp_path: Path) -> None:
    refs = tmp_path / "hub" / "models--org--model" / "refs"
    refs.mkdir(parents=True)
    (refs / "main").write_text("abc123\n")
    assert revision("org/model", None, {"HF_HOME": str(tmp_path)}) == "abc123"
    assert revision("org/model", None, {"HF_HUB_CACHE": str(tmp_path / "hub")}) == "abc123"
    assert revision("org/model", "v2", {"HF_HOME": str(tmp_path)}) == "v2"
    assert revision("org/model", None, {"HOME": str(tmp_path)}) is None


def test_a_folder_is_told_by_its_configuration_and_sizes(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    (tmp_path / "model.safetensors").write_bytes(b"1234")
    first = digest(str(tmp_path))
    assert first == digest(str(tmp_path))
    (tmp_path / "model.safetensors").write_bytes(b"12345")
    assert digest(str(tmp_path)) != first
    assert digest("org/model") is None
    assert file_digest(tmp_path / "config.json") == "44136fa355b3678a"  # of `{}`
    assert file_digest(None) is None
    assert file_digest(tmp_path / "none") is None


def test_a_gpu_has_one_holder(tmp_path: Path) -> None:
    first = locks.hold(tmp_path / "locks", (0, 1), "bench-1-1")
    assert not isinstance(first, str)
    assert locks.hold(tmp_path / "locks", (1, 2), "bench-2-1") == "bench-1-1"
    beside = locks.hold(tmp_path / "locks", (2,), "bench-2-1")
    assert not isinstance(beside, str)
    first.release()
    again = locks.hold(tmp_path / "locks", (0,), "bench-3-1")
    assert not isinstance(again, str)
    again.release()
    beside.release()


CARD = GpuState(index=0, name="NVIDIA A100-SXM4-80GB", uuid="u", total_gib=79.2, used_gib=0.4, holders=(), driver="550")
A100 = Host(name="a100", gpu="A100-80GB", gpus=8)


def asked(model: str, gpus: tuple[int, ...] = (0,), **serve: Any) -> BenchSpec:
    options = {f"--{name.replace('_', '-')}": value for name, value in serve.items()}
    return BenchSpec(model=model, host="a100", gpus=gpus, serve=options)


def test_a_start_that_is_hopeless_is_known_before() -> None:
    found = predict(asked("Qwen/Qwen2.5-72B-Instruct", max_model_len=8192), A100, "0.32.0", (CARD,))
    assert found.hopeless is not None
    assert found.hopeless.startswith("It will not start on 1 × A100-80GB; what limits it is `weights`.")
    assert found.estimate is not None
    assert found.estimate["verdict"] == "does-not-fit"


@pytest.mark.parametrize("states", [(), (CARD,)], ids=["before an agent looked", "as the driver says"])
def test_one_that_fits_is_let_through(states: tuple[GpuState, ...]) -> None:
    found = predict(asked("Qwen/Qwen2.5-7B-Instruct", max_model_len=8192), A100, "0.32.0", states)
    assert found.hopeless is None
    assert found.estimate is not None
    assert found.estimate["verdict"] == "fits"
    assert found.estimate["tp"] == 1


@pytest.mark.parametrize(
    ("spec", "host"),
    [
        (asked("no-such/model"), A100),
        (asked("Qwen/Qwen2.5-7B-Instruct", ()), A100),
        (asked("Qwen/Qwen2.5-7B-Instruct"), Host(name="a100", gpus=1)),
        (asked("Qwen/Qwen2.5-7B-Instruct"), Host(name="a100", gpu="Abacus 3000", gpus=1)),
    ],
    ids=["model not known", "no GPUs", "no card named", "card not known"],
)
def test_what_cannot_be_reckoned_is_tried(spec: BenchSpec, host: Host) -> None:
    found = predict(spec, host, "0.32.0")
    assert (found.estimate, found.hopeless) == (None, None)
