"""Servers that run, judged by their figures: pages, benchmarks, statistics, and what the person wonders about."""

from pathlib import Path

import pytest

from knowledge.logs.diagnosis import diagnose

FOLDER = Path(__file__).parents[2] / "data" / "logs"
V1 = "INFO 07-01 10:00:00 [api_server.py:1] vLLM API server version 0.10.0\n"


def page(**values: float) -> str:
    labels = '{engine="0",model_name="m"}'
    lines = [f"vllm:{name}{labels} {value}" for name, value in values.items()]
    return "\n".join(lines) + "\n"


CONFIG = 'vllm:cache_config_info{block_size="16",num_gpu_blocks="8192",engine="0"} 1.0\n'


def test_preemptions_give_how_many_requests_fit() -> None:
    text = CONFIG + page(
        num_preemptions_total=1284,
        kv_cache_usage_perc=0.996,
        num_requests_waiting=139,
        num_requests_running=60,
        request_prompt_tokens_sum=1_450_000,
        request_prompt_tokens_count=1000,
        request_generation_tokens_sum=700_000,
        request_generation_tokens_count=1000,
    )
    found = diagnose("", text)
    assert found.cause == "preemption"
    assert "num_preemptions_total" in found.deciding_line
    # 8,192 blocks of 16 = 131,072 tokens, 2,150 a request: 61 fit
    assert (found.facts["each"], found.facts["fit"], found.facts["cap_low"]) == (2150, 61, 48)


def test_waiting_requests_with_an_empty_cache_wait_for_slots() -> None:
    text = CONFIG + page(num_requests_waiting=231, num_requests_running=16, kv_cache_usage_perc=0.2)
    found = diagnose("started with --max-num-seqs 16", text)
    assert (found.cause, found.text, found.facts["limit"]) == ("queueing", "load.waiting_for_slots", 16)
    assert found.facts["seqs_to"] == 64  # 0.2 / 16 a request: 72 up to 0.9, of which 64 is a power of two


def test_waiting_requests_with_a_full_cache_wait_for_it() -> None:
    found = diagnose("", CONFIG + page(num_requests_waiting=50, num_requests_running=30, kv_cache_usage_perc=0.97))
    assert found.text == "load.waiting_for_cache"


def test_waiting_requests_while_none_runs_are_stuck() -> None:
    assert diagnose("", page(num_requests_waiting=3, num_requests_running=0)).text == "load.stuck"


def test_drafts_that_are_refused_are_told() -> None:
    found = diagnose("", page(spec_decode_num_draft_tokens_total=1000, spec_decode_num_accepted_tokens_total=120))
    assert (found.cause, found.facts["acceptance"]) == ("speculative-decoding", 0.12)


def test_drafts_that_are_taken_are_told_only_when_asked() -> None:
    text = page(spec_decode_num_draft_tokens_total=1000, spec_decode_num_accepted_tokens_total=800)
    assert diagnose("", text).cause == "none"
    assert diagnose("is my draft model any good?", text).cause == "speculative-decoding"


@pytest.mark.parametrize(("hits", "text"), [(1000, "load.few_hits"), (60_000, "load.hits")], ids=["few", "many"])
def test_the_share_of_prefixes_that_were_found(hits: int, text: str) -> None:
    found = diagnose("prefix cache hit rate?", page(prefix_cache_queries_total=100_000, prefix_cache_hits_total=hits))
    assert (found.cause, found.text) == ("prefix-caching", text)


def test_a_few_queries_say_nothing_about_prefixes() -> None:
    assert diagnose("prefix hits?", page(prefix_cache_queries_total=900, prefix_cache_hits_total=30)).cause == "none"


def test_long_prefills_are_what_a_slow_first_token_is() -> None:
    text = page(
        time_to_first_token_seconds_sum=500,
        time_to_first_token_seconds_count=100,
        request_prefill_time_seconds_sum=480,
        request_prefill_time_seconds_count=100,
        request_queue_time_seconds_sum=10,
        request_queue_time_seconds_count=100,
    )
    assert diagnose("", text).cause == "latency-ttft"


def test_slow_tokens_are_told_where_somebody_finds_it_slow() -> None:
    text = page(inter_token_latency_seconds_sum=30, inter_token_latency_seconds_count=100)
    assert diagnose("it stutters, why is it slow", text).text == "load.slow_tokens"
    assert diagnose("", text).cause == "none"


def test_a_metric_that_was_renamed_is_found_under_its_new_name() -> None:
    found = diagnose("grafana shows no data for vllm:gpu_cache_usage_perc", page(kv_cache_usage_perc=0.5))
    assert (found.cause, found.facts["now"]) == ("metric-names", "vllm:kv_cache_usage_perc")


