"""A light stand-in for `vllm`: run as a script, it serves, fails and measures as vLLM 0.32 does on a CPU, in milliseconds.

Its log lines are those of a real start (vLLM 0.32.0, CPU). STANDIN_… variables make it misbehave:

STARTS     seconds until it is healthy
FAILS      an error line: the start ends with status 1
HANGS      1: never healthy, and TERM is lost, as while vLLM imports
STEP       seconds that a request takes
BREAKS     after so many requests, every further one fails
DIES       after so many requests, the server ends with status 0
KEY        the key that it asks for
"""

import argparse
import http.client
import json
import os
import random
import signal
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

VERSION = "0.32.0"


def told(name: str, default: str = "") -> str:
    return os.environ.get(f"STANDIN_{name}", default)


# --- vllm serve -----------------------------------------------------------------------------------------------------------


class State:
    """What the server has seen."""

    def __init__(self, model: str) -> None:
        self.model = model
        self.lock = threading.Lock()
        self.arrived = self.running = self.finished = self.tokens = self.hits = self.queries = 0
        self.seen: set[str] = set()
        self.resets = 0

    def page(self) -> str:
        label = f'{{engine="0",model_name="{self.model}"}}'
        lines = {
            "vllm:num_requests_running": self.running,
            "vllm:num_requests_waiting": 0,
            "vllm:kv_cache_usage_perc": min(1.0, self.running / 100),
            "vllm:num_preemptions_total": 0,
            "vllm:prefix_cache_queries_total": self.queries,
            "vllm:prefix_cache_hits_total": self.hits,
            "vllm:prompt_tokens_total": self.queries,
            "vllm:generation_tokens_total": self.tokens,
            "vllm:request_queue_time_seconds_sum": 0.001 * self.finished,
            "vllm:request_queue_time_seconds_count": self.finished,
        }
        success = f'vllm:request_success_total{{engine="0",finished_reason="length",model_name="{self.model}"}} {self.finished}'
        return "\n".join(f"{name}{label} {value}" for name, value in lines.items()) + f"\n{success}\n"

    def arrive(self) -> int:
        with self.lock:
            self.arrived += 1
            return self.arrived

    def complete(self, prompt: str, tokens: int) -> None:
        with self.lock:
            self.running += 1
            self.queries += len(prompt.split())
            self.hits += len(prompt.split()) if prompt in self.seen else 0
            self.seen.add(prompt)
        time.sleep(float(told("STEP", "0.005")))
        with self.lock:
            self.running -= 1
            self.finished += 1
            self.tokens += tokens
            if told("DIES") and self.finished >= int(told("DIES")):
                os._exit(0)


class Handler(BaseHTTPRequestHandler):
    """Answers as the API server does."""

    protocol_version = "HTTP/1.1"
    state: State
    healthy: Callable[[], bool]

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its name in the standard library
        pass

    def answer(self, status: int, body: str = "", kind: str = "text/plain") -> None:
        data = body.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def refused(self) -> bool:
        wanted = told("KEY")
        if wanted and self.path.startswith("/v1") and self.headers.get("Authorization") != f"Bearer {wanted}":
            self.answer(401, '{"error": "Unauthorized"}', "application/json")
            return True
        return False

    def do_GET(self) -> None:
        if self.refused():
            return
        pages = {
            "/health": "",
            "/metrics": self.state.page(),
            "/version": json.dumps({"version": VERSION}),
            "/v1/models": json.dumps({"data": [{"id": self.state.model, "root": self.state.model}]}),
        }
        if self.path == "/health" and not self.healthy():
            self.answer(503)
        elif self.path in pages:
            self.answer(200, pages[self.path], "application/json" if self.path[1] == "v" else "text/plain")
        else:
            self.answer(404)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.refused():
            return
        if self.path == "/reset_prefix_cache":
            self.reset()
        elif self.path == "/v1/completions":
            self.completion(json.loads(body))
        else:
            self.answer(404)

    def reset(self) -> None:
        if os.environ.get("VLLM_SERVER_DEV_MODE") != "1":
            self.answer(404)
            return
        self.state.seen.clear()
        self.state.resets += 1
        self.answer(200)

    def completion(self, asked: dict[str, Any]) -> None:
        if told("BREAKS") and self.state.arrive() > int(told("BREAKS")):
            self.answer(500, '{"error": "EngineCore encountered an issue."}', "application/json")
            return
        self.state.complete(asked["prompt"], asked["max_tokens"])
        self.answer(200, json.dumps({"choices": [{"text": "word"}]}), "application/json")


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512  # a burst of connections is no fault of the server's


