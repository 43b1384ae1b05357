"""An attempt on a host with GPUs: what is looked at before and after, and what a start teaches."""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import pytest

from runners.agent.attempt import Attempt
from runners.agent.folder import Folder
from runners.agent.learning import learnt
from runners.agent.surroundings import Surroundings
from runners.dispatch.orders import Order
from runners.jobs.spec import BenchSpec
from runners.machines.gpus import GpuState, Holder
from runners.machines.host import Host
from runners.machines.machine import Machine
from runners.measuring.failure import Failure, Layer
from runners.processes.unbroken import unbroken
from runners.results.result import Result

Make = Callable[..., Any]
IDLE = GpuState(
    index=0,
    name="NVIDIA A100-SXM4-80GB",
    uuid="GPU-1",
    total_gib=79.2,
    used_gib=0.4,
    holders=(),
    driver="550",
    power_limit_w=400,
)
BUSY = replace(IDLE, holders=(Holder(12, "python", 20.0),), used_gib=20.0)
KEPT = replace(IDLE, used_gib=60.0)


def looks(*states: GpuState) -> Callable[[], Machine]:
    """A machine that is seen in one state after the other, the last one for ever."""
    seen: Iterator[GpuState] = chain(states, repeat(states[-1]))
    return lambda: Machine(gpus=(next(seen),), cpu="x", cores=8, memory_gib=64, free_gib=60, load=0.1)


@pytest.fixture
def run(tmp_path: Path, make_spec: Make, surroundings: Make) -> Make:
    """The result of one attempt on GPU 0."""

    async def attempted(look: Callable[[], Machine], **changed: Any) -> Result:
        spec: BenchSpec = make_spec({"repeats": 1}, **({"host": "a100", "gpus": (0,)} | changed))
        around: Surroundings = surroundings(look, host={"name": "a100", "gpu": "A100-80GB", "gpus": 1})
        order = Order(key="bench-1-1", job=1, spec=spec)
        async with asyncio.timeout(30):
            return await Attempt(order, Folder(tmp_path / "attempt"), around, lambda _: None).run()

    return attempted


async def test_a_free_gpu_is_measured_and_written_down(run: Make) -> None:
    result = await run(looks(IDLE))
    assert result.failure is None
    assert result.fingerprint is not None
    assert (result.fingerprint.gpu, result.fingerprint.gpu_count) == ("NVIDIA A100-SXM4-80GB", 1)
    assert (result.fingerprint.driver, result.fingerprint.power_limit_w) == ("550", 400.0)
    assert result.gpu_seconds == pytest.approx(result.wall_seconds)


async def test_a_gpu_that_somebody_uses_is_left_to_him(run: Make) -> None:
    result = await run(looks(BUSY))
    assert result.failure == Failure(layer=Layer.HOST, why="GPU 0 is in use by `python` (pid 12, 20.0 GiB).")
    assert result.serve_command == ()


async def test_a_start_that_is_hopeless_is_not_tried(run: Make) -> None:
    result = await run(looks(IDLE), model="Qwen/Qwen2.5-72B-Instruct")
    assert result.failure is not None
    assert result.failure.layer is Layer.SET_UP
    assert "will not start on 1 × A100-80GB" in result.failure.why
    assert result.serve_command == ()


async def test_what_was_predicted_comes_with_the_result(run: Make) -> None:
    result = await run(looks(IDLE), model="Qwen/Qwen2.5-7B-Instruct")
    assert result.failure is None
    assert result.predicted is not None
    assert result.predicted["verdict"] == "fits"


async def test_memory_that_comes_back_late_is_waited_for(run: Make) -> None:
    assert (await run(looks(IDLE, KEPT, IDLE))).failure is None


async def test_memory_that_does_not_come_back_fails_the_run(run: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runners.agent.serving.FREE_S", 0.1)
    result = await run(looks(IDLE, KEPT))
    assert result.failure == Failure(
        layer=Layer.CLEAN_UP, why="GPU 0 did not give back its memory: 60.0 GiB are in use."
    )
    assert len(result.repeats) == 1


async def test_two_faults_are_both_told(run: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runners.agent.serving.FREE_S", 0.1)
    result = await run(looks(IDLE, KEPT), serve={"--max-num-seqs": 16, "--block-size": 16})  # the stand-in lacks one
    assert result.failure is not None
    assert result.failure.layer is Layer.SERVER_START


async def test_a_full_disk_is_said_before_the_start(run: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("runners.agent.preparing.LEAST_DISK", 2**70)
    result = await run(looks(IDLE))
    assert result.failure == Failure(layer=Layer.HOST, why="The host's disk is full.")


async def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path, make_spec: Make, surroundings: Make) -> None:
    (tmp_path / "file").write_text("")
    order = Order(key="bench-1-1", job=1, spec=make_spec())
    result = await Attempt(order, Folder(tmp_path / "file" / "attempt"), surroundings(), lambda _: None).run()
    assert result.failure is not None
    assert result.failure.layer is Layer.HOST
    assert "Not a directory" in result.failure.why


async def test_a_host_that_does_not_allow_it_says_so(run: Make) -> None:
    result = await run(looks(IDLE), gpus=(0, 1))
    assert result.failure is not None
    assert "has 1 GPUs, not those asked for" in result.failure.why


async def test_cleaning_up_ends_however_often_it_is_interrupted() -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    async def clean_up() -> str:
        begun.set()
        await asyncio.sleep(0.05)
        ended.set()
        return "clean"

    task = asyncio.create_task(unbroken(clean_up()))
    await begun.wait()
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended.is_set()
    assert await unbroken(clean_up()) == "clean"


# Lines of a start of vLLM 0.32 on a GPU, with figures that go together.
LOG = """\
INFO 12-01 00:18:42 [api_utils.py:347]  version 0.32.0
INFO 12-01 00:18:58 [core.py:133] Initializing a V1 LLM engine (v0.32.0) with config: model='Qwen/Qwen2.5-7B-Instruct', dtype=torch.bfloat16, max_seq_len=8192, tensor_parallel_size=1
INFO 12-01 00:19:20 [gpu_model_runner.py:5150] Model loading took 14.25 GiB memory and 4.2 seconds
INFO 12-01 00:19:30 [gpu_worker.py:760] Available KV cache memory: 54.1 GiB
INFO 12-01 00:19:30 [kv_cache_utils.py:2327] GPU KV cache size: 1,013,000 tokens, Maximum concurrency for 8,192 tokens per request: 123.66x
"""


def test_a_start_teaches_the_estimator(tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    log.write_text(LOG)
    spec = BenchSpec(model="Qwen/Qwen2.5-7B-Instruct", host="a100", gpus=(0,))
    host = Host(name="a100", gpu="A100-80GB", gpus=1)
    kept = learnt(log, spec, host, (IDLE,), 1_800_000_000.0)
    assert kept is not None
    assert (kept["host"], kept["model"], kept["version"]) == ("a100", "Qwen/Qwen2.5-7B-Instruct", "0.32.0")
    assert (kept["weights_gib"], kept["kv_gib"], kept["total_gib"], kept["utilization"]) == (14.25, 54.1, 79.2, 0.92)
    assert learnt(log, spec.model_copy(update={"model": "no-such/model"}), host, (IDLE,), 0.0) is None
    assert learnt(log, spec, host, (), 0.0) is None
    log.write_text(LOG.replace("Available KV cache memory", "something else"))
    assert learnt(log, spec, host, (IDLE,), 0.0) is None
