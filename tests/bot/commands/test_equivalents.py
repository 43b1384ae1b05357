"""What a person can type for what was asked."""

import pytest

from bot.commands import Command, Name, equivalent, read

TAIL = "--percentile-metrics ttft,tpot,itl,e2el --metric-percentiles 50,90,95,99"
BENCH = "vllm bench serve --model Qwen/Qwen3-8B --dataset-name random --random-input-len 1024 --random-output-len 128"


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("bench qwen3-8b, 20 rps for 10 min", f"{BENCH} --num-prompts 12000 --request-rate 20 {TAIL}"),
        ("bench qwen3-8b, concurrency 32", f"{BENCH} --num-prompts 320 --max-concurrency 32 {TAIL}"),
        ("bench qwen3-8b, concurrency 32 for 5 min", f"{BENCH} --num-prompts 320 --max-concurrency 32 {TAIL}"),
        ("bench qwen3-8b unlimited rate, 50 prompts", f"{BENCH} --num-prompts 50 --request-rate inf {TAIL}"),
        (
            "sweep concurrency 16, 32 for qwen3-8b",
            f"{BENCH} --num-prompts 160 --max-concurrency 16 {TAIL}\n{BENCH} --num-prompts 320 --max-concurrency 32 {TAIL}",
        ),
        (
            "sweep max-num-seqs 16, 32 for qwen3-8b",
            "vllm serve Qwen/Qwen3-8B --max-num-seqs 16\nvllm serve Qwen/Qwen3-8B --max-num-seqs 32",
        ),
        ("p95 ttft of prod last 24h", "curl -s http://SERVER:8000/metrics | grep vllm:time_to_first_token_seconds"),
        ("set max-num-seqs to 512 on prod", "vllm serve MODEL --max-num-seqs 512"),
        (
            "how is prod",
            "curl -s http://SERVER:8000/metrics | grep -E 'vllm:(num_requests_(running|waiting)|kv_cache_usage_perc|num_preemptions)'",
        ),
    ],
)
def test_there_is_a_command_to_type(text: str, command: str) -> None:
    asked = read(text, "en")
    assert asked is not None
    assert equivalent(asked) == command


@pytest.mark.parametrize(
    "text", ["cancel my job", "show run 12", "restart prod", "sweep max-num-seqs on run 7", "rerun 31"]
)
def test_for_the_rest_there_is_none(text: str) -> None:
    asked = read(text, "en")
    assert asked is not None
    assert equivalent(asked) is None


def test_the_teams_model_is_meant_where_none_is_named() -> None:
    asked = read("bench on h100 at 5 rps", "en")
    assert asked is not None
    assert "--model Qwen/Qwen3-14B " in (equivalent(asked, "Qwen/Qwen3-14B") or "")


def test_an_option_that_may_not_be_set_makes_no_command() -> None:
    asked = Command(name=Name.DEPLOY_CHANGE, arguments={"env": "prod", "override": {"trust_remote_code": True}})
    assert equivalent(asked) is None