def engine_core() -> int:
    """A child that outlives its parent and holds what it has, as `VLLM::EngineCore` does."""
    pid = os.fork()
    if pid == 0:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        while True:
            time.sleep(3600)
    return pid


def shut_down(core: int) -> None:
    os.kill(core, signal.SIGKILL)
    os._exit(0)


def serve(words: list[str]) -> int:
    parser = argparse.ArgumentParser("vllm serve", allow_abbrev=False)
    parser.add_argument("model")
    parser.add_argument("--host")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--tensor-parallel-size", type=int, default=1)
    parser.add_argument("--max-model-len", type=int, default=2048)
    parser.add_argument("--max-num-seqs", type=int, default=128)
    parser.add_argument("--max-num-batched-tokens", type=int, default=2048)
    parser.add_argument("--enforce-eager", action="store_true")
    parser.add_argument("--load-format")
    args = parser.parse_args(words)
    print(
        f"(APIServer pid={os.getpid()}) INFO 12-01 00:18:42 [api_utils.py:347]  ▄▄ ▄█ █     █     █ ▀▄▀ █  version {VERSION}",
        flush=True,
    )
    if told("FAILS"):
        print(told("FAILS"), flush=True)
        return 1
    healthy = threading.Event()
    state = State(args.model)
    if told("HANGS"):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        server = Server(
            (args.host, args.port), type("Bound", (Handler,), {"state": state, "healthy": staticmethod(healthy.is_set)})
        )
    except OSError as fault:
        print(f"OSError: {fault}", file=sys.stderr, flush=True)
        return 1
    core = engine_core()
    if not told("HANGS"):
        signal.signal(signal.SIGTERM, lambda *_: shut_down(core))
    print(
        f"(Worker pid={core}) INFO 12-01 00:19:03 [cpu_model_runner.py:68] Starting to load model {args.model}...",
        flush=True,
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    time.sleep(float(told("STARTS", "0.05")))
    print(
        f"(EngineCore pid={core}) INFO 12-01 00:19:04 [kv_cache_utils.py:2327] CPU KV cache size: 1,048,576 tokens, "
        f"Maximum concurrency for {args.max_model_len:,} tokens per request: {1048576 / args.max_model_len:.2f}x",
        flush=True,
    )
    if not told("HANGS"):
        healthy.set()
    while True:
        done, _ = os.waitpid(core, 0)
        if done:  # the real API server follows its engine, with status 0
            return 0


# --- vllm bench serve -----------------------------------------------------------------------------------------------------


TEXTS = (
    *("backend", "base-url", "endpoint", "model", "served-model-name", "dataset-name", "dataset-path"),
    *("percentile-metrics", "metric-percentiles", "result-dir", "result-filename"),
)
COUNTS = (
    *(
        "random-input-len",
        "random-output-len",
        "random-prefix-len",
        "num-prompts",
        "num-warmups",
        "seed",
        "max-concurrency",
    ),
    *("prefix-repetition-prefix-len", "prefix-repetition-suffix-len", "prefix-repetition-num-prefixes"),
    *("prefix-repetition-output-len", "ready-check-timeout-sec"),
)
NUMBERS = ("random-range-ratio", "request-rate", "burstiness", "temperature")


def bench_args(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("vllm bench serve", allow_abbrev=False)
    kinds: dict[tuple[str, ...], Callable[[str], Any]] = {TEXTS: str, COUNTS: int, NUMBERS: float}
    for names, kind in kinds.items():
        for name in names:
            parser.add_argument(f"--{name}", type=kind)
    parser.add_argument("--goodput", nargs="+")
    for name in ("ignore-eos", "save-result", "save-detailed"):
        parser.add_argument(f"--{name}", action="store_true")
    return parser.parse_args(words)


def bench(words: list[str]) -> int:
    args = bench_args(words)
    if args.model.endswith("missing"):
        print("OSError: it is not a local folder and is not a valid model identifier", file=sys.stderr)
        return 1
    chance = random.Random(args.seed)
    length = args.random_input_len or 8
    prompts = [" ".join(str(chance.randrange(10**6)) for _ in range(length)) for _ in range(args.num_prompts)]
    with ThreadPoolExecutor(args.max_concurrency or 16) as pool:
        print(f"Warming up with {args.num_warmups} requests...", flush=True)
        list(pool.map(lambda _: ask(args, prompts[0]), range(args.num_warmups or 0)))
        print("Starting main benchmark run...", flush=True)
        begun = time.perf_counter()
        rows = measured(args, pool, prompts, chance)
    write(args, rows, time.perf_counter() - begun)
    return 0


def measured(
    args: argparse.Namespace, pool: ThreadPoolExecutor, prompts: list[str], chance: random.Random
) -> list[dict[str, Any]]:
    due = time.perf_counter()
    asked, rows = [], []
    for prompt in prompts:
        asked.append(pool.submit(timed, args, prompt, due))
        if args.request_rate:
            due += chance.expovariate(args.request_rate)
            time.sleep(max(0.0, due - time.perf_counter()))
    for row in asked:
        rows.append(row.result())
        print(f"\r{len(rows)}/{len(prompts)} [00:00<00:00]", end="", file=sys.stderr, flush=True)
    return rows


def ask(args: argparse.Namespace, prompt: str) -> str:
    tokens = args.random_output_len or args.prefix_repetition_output_len or 16
    body = json.dumps({"model": args.served_model_name or args.model, "prompt": prompt, "max_tokens": tokens}).encode()
    request = urllib.request.Request(f"{args.base_url}{args.endpoint}", body, {"Content-Type": "application/json"})
    if key := os.environ.get("OPENAI_API_KEY"):
        request.add_header("Authorization", f"Bearer {key}")
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            answer.read()
    except urllib.error.HTTPError as fault:
        return str(fault.reason)
    except (OSError, http.client.HTTPException) as fault:
        return f"Traceback (most recent call last):\n  …\nClientOSError: {fault}"
    return ""


def timed(args: argparse.Namespace, prompt: str, due: float) -> dict[str, Any]:
    begun = time.perf_counter()
    error = ask(args, prompt)
    took = time.perf_counter() - begun
    return {
        "start": begun,
        "queue": begun - due,
        "error": error,
        "latency": 0.0 if error else took,
        "ttft": 0.0 if error else took / 2,
    }


def write(args: argparse.Namespace, rows: list[dict[str, Any]], duration: float) -> None:
    good = [row for row in rows if not row["error"]]
    tokens = args.random_output_len or args.prefix_repetition_output_len or 16
    result: dict[str, Any] = {
        "num_prompts": len(rows),
        "request_rate": args.request_rate or "inf",
        "max_concurrency": args.max_concurrency,
        "duration": duration,
        "completed": len(good),
        "failed": len(rows) - len(good),
        "total_input_tokens": len(good) * (args.random_input_len or 8),
        "total_output_tokens": len(good) * tokens,
        "request_throughput": len(good) / duration,
        "request_goodput": len(good) / duration if args.goodput else None,
        "output_throughput": len(good) * tokens / duration,
        "total_token_throughput": len(good) * (tokens + (args.random_input_len or 8)) / duration,
        "ttfts": [row["ttft"] for row in rows],
        "latencies": [row["latency"] for row in rows],
        "start_times": [row["start"] for row in rows],
        "queue_times": [row["queue"] for row in rows],
        "output_lens": [0 if row["error"] else tokens for row in rows],
        "errors": [row["error"] for row in rows],
    }
    for name, divisor in (("ttft", 2), ("tpot", 2 * tokens), ("itl", 2 * tokens), ("e2el", 1)):
        times = sorted(row["latency"] * 1000 / divisor for row in good) or [0.0]
        result[f"mean_{name}_ms"] = sum(times) / len(times)
        for percentile in args.metric_percentiles.split(","):
            result[f"p{percentile}_{name}_ms"] = times[min(len(times) - 1, int(len(times) * int(percentile) / 100))]
    (Path(args.result_dir) / args.result_filename).write_text(json.dumps(result))


def main() -> int:
    match sys.argv[1:]:
        case ["--version"]:
            print(VERSION)
            return 0
        case ["serve", *words]:
            return serve(words)
        case ["bench", "serve", *words]:
            return bench(words)
    return 2


if __name__ == "__main__":
    sys.exit(main())
