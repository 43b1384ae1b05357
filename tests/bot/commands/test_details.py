"""Smaller things that requests say: options in other spellings, hosts, people, times behind us."""

from typing import Any

import pytest

from bot.commands import read
from bot.commands.measures import take_metric
from bot.commands.options import take_options
from bot.commands.periods import take_period
from bot.commands.run_references import when
from bot.commands.values import take_values
from bot.commands.wording import wording


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("--max-num-seqs 64", {"max_num_seqs": 64}),
        ("max_num_seqs=64", {"max_num_seqs": 64}),
        ("max num seqs to 64", {"max_num_seqs": 64}),
        ("max-num-batched-tokens 8k", {"max_num_batched_tokens": 8192}),
        ("util 92%", {"gpu_memory_utilization": 0.92}),
        ("gpu-memory-utilization=0.92", {"gpu_memory_utilization": 0.92}),
        ("at 92% utilization", {"gpu_memory_utilization": 0.92}),
        ("4-way tensor parallel", {"tensor_parallel_size": 4}),
        ("tp4", {"tensor_parallel_size": 4}),
        ("with 16k context", {"max_model_len": 16384}),
        ("--quantization awq", {"quantization": "awq"}),
        ("in bf16", {"dtype": "bfloat16"}),
        ("awq", {"quantization": "awq"}),
        ("no cuda graphs", {"enforce_eager": True}),
        ("cuda graphs on", {"enforce_eager": False}),
        ("--no-enable-prefix-caching", {"enable_prefix_caching": False}),
        ("prefix caching", {"enable_prefix_caching": True}),
        ("不开 chunked prefill", {"enable_chunked_prefill": False}),
        ("前缀缓存打开", {"enable_prefix_caching": True}),
        ("a well-known load-test", {}),
    ],
)
def test_an_option_is_read_by_its_name_or_in_words(text: str, options: dict[str, Any]) -> None:
    assert take_options(wording(text))[0] == options


@pytest.mark.parametrize(
    ("text", "period"),
    [
        ("yesterday", ("now-1d/d", "now/d")),
        ("since yesterday", ("now-1d/d", "now")),
        ("last night", ("now-1d/d+18h", "now/d+6h")),
        ("last week", ("now-1w/w", "now/w")),
        ("last month", ("now-1M/M", "now/M")),
        ("the past 3 months", ("now-3M", "now")),
        ("since 9am", ("9am", "now")),
        ("between monday and 2026-03-04", ("monday", "2026-03-04")),
        ("from 9:00 to 17:00", ("9:00", "17:00")),
        ("前天", ("now-2d/d", "now-1d/d")),
        ("本周", ("now/w", "now")),
        ("24h", ("now-24h", "now")),
    ],
)
def test_a_stretch_of_time_is_relative_to_when_it_is_asked(text: str, period: tuple[str, str]) -> None:
    assert take_period(wording(text))[0] == {"from": period[0], "to": period[1]}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("2026-03-01", "2026-03-01"),
        ("3 days ago", "3_days_ago"),
        ("两天前", "2_days_ago"),
        ("last friday", "last_friday"),
        ("周三那次", "wednesday"),
        ("前天", "day_before_yesterday"),
        ("last month", "last_month"),
        ("now", None),
    ],
)
def test_a_day_is_named(text: str, said: str | None) -> None:
    assert when(wording(text).text) == said


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("from 0.8 to 0.9 in steps of 0.05", [0.8, 0.85, 0.9]),
        ("16 到 128 翻倍", [16, 32, 64, 128]),
        ("from 100 to 300 by 100", [100, 200, 300]),
        ("2k/4k", [2048, 4096]),
        ("just 7", []),
    ],
)
def test_several_values_are_listed_or_spread(text: str, values: list[float]) -> None:
    assert take_values(wording(text))[0] == values


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("vllm:kv_cache_usage_perc", "kv_cache_usage_perc"),
        ("request_success_total", "request_success"),
        ("max_num_seqs", None),
        ("prefill time", "request_prefill_time_seconds"),
        ("命中率", "prefix_cache_hits"),
        ("the weather", None),
    ],
)
def test_a_metric_has_its_name_on_the_page(text: str, name: str | None) -> None:
    assert take_metric(wording(text))[0] == name


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ("bench qwen3-8b on a100-1", {"model": "Qwen/Qwen3-8B", "targets": ["a100-1"]}),
        ("bench qwen3-8b on all hosts", {"model": "Qwen/Qwen3-8B", "targets": ["all"]}),
        ("bench qwen3-8b on gpu-a and gpu-b", {"model": "Qwen/Qwen3-8B", "targets": ["gpu-a", "gpu-b"]}),
        ("bench qwen3-8b on two A100s", {"model": "Qwen/Qwen3-8B", "targets": ["a100"], "gpus": 2}),
        ("bench qwen3-8b on 4090 x2", {"model": "Qwen/Qwen3-8B", "targets": ["4090"], "gpus": 2}),
        ("bench qwen3-8b for 1h30m", {"model": "Qwen/Qwen3-8B", "duration_s": 5400}),
        ("bench qwen3-8b for an hour and a half", {"model": "Qwen/Qwen3-8B", "duration_s": 5400}),
        ("压测 qwen3-8b 一个半小时", {"model": "Qwen/Qwen3-8B", "duration_s": 5400}),
        ("bench qwen3-8b for 5m", {"model": "Qwen/Qwen3-8B", "duration_s": 300}),
        ("bench qwen3-8b duration=120", {"model": "Qwen/Qwen3-8B", "duration_s": 120}),
        ("bench qwen3-8b, notify the channel when done", {"model": "Qwen/Qwen3-8B", "notify": "this"}),
        ("bench qwen3-8b-fp8", {"model": "Qwen/Qwen3-8B-FP8"}),
        ("bench qwne3-8b", {"model": "Qwen/Qwen3-8B"}),
        ("give me the logs of marias job from yesterday", {"owner": "maria", "when": "yesterday"}),
        ("logs of run 15, 12", {"run": 15, "lines": 12}),
    ],
)
def test_a_request_says_smaller_things_too(text: str, arguments: dict[str, Any]) -> None:
    command = read(text, "en")
    assert command is not None
    assert command.arguments == arguments


@pytest.mark.parametrize(
    ("text", "limits"),
    [
        ("watch prod, alert me if hit rate drops below 20%", {"below": 0.2}),
        ("watch prod, alert me if ttft is above 800ms", {"above": 0.8}),
        ("watch prod", {}),
    ],
)
def test_a_watch_has_the_limit_that_was_said(text: str, limits: dict[str, float]) -> None:
    command = read(text, "en")
    assert command is not None
    assert {name: value for name, value in command.arguments.items() if name in ("above", "below")} == limits


def test_several_limits_of_latency_make_goodput_the_goal() -> None:
    command = read("tune qwen3-8b on h100 so that p95 ttft under 500ms and p95 tpot under 50ms", "en")
    assert command is not None
    assert command.arguments["goal"] == "goodput"
    assert command.arguments["slo"] == {"ttft_p95_ms": 500, "tpot_p95_ms": 50}