def test_metrics_that_are_there_are_no_reason_to_rename() -> None:
    assert diagnose("grafana shows no data for vllm:kv_cache_usage_perc", page(kv_cache_usage_perc=0.5)).cause == "none"


def test_not_a_number_and_broken_lines_do_not_disturb_a_page() -> None:
    text = page(num_requests_running=1) + 'vllm:kv_cache_usage_perc{engine="0"} NaN\nvllm:broken{engine="0" 1.0\n'
    assert diagnose("", text).cause == "none"


def stats(running: int, waiting: int, usage: float, *, hits: float = 0.0, prompt: float = 10.0) -> str:
    return (
        f"INFO 07-01 10:00:00 [loggers.py:118] Engine 000: Avg prompt throughput: {prompt} tokens/s, Avg generation throughput: 50.0 tokens/s, "
        f"Running: {running} reqs, Waiting: {waiting} reqs, GPU KV cache usage: {usage}%, Prefix cache hit rate: {hits}%\n"
    )


def test_a_queue_shows_in_the_statistics_too() -> None:
    found = diagnose("", V1 + stats(16, 3, 10.0) + stats(16, 231, 20.0) + stats(16, 200, 21.0))
    assert (found.cause, found.facts["waiting"], found.facts["last_waiting"]) == ("queueing", 231, 200)


def test_a_queue_with_a_full_cache_waits_for_the_cache() -> None:
    assert diagnose("", V1 + stats(30, 50, 97.0)).text == "load.waiting_for_cache"


def test_statistics_of_v0_are_read_as_well() -> None:
    log = (
        "INFO 05-11 12:04:19 [metrics.py:486] Avg prompt throughput: 13.2 tokens/s, Avg generation throughput: 13.0 tokens/s, Running: 4 reqs, "
        "Swapped: 0 reqs, Pending: 40 reqs, GPU KV cache usage: 0.1%, CPU KV cache usage: 0.0%.\n"
        "INFO 05-11 12:04:19 [metrics.py:502] Prefix cache hit rate: GPU: 3.00%, CPU: 0.00%\n"
    )
    assert diagnose("", V1 + log).facts["waiting"] == 40
    assert diagnose("prefix hit rate?", V1 + log.replace("Pending: 40", "Pending: 0")).facts["hit_rate"] == 0.03


def test_acceptance_of_v0_is_a_share() -> None:
    log = "INFO 05-11 12:04:19 metrics.py:455] Speculative metrics: Draft acceptance rate: 0.212, System efficiency: 0.3\n"
    assert diagnose("", V1 + log).facts["acceptance"] == 0.212


def bench(rate: str = "inf", limit: str = "None", **changed: float) -> str:
    values = {
        "Successful requests": 1000,
        "Total generated tokens": 200_000,
        "Request throughput (req/s)": 32.42,
        "Mean TTFT (ms)": 9600.0,
    }
    values |= {name.replace("_", " "): value for name, value in changed.items()}
    lines = [
        f"Traffic request rate: {rate}",
        f"Maximum request concurrency: {limit}",
        "============ Serving Benchmark Result ============",
    ]
    lines += [f"{name}:            {value}" for name, value in values.items()]
    return "\n".join(lines) + "\n"


def test_a_benchmark_that_sends_all_at_once_measures_its_own_queue() -> None:
    found = diagnose("", bench())
    assert (found.cause, found.text) == ("bench-serve", "load.bench_flood")
    assert found.facts["slower"] == 19  # 0.6 of 32.42
    assert found.deciding_line == "Traffic request rate: inf"


def test_a_benchmark_with_a_limit_is_no_flood() -> None:
    assert diagnose("", bench(limit="64")).cause == "none"


def test_a_benchmark_without_answers_failed() -> None:
    assert diagnose("", bench(Successful_requests=0)).text == "load.bench_failed"


def test_a_benchmark_whose_answers_are_empty_measured_nothing() -> None:
    assert diagnose("", bench(rate="5.0", Total_generated_tokens=1000)).text == "load.bench_empty"


def test_a_long_tail_between_tokens_is_the_prefills_of_others() -> None:
    text = bench(rate="5.0") + "Median ITL (ms):    20.0\nP99 ITL (ms):    400.0\n"
    assert diagnose("why does it stutter", text).text == "load.bench_jitter"


def test_a_namespace_tells_the_rate_where_no_line_does() -> None:
    text = (
        "Namespace(backend='vllm', request_rate=inf, max_concurrency=None, num_prompts=1000)\n"
        + bench().split("\n", 2)[2]
    )
    assert diagnose("", text).text == "load.bench_flood"


