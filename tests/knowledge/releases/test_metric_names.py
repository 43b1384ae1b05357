import pytest

from knowledge.releases import metric_names
from knowledge.versions import NEWEST, OLDEST, parse

# The families of a real page of 0.32.0 without load and with speculation off, HTTP's and Python's own left out.
PAGE_0_32 = [
    "admission_rejections_total",
    "cache_config_info",
    "e2e_request_latency_seconds",
    "engine_sleep_state",
    "generation_tokens_total",
    "inter_token_latency_seconds",
    "iteration_tokens_total",
    "kv_cache_usage_perc",
    "mm_cache_hits_total",
    "num_preemptions_total",
    "num_requests_running",
    "num_requests_waiting",
    "num_requests_waiting_by_reason",
    "prefix_cache_hits_total",
    "prefix_cache_queries_total",
    "prompt_tokens_by_source_total",
    "prompt_tokens_cached_total",
    "prompt_tokens_total",
    "request_decode_time_seconds",
    "request_generation_tokens",
    "request_inference_time_seconds",
    "request_max_num_generation_tokens",
    "request_num_preemptions",
    "request_params_max_tokens",
    "request_params_n",
    "request_prefill_kv_computed_tokens",
    "request_prefill_time_seconds",
    "request_prompt_tokens",
    "request_queue_time_seconds",
    "request_success_total",
    "request_time_per_output_token_seconds",
    "time_to_first_token_seconds",
]


@pytest.mark.parametrize("name", PAGE_0_32)
def test_a_real_page_has_only_known_names(name: str) -> None:
    assert metric_names.known(f"vllm:{name}", parse("0.32"))
    assert metric_names.name(name, parse("0.32")) == f"vllm:{name}"


@pytest.mark.parametrize("metric", list(metric_names.all_metrics()), ids=lambda metric: f"{metric.name} {metric.since}")
def test_every_row_reads_well(metric: metric_names.Metric) -> None:
    assert OLDEST <= metric.since <= (metric.until or NEWEST) <= NEWEST
    assert metric.kind in {"counter", "gauge", "histogram", "info", "summary"}
    assert all(metric_names.lookup(name) is not None for name in metric.instead)


def test_163_names_are_known() -> None:
    assert len(list(metric_names.all_metrics())) == 163


# PRs 18354, 29330, 24110, 32661: what was renamed, and when the old name went.
RENAMED = [
    ("kv-cache-usage", "0.8", "vllm:gpu_cache_usage_perc"),
    ("kv-cache-usage", "0.9.2", "vllm:kv_cache_usage_perc"),
    ("vllm:kv_cache_usage_perc", "0.8", "vllm:gpu_cache_usage_perc"),
    ("gpu_cache_usage_perc", "0.12", "vllm:kv_cache_usage_perc"),
    ("gpu_cache_usage_perc", "0.10", "vllm:gpu_cache_usage_perc"),
    ("itl", "0.10", "vllm:time_per_output_token_seconds"),
    ("itl", "0.32", "vllm:inter_token_latency_seconds"),
    ("tpot", "0.32", "vllm:request_time_per_output_token_seconds"),
    ("time_per_output_token_seconds_bucket", "0.32", "vllm:inter_token_latency_seconds"),
    ("prefix-cache-hits", "0.8", "vllm:gpu_prefix_cache_hits_total"),
    ("vllm:gpu_prefix_cache_hit_rate", "0.32", "vllm:prefix_cache_hits_total"),
    ("requests-swapped", "0.7", "vllm:num_requests_swapped"),
    ("requests-swapped", "0.8", None),
    ("vllm:num_requests_swapped", "0.32", None),
    ("requests-rejected", "0.31", None),
    ("queue-time", "0.5", None),
    ("no_such_metric", "0.32", None),
]


@pytest.mark.parametrize(
    ("what", "version", "name"), RENAMED, ids=[f"{what} {version}" for what, version, _ in RENAMED]
)
def test_a_signals_name_depends_on_the_version(what: str, version: str, name: str | None) -> None:
    assert metric_names.name(what, parse(version)) == name


@pytest.mark.parametrize("signal", metric_names.SIGNALS)
def test_every_signal_has_a_name_in_some_version(signal: str) -> None:
    assert all(metric_names.lookup(name) is not None for name in metric_names.SIGNALS[signal])
    assert any(metric_names.name(signal, parse(version)) for version in ("0.6.4", "0.32"))


@pytest.mark.parametrize(
    "text",
    [
        "vllm:num_preemptions_total",
        "num_preemptions",
        "vllm_num_preemptions_total",
        'vllm:num_preemptions_total{engine="0"}',
    ],
)
def test_names_as_people_write_them(text: str) -> None:
    metric = metric_names.lookup(text)
    assert metric is not None
    assert metric.name == "vllm:num_preemptions_total"


def test_a_name_that_changed_its_type_is_told_apart_by_version() -> None:
    old, new = (metric_names.lookup("cache_config_info", parse(version)) for version in ("0.5", "0.32"))
    assert old is not None
    assert new is not None
    assert (old.kind, new.kind) == ("info", "gauge")


def test_a_unit_that_changed_is_said() -> None:
    metric = metric_names.lookup("vllm:gpu_prefix_cache_hits_total")
    assert metric is not None
    assert metric.unit == "blocks until 0.8.5, tokens since 0.9.0"


@pytest.mark.parametrize(
    ("typed", "meant"), [("kv_cache_usage_percent", "vllm:kv_cache_usage_perc"), ("vllm:qqqq", None)]
)
def test_slips_are_recognised(typed: str, meant: str | None) -> None:
    assert metric_names.nearest(typed) == meant


def test_unknown_names_are_not_known() -> None:
    assert not metric_names.known("vllm:no_such_metric", parse("0.32"))
