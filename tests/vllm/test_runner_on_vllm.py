"""The runner on a real vLLM 0.32: it measures what the bench says, fails for the reason that the log gives, and leaves nothing."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from runners.agent.attempt import Attempt
from runners.agent.folder import Folder
from runners.agent.surroundings import Surroundings
from runners.dispatch.orders import Order, Progress
from runners.jobs.job import State
from runners.jobs.spec import BenchSpec, Limits
from runners.jobs.workload import Workload
from runners.measuring import server
from runners.measuring.environment import passed
from runners.measuring.failure import Layer
from runners.processes import guarded, warden
from runners.results.result import Result

pytestmark = pytest.mark.vllm
Real = Callable[..., Surroundings]
DEADLINE_S = 240.0


class Run:
    """One attempt on the real thing."""

    def __init__(
        self, model: object, around: Surroundings, folder: Path, load: dict[str, Any] | None = None, **changed: Any
    ) -> None:
        small = {"input_len": 32, "output_len": 16, "num_prompts": 40, "request_rate": 20.0, "warmups": 4, "repeats": 2}
        spec = {
            "model": str(model),
            "host": "here",
            "workload": Workload(**(small | (load or {}))),
            "limits": Limits(gpu_minutes=10),
        }
        self.folder = Folder(folder / "attempt")
        self.told: list[Progress] = []
        self._news = asyncio.Event()
        order = Order(key="bench-1-1", job=1, spec=BenchSpec(**(spec | changed)))
        alone = replace(around, locks=folder / "locks")
        self.attempt = Attempt(order, self.folder, alone, self._hear)

    def _hear(self, progress: Progress) -> None:
        self.told.append(progress)
        self._news.set()

    async def reaches(self, state: State) -> int:
        """The server's pid, once the attempt is in that state and requests have ended, where it has any."""
        async with asyncio.timeout(DEADLINE_S):
            while not self._is_at(state):
                self._news.clear()
                await self._news.wait()
        known = self.folder.server()
        assert known is not None
        return known[0]

    def _is_at(self, state: State) -> bool:
        last = self.told[-1] if self.told else Progress()
        reached = any(step.state is state for step in last.steps)
        return reached and (state is not State.MEASURING or last.done > 0)

    async def result(self) -> Result:
        """What it came to; nothing of it may be left."""
        async with asyncio.timeout(DEADLINE_S):
            result = await self.attempt.run()
        known = self.folder.server()
        assert known is None or warden.members(known[0]) == []
        return result


async def test_a_run_measures_what_the_bench_says_and_leaves_nothing(
    tiny_model: Path, real: Real, tmp_path: Path
) -> None:
    run = Run(tiny_model, real(), tmp_path, serve={"--max-num-seqs": 16, "--max-model-len": 2048})
    result = await run.result()
    assert result.failure is None
    assert [step.state for step in run.told[-1].steps] == [
        *(State.STARTING, State.LOADING, State.WARMING, State.MEASURING, State.WARMING, State.MEASURING, State.STOPPING)
    ]
    for repeat in result.repeats:
        said = json.loads(run.folder.report(repeat.number).read_text())
        assert (repeat.completed, repeat.failed) == (said["completed"], said["failed"]) == (40, 0)
        assert repeat.latencies["ttft"].p95 == said["p95_ttft_ms"]
        assert repeat.output_throughput == said["output_throughput"]
        assert repeat.output_tokens == 40 * 16
        assert repeat.watched.finished is not None
        assert repeat.watched.finished <= 40
        assert repeat.watched.prefix_hit_rate is not None
        assert repeat.watched.prefix_hit_rate < 0.1
    assert [repeat.cache_reset for repeat in result.repeats] == [None, True]
    assert result.start is not None
    assert result.start.observed["version"] == "0.32.0"
    assert (
        result.start.observed["kv_tokens"] == 2**20
    )  # 1 GiB at 1 KiB a token: 4 layers, 2 heads of 32, 2 bytes, K and V
    assert result.fingerprint is not None
    assert result.fingerprint.vllm == "0.32.0+cpu"
    assert result.fingerprint.environment == {"VLLM_CPU_KVCACHE_SPACE": "1"}