STANDING = {
    "connecting": ("INFO [pynccl.py:69] vLLM is using nccl==2.26.2\n", "nccl-hang"),
    "loading": (
        "Loading safetensors checkpoint shards:   7% Completed | 2/30 [03:08<43:50, 94.0s/it]\n",
        "model-loading-slow",
    ),
    "fast shards": (
        "Loading safetensors checkpoint shards:  50% Completed | 2/4 [00:08<00:05, 2.0it/s]\n",
        "model-loading-slow",
    ),
    "compiling": ("INFO [backends.py:559] Dynamo bytecode transform time: 8.5 s\n", "slow-startup"),
    "anything else": ("INFO [x.py:1] hello\n", "none"),
}


@pytest.mark.parametrize(("line", "cause"), STANDING.values(), ids=STANDING.keys())
def test_a_start_that_stands_still_is_told_where_it_stands(line: str, cause: str) -> None:
    assert diagnose("it hangs here forever", V1 + line).cause == cause
    assert diagnose("启动一直卡住不动", V1 + line).cause == cause


def test_a_start_that_nobody_wonders_about_is_only_unfinished() -> None:
    assert diagnose("", V1 + STANDING["connecting"][0]).text == "general.unfinished"


def test_what_is_left_to_load_is_told_in_minutes() -> None:
    facts = diagnose("why so slow to load?", V1 + STANDING["loading"][0]).facts
    assert (facts["files_left"], facts["minutes_left"]) == (28, 44)  # 28 × 94 s


SLOW = {
    "weights": ("INFO [x.py:1] Model loading took 61.2 GiB and 815.1 seconds\n", "model-loading-slow"),
    "compile": ("INFO [monitor.py:34] torch.compile takes 222.5 s in total\n", "torch-compile-cache"),
    "engine": (
        "INFO [core.py:1] init engine (profile, create kv cache, warmup model) took 180.0 seconds\n",
        "slow-startup",
    ),
    "nothing": ("INFO [core.py:1] init engine (profile, create kv cache, warmup model) took 9.0 seconds\n", "none"),
}


@pytest.mark.parametrize(("line", "cause"), SLOW.values(), ids=SLOW.keys())
def test_the_slowest_step_of_a_start_is_named(line: str, cause: str) -> None:
    assert diagnose("startup takes forever", V1 + line + "INFO:     Application startup complete.\n").cause == cause


def test_very_slow_weights_are_named_unasked() -> None:
    found = diagnose("", V1 + SLOW["weights"][0] + "INFO:     Application startup complete.\n")
    assert found.facts["mib_s"] == 77  # 61.2 GiB in 815 s


def test_eager_mode_is_why_one_request_is_slow() -> None:
    log = V1 + "WARNING [vllm.py:1703] Enforce eager set, disabling torch.compile and CUDAGraphs.\n" + stats(1, 0, 1.0)
    found = diagnose("only 12 tok/s", log)
    assert found.cause == "enforce-eager"
    assert "Enforce eager" in found.deciding_line
    assert diagnose("", log).cause == "none"


def test_different_answers_are_explained_where_the_log_shows_no_fault() -> None:
    found = diagnose("same prompt, temperature 0, different answers", V1 + stats(1, 0, 1.0))
    assert (found.cause, found.text) == ("determinism", "load.not_deterministic")


def test_server_errors_without_a_reason_ask_for_the_log() -> None:
    log = V1 + 'INFO:     10.0.0.5:50000 - "POST /v1/chat/completions HTTP/1.1" 500 Internal Server Error\n'
    found = diagnose("", log)
    assert (found.cause, found.text) == ("insufficient-log", "general.server_errors")


def test_an_error_that_nobody_knows_asks_for_more() -> None:
    found = diagnose("", V1 + "ERROR 07-01 10:00:00 [x.py:1] The flux is out of phase\n")
    assert (found.cause, found.text) == ("insufficient-log", "general.unknown_error")


WARNINGS = "WARNING 07-01 10:00:00 [fused_moe.py:683] Using default MoE config. Performance might be sub-optimal! Config file not found at /x/E=128,N=384,device_name=NVIDIA_H20.json\n"
RUNS = "".join(stats(1, 0, 1.0) for _ in range(9))


def test_a_warning_in_a_healthy_log_is_no_failure() -> None:
    found = diagnose("", V1 + WARNINGS + RUNS)
    assert (found.cause, found.facts["notice"]) == ("none", "moe-config")


def test_a_warning_alone_is_what_is_asked_about() -> None:
    assert diagnose("", WARNINGS).cause == "moe-tuned-config"


def test_a_warning_is_looked_at_where_somebody_finds_it_slow() -> None:
    assert diagnose("throughput is low", V1 + WARNINGS + RUNS).cause == "moe-tuned-config"
