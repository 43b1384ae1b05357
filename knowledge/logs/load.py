"""A server that runs, judged by its figures: a /metrics page, a benchmark, lines of statistics, nvidia-smi."""

import re
from collections.abc import Callable
from typing import Any

from knowledge.logs.finding import FEW_ACCEPTED, FULL, QUEUE, Finding, more_at_once, seqs_limit
from knowledge.logs.page_load import page_load
from knowledge.logs.reading import Reading
from knowledge.logs.standstill import standstill
from knowledge.logs.wishes import Wish
from knowledge.releases import metric_names

SLOW_LOAD = 240.0  # seconds to load weights, from which on it is the disk
SLOW_INIT = 120.0  # seconds to profile, compile and capture


Judge = Callable[[Reading, frozenset[Wish], str], Finding | None]


def judge(reading: Reading, wanted: frozenset[Wish], message: str) -> Finding | None:
    """The first thing that is wrong with a running server; None when nothing shows."""
    for one in (_renamed, page_load, _bench, _statistics, _eager, _reserved, _slow_start, _standstill, _unequal):
        found = one(reading, wanted, message)
        if found is not None:
            return found
    return None


def _renamed(reading: Reading, wanted: frozenset[Wish], message: str) -> Finding | None:
    """A metric that the message asks for and the page has under another name."""
    names = {sample.name for sample in reading.metrics.samples} | reading.metrics.described
    if not names or (Wish.METRIC_NAME not in wanted and not re.search(r"vllm[:_]\w+", message)):
        return None
    for asked in re.findall(r"(?:vllm[:_])?[a-z]+(?:_[a-z]+){2,}", message):
        known = metric_names.lookup(asked)
        if known is None or any(name.startswith(known.name) for name in names):
            continue
        now = next((one for one in known.instead if any(name.startswith(one) for name in names)), None)
        line = reading.metrics.line_of(now) if now else None
        if now and line:
            return Finding(
                "metric-names", "load.metric_name", line, ("metric-names",), {"asked": known.name, "now": now}
            )
    return None


def _bench(reading: Reading, wanted: frozenset[Wish], message: str) -> Finding | None:
    bench = reading.bench
    if not bench.results:
        return None
    facts: dict[str, Any] = dict(bench.results) | {"rate": bench.settings.get("Traffic request rate")}
    head = bench.lines["head"]
    completed, failed = bench.results.get("completed", 0), bench.results.get("failed", 0)
    if failed or not completed:
        line = bench.lines.get("failed") or bench.lines.get("completed") or head
        return Finding("bench-serve", "load.bench_failed", line, ("bench-serve", "client-side-limits"), facts)
    if bench.unlimited and bench.results.get("ttft_ms", 0) > 1000:
        line = bench.lines.get("Traffic request rate") or bench.lines.get("ttft_ms") or head
        rate = bench.results.get("request_rate_out", 0)
        facts |= {"slower": max(1, int(rate * 0.6)) if rate >= 2 else round(rate * 0.6, 2)}
        return Finding("bench-serve", "load.bench_flood", line, ("bench-serve", "latency-ttft", "queueing"), facts)
    if bench.results.get("output_tokens") == 0 or bench.results.get("output_tokens", 0) <= completed:
        line = bench.lines.get("output_tokens") or head
        return Finding("bench-serve", "load.bench_empty", line, ("bench-serve",), facts)
    tail, middle = bench.results.get("itl_p99_ms", 0), bench.results.get("itl_p50_ms", 0)
    if middle and tail > 8 * middle and wanted:
        return Finding(
            "max-num-batched-tokens",
            "load.bench_jitter",
            bench.lines["itl_p99_ms"],
            ("max-num-batched-tokens", "chunked-prefill"),
            facts,
        )
    return None


def _statistics(reading: Reading, wanted: frozenset[Wish], message: str) -> Finding | None:
    traffic = reading.traffic
    worst = traffic.worst
    facts: dict[str, Any] = {"limit": seqs_limit(message, reading)}
    if worst is not None and worst.waiting >= QUEUE:
        last, first = traffic.recent[-1], traffic.first
        facts |= {
            "running": worst.running,
            "waiting": worst.waiting,
            "last_waiting": last.waiting,
            "tokens": reading.start.kv_tokens,
        }
        usages = [one.usage for one in traffic.recent if one.usage is not None]
        facts |= {"usage": max(usages) / 100 if usages else None, "first_waiting": first.waiting if first else 0}
        facts = {name: value for name, value in facts.items() if value is not None}
        full = facts.get("usage", 0) >= FULL
        name = "load.waiting_for_cache" if full else "load.waiting_for_slots"
        more = {} if full else more_at_once(facts | {"usage": (worst.usage or 0) / 100})
        entries = ("queueing", "max-num-seqs", "kv-cache-dtype-fp8") if full else ("queueing", "max-num-seqs")
        return Finding("queueing", name, worst.line, entries, facts | more)
    if (
        traffic.acceptance is not None
        and traffic.acceptance_line is not None
        and (traffic.acceptance < FEW_ACCEPTED or Wish.SPECULATION in wanted)
    ):
        return Finding(
            "speculative-decoding",
            "load.few_accepted",
            traffic.acceptance_line,
            ("speculative-decoding",),
            {"acceptance": traffic.acceptance},
        )
    if Wish.PREFIX in wanted and traffic.hit_rate is not None and traffic.recent and traffic.hit_rate < 20:
        return Finding(
            "prefix-caching",
            "load.few_hits",
            traffic.recent[-1].line,
            ("prefix-caching",),
            {"hit_rate": traffic.hit_rate / 100},
        )
    return None