async def test_starts_that_fail_say_why(tiny_model: Path, real: Real, tmp_path: Path) -> None:
    """All of them side by side, each as if it were alone: a start mostly waits for imports."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        taken = real(port=other.getsockname()[1])
        slip = real(serve_args=("--load-format", "dummy", "--max-modle-len", "100"))
        small = {"--max-model-len": 32_768, "--kv-cache-memory-bytes": 16_000_000}
        runs = {
            "model-download": Run("/srv/nonexistent", real(), tmp_path / "1"),
            "max-model-len-over-derived": Run(tiny_model, real(), tmp_path / "2", serve={"--max-model-len": 2_000_000}),
            "tensor-parallel-size": Run(tiny_model, real(), tmp_path / "3", serve={"--tensor-parallel-size": 3}),
            "kv-cache-oom-at-startup": Run(tiny_model, real(environment={}), tmp_path / "4", serve=small),
            "deprecated-flags": Run(tiny_model, slip, tmp_path / "5"),
            "port-in-use": Run(tiny_model, taken, tmp_path / "6"),
        }
        results = await asyncio.gather(*(run.result() for run in runs.values()))
    failures = [result.failure for result in results if result.failure is not None]
    assert [failure.cause for failure in failures] == list(runs)
    assert {failure.layer for failure in failures} == {Layer.SERVER_START}
    assert all(failure.line for failure in failures)
    assert failures[4].line == "vllm: error: unrecognized arguments: --max-modle-len 100"


async def test_what_is_killed_or_cancelled_leaves_nothing(tiny_model: Path, real: Real, tmp_path: Path) -> None:
    """The API server killed, the engine killed, a start cancelled while TERM is lost: side by side."""
    long = {"num_prompts": 5000}
    by_api, by_engine = (Run(tiny_model, real(), tmp_path / name, long) for name in ("1", "2"))
    cancelled = Run(tiny_model, real(), tmp_path / "3")
    ending = [asyncio.create_task(run.result()) for run in (by_api, by_engine, cancelled)]
    await cancelled.reaches(State.LOADING)
    cancelled.attempt.cancel("U1 cancelled it.")
    os.kill(await by_api.reaches(State.MEASURING), signal.SIGKILL)
    os.kill(engine_of(await by_engine.reaches(State.MEASURING)), signal.SIGKILL)
    results = await asyncio.gather(*ending)
    assert [result.failure.layer if result.failure else None for result in results] == [Layer.LOAD, Layer.LOAD, None]
    assert [result.cancelled for result in results] == [None, None, "U1 cancelled it."]
    assert all(result.repeats == () for result in results)


async def test_a_server_that_runs_already_is_measured_and_left_alone(
    tiny_model: Path, real: Real, tmp_path: Path
) -> None:
    """It has a key; a wrong one, and prompts that are too long, fail the run."""
    around = real()
    port = server.free_port()
    options = (*around.host.serve_args, "--api-key", "right", "--max-model-len", "128")
    launch = server.Launch(
        argv=server.serve_argv(around.host.vllm, str(tiny_model), port, options),
        environment=passed(os.environ) | around.host.environment,
        log=tmp_path / "server.log",
        port=port,
        limit_s=180.0,
    )
    running = await server.launch(launch)
    try:
        await running.healthy()
        right, wrong = replace(around, api_key=lambda _: "right"), replace(around, api_key=lambda _: "wrong")
        turned_away = await Run(tiny_model, wrong, tmp_path / "1", url=running.url).result()
        load = {"num_prompts": 20, "repeats": 1}
        measured = await Run(tiny_model, right, tmp_path / "2", load, url=running.url).result()
        too_long = await Run(tiny_model, right, tmp_path / "3", load | {"input_len": 500}, url=running.url).result()
        assert await server.answers(running.url)
    finally:
        ended = await running.stop()
    assert turned_away.failure is not None
    assert turned_away.failure.why == f"The server at {running.url} does not take the key."
    assert measured.failure is None
    assert measured.repeats[0].completed == 20
    assert measured.notes[-1].startswith("The prefix cache was not reset: the server is not ours.")
    assert too_long.failure is not None
    assert (too_long.failure.layer, too_long.repeats) == (Layer.MEASUREMENT, ())
    assert "20 of 20 requests failed" in too_long.failure.why
    assert ended.left == ()


def test_a_terminal_killed_with_9_while_vllm_starts_leaves_nothing(
    tiny_model: Path, vllm_command: str, tmp_path: Path
) -> None:
    words = [
        "bench",
        "--model",
        str(tiny_model),
        "--vllm",
        vllm_command,
        "--serve-arg=--load-format",
        "--serve-arg=dummy",
    ]
    small = ["--env", "VLLM_CPU_KVCACHE_SPACE=1", "--input-len", "16", "--output-len", "8", "--num-prompts", "10"]
    terminal = subprocess.Popen(
        [sys.executable, "-m", "bot", *words, *small], cwd=tmp_path, stderr=subprocess.PIPE, text=True, env=here()
    )
    assert terminal.stderr is not None
    assert any("Loading the model" in line for line in terminal.stderr)
    left = Folder(tmp_path / "runner-local" / "bench-1-1").server()
    terminal.kill()
    terminal.wait()
    terminal.stderr.close()
    assert left is not None
    assert asyncio.run(guarded.sweep(*left, patience=DEADLINE_S)) == []


def here() -> dict[str, str]:
    """Our environment, with our own sources to be found from any folder."""
    return dict(os.environ) | {"PYTHONPATH": str(Path(__file__).parents[2])}


def engine_of(server_pid: int) -> int:
    """The engine that belongs to an API server: it gives itself a title."""
    return next(pid for pid in warden.members(server_pid) if b"EngineCore" in command_line(pid))


def command_line(pid: int) -> bytes:
    return Path(f"/proc/{pid}/cmdline").read_bytes()
