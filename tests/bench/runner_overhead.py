"""What the runner adds to a real vLLM: its wall time over bare `vllm serve` and `vllm bench serve` of the same words. Bound: 1.05.

Run: python -m tests.bench.runner_overhead VLLM MODEL [ROUNDS]     (a venv's vllm, a folder that --load-format dummy can start)

Bare and run by the runner take turns (ABBA), each round with a server of its own, so that neither gets the warmer caches.
"""

import asyncio
import os
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from statistics import fmean, stdev

from runners.agent.attempt import Attempt
from runners.agent.folder import Folder
from runners.agent.surroundings import Surroundings
from runners.dispatch.orders import Order
from runners.jobs.spec import BenchSpec, Limits
from runners.jobs.workload import Workload
from runners.machines.host import Host
from runners.machines.machine import look
from runners.measuring import bench_report
from runners.measuring.environment import for_bench, for_server
from runners.results.result import Result

BOUND = 1.05
LOAD = Workload(input_len=128, output_len=64, num_prompts=100, request_rate=4.0, warmups=4, repeats=1)


def attempt(vllm: str, model: str, folder: Path) -> tuple[float, float, Result]:
    """Seconds and mean E2E latency (ms) of the runner, and its result."""
    host = Host(
        name="here",
        vllm=(vllm,),
        serve_args=("--load-format", "dummy", "--enforce-eager", "--max-model-len", "2048"),
        environment={"VLLM_CPU_KVCACHE_SPACE": "1"},
        models=("*",),
    )
    around = Surroundings(host=host, environment=os.environ, locks=folder / "locks", look=look, clock=time.time)
    spec = BenchSpec(model=model, host="here", workload=LOAD, limits=Limits(gpu_minutes=60))
    order = Order(key="bench-1-1", job=1, spec=spec)
    begun = time.perf_counter()
    result = asyncio.run(Attempt(order, Folder(folder / "attempt"), around, lambda _: None).run())
    seconds = time.perf_counter() - begun
    assert result.failure is None, result.failure
    return seconds, result.repeats[0].latencies["e2el"].mean, result


def bare(result: Result, folder: Path) -> tuple[float, float]:
    """Seconds and mean E2E latency (ms) of the same words without the runner."""
    port = int(result.serve_command[result.serve_command.index("--port") + 1])
    words = list(result.bench_commands[0])
    words[words.index("--result-dir") + 1] = str(folder)
    environment = {"VLLM_CPU_KVCACHE_SPACE": "1"}
    begun = time.perf_counter()
    with (folder / "server.log").open("ab") as log:
        server = subprocess.Popen(
            result.serve_command, env=for_server(os.environ, environment, ()), stdout=log, stderr=log
        )
        _until_healthy(port)
        subprocess.run(words, env=for_bench(os.environ, environment, None), stdout=log, stderr=log, check=True)
        server.terminate()
        server.wait()
    seconds = time.perf_counter() - begun
    return seconds, bench_report.read(folder / "bench-1.json").figures["e2el"].mean


def _until_healthy(port: int) -> None:
    while True:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.05)


def main() -> None:
    """Prints both sides; fails when the runner takes too long, or measures something else."""
    vllm, model, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 4
    times: dict[str, list[float]] = {"bare": [], "runner": []}
    means: dict[str, list[float]] = {"bare": [], "runner": []}
    with tempfile.TemporaryDirectory() as name:
        _, _, first = attempt(vllm, model, Path(name) / "first")  # nobody's: it warms the disk
        for place in range(rounds):
            for side in ("bare", "runner") if place % 2 == 0 else ("runner", "bare"):
                folder = Path(name) / f"{side}-{place}"
                folder.mkdir()
                seconds, mean = bare(first, folder) if side == "bare" else attempt(vllm, model, folder)[:2]
                times[side].append(seconds)
                means[side].append(mean)
                print(f"{side:<7} {seconds:7.1f} s   E2E {mean:8.1f} ms", flush=True)
    ratio = fmean(times["runner"]) / fmean(times["bare"])
    apart = abs(fmean(means["runner"]) - fmean(means["bare"])) / fmean(means["bare"])
    noise = max(stdev(values) / fmean(values) for values in means.values()) if rounds > 1 else 0.0
    print(f"wall time × {ratio:.3f}; mean E2E {apart:.1%} apart, noise {noise:.1%}")
    assert ratio <= BOUND, f"{ratio:.3f}"


if __name__ == "__main__":
    main()