def _eager(reading: Reading, wanted: frozenset[Wish], message: str) -> Finding | None:
    """Without CUDA graphs, where somebody finds it slow."""
    line = reading.startup.lines.get("enforce_eager")
    if not wanted & {Wish.LATENCY, Wish.THROUGHPUT} or not reading.start.enforce_eager or line is None:
        return None
    return Finding("enforce-eager", "load.eager", line, ("single-request-speed", "cuda-graph-memory"))


def _standstill(reading: Reading, wanted: frozenset[Wish], message: str) -> Finding | None:
    return standstill(reading, wanted)


def _unequal(reading: Reading, wanted: frozenset[Wish], message: str) -> Finding | None:
    """Equal prompts with different answers, which no log shows."""
    line = reading.startup.lines.get("config") or reading.last
    if Wish.SAME_ANSWER not in wanted or line is None or not reading.software.ours or reading.first_error is not None:
        return None
    return Finding("determinism", "load.not_deterministic", line, ("determinism",), sure=False)


def _reserved(reading: Reading, wanted: frozenset[Wish], message: str) -> Finding | None:
    """Memory that is taken although nothing runs: vLLM's own pool, or what somebody else left there."""
    if Wish.RESERVED not in wanted:
        return None
    start, smi = reading.start, reading.smi
    own = [
        process for process in smi.processes if re.search(r"(?i)vllm|python|EngineCore|APIServer|Worker", process.name)
    ]
    line = reading.startup.lines.get("kv_gib") or reading.startup.lines.get("kv_tokens")
    if line is None and smi.memory_lines and (own or reading.software.ours):
        line = own[0].line if own else smi.memory_lines[0]
    if line is None:
        return None
    facts: dict[str, Any] = {
        "kv_gib": start.kv_gib,
        "kv_tokens": start.kv_tokens,
        "utilization": start.utilization,
        "total_gib": start.total_gib,
    }
    if smi.cards and smi.cards[0].total:
        facts |= {"used_gib": round(smi.cards[0].used / 1024, 1), "card_gib": round(smi.cards[0].total / 1024, 1)}
    held = [term for term in (start.weights_gib, start.activation_gib, start.non_torch_gib) if term is not None]
    facts["held_gib"] = round(sum(held), 2) if len(held) == 3 else None
    facts = {name: value for name, value in facts.items() if value is not None}
    return Finding(
        "memory-reserved-upfront", "memory.reserved", line, ("memory-reserved-upfront", "gpu-memory-sharing"), facts
    )


def _slow_start(reading: Reading, wanted: frozenset[Wish], message: str) -> Finding | None:
    start, lines = reading.start, reading.startup.lines
    slow = bool(wanted & {Wish.SLOW_START, Wish.SLOW_LOAD, Wish.COMPILE})
    load, init, compiled = start.load_seconds or 0, start.init_seconds or 0, start.compile_seconds or 0
    facts: dict[str, Any] = {
        "load_seconds": round(load),
        "init_seconds": round(init),
        "compile_seconds": round(compiled),
        "weights_gib": start.weights_gib,
    }
    facts = {name: value for name, value in facts.items() if value}
    if load and load > SLOW_LOAD * (0.25 if slow else 1) and load >= init and "load_seconds" in lines:
        if start.weights_gib:
            facts["mib_s"] = round(start.weights_gib * 1024 / load)
        return Finding(
            "model-loading-slow", "load.slow_load", lines["load_seconds"], ("model-loading-slow", "slow-startup"), facts
        )
    if not slow:
        return None
    if compiled and compiled * 2 >= init and "compile_seconds" in lines:
        return Finding(
            "torch-compile-cache",
            "load.slow_compile",
            lines["compile_seconds"],
            ("torch-compile-cache", "slow-startup"),
            facts,
        )
    if init and "init_seconds" in lines and init > SLOW_INIT / 4:
        return Finding(
            "slow-startup", "load.slow_init", lines["init_seconds"], ("slow-startup", "torch-compile-cache"), facts
        )
    return None
