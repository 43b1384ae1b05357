"""What a /metrics page says, of old releases and new ones, of one engine and of several."""

import pytest

from runners.measuring.scrape import Sample, Watched, read, watched

# lines of a page of vLLM 0.32.0 under load (CPU)
NEW = """\
# HELP vllm:num_requests_running Number of requests in model execution batches.
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="tiny-real"} 16.0
vllm:num_requests_waiting{engine="0",model_name="tiny-real"} 8.0
vllm:num_requests_waiting_by_reason{engine="0",model_name="tiny-real",reason="capacity"} 8.0
vllm:kv_cache_usage_perc{engine="0",model_name="tiny-real"} 0.0039067268953729695
vllm:prefix_cache_queries_total{engine="0",model_name="tiny-real"} 7841.0
vllm:prefix_cache_queries_created{engine="0",model_name="tiny-real"} 1.7960843476347601e+09
vllm:prefix_cache_hits_total{engine="0",model_name="tiny-real"} 0.0
vllm:num_preemptions_total{engine="0",model_name="tiny-real"} 0.0
vllm:prompt_tokens_total{engine="0",model_name="tiny-real"} 7841.0
vllm:generation_tokens_total{engine="0",model_name="tiny-real"} 6907.0
vllm:request_success_total{engine="0",finished_reason="stop",model_name="tiny-real"} 0.0
vllm:request_success_total{engine="0",finished_reason="length",model_name="tiny-real"} 83.0
vllm:request_success_total{engine="0",finished_reason="abort",model_name="tiny-real"} 2.0
vllm:request_queue_time_seconds_sum{engine="0",model_name="tiny-real"} 4.15
vllm:request_queue_time_seconds_count{engine="0",model_name="tiny-real"} 83.0
"""


def test_a_page_of_0_32() -> None:
    assert read(NEW, 5.0) == Sample(
        at=5.0,
        running=16,
        waiting=8,
        kv_usage=0.0039067268953729695,
        preemptions=0,
        prefix_hits=0,
        prefix_queries=7841,
        finished=85,
        prompt_tokens=7841,
        generation_tokens=6907,
        queue_seconds=4.15,
        queue_count=83,
    )


def test_a_page_of_a_release_with_the_old_names() -> None:
    page = NEW.replace("vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc").replace(
        "vllm:prefix_cache_", "vllm:gpu_prefix_cache_"
    )
    assert read(page, 5.0) == read(NEW, 5.0)


def test_several_engines_are_added_up_and_the_fullest_counts() -> None:
    second = NEW.replace('engine="0"', 'engine="1"').replace("} 16.0", "} 4.0").replace("} 0.0039", "} 0.5039")
    sample = read(NEW + second, 5.0)
    assert (sample.running, sample.waiting, sample.finished) == (20, 16, 170)
    assert sample.kv_usage == pytest.approx(0.5039067268953729695)


@pytest.mark.parametrize("page", ["", "<html>Bad gateway</html>", "vllm:num_requests_running{ oops", "{}"])
def test_what_is_no_page_says_nothing(page: str) -> None:
    assert read(page, 1.0) == Sample(at=1.0)


def test_looks_add_up_between_the_first_and_the_last() -> None:
    looks = [
        Sample(at=0, running=0, waiting=0, kv_usage=0, preemptions=1, prefix_hits=10, prefix_queries=100, finished=5),
        Sample(at=1, running=8, waiting=0, kv_usage=0.25, preemptions=1),
        Sample(at=2, running=16, waiting=4, kv_usage=0.5, preemptions=2),
        Sample(at=3, running=0, waiting=0, kv_usage=0, preemptions=4, prefix_hits=40, prefix_queries=200, finished=25),
    ]  # fmt: skip
    assert watched(looks) == Watched(
        looks=4,
        running_mean=12,
        running_peak=16,
        waiting_mean=2,
        waiting_peak=4,
        kv_usage_mean=0.375,
        kv_usage_peak=0.5,
        preemptions=3,
        prefix_hit_rate=0.3,
        finished=20,
    )


def test_the_mean_wait_is_of_those_that_waited_meanwhile() -> None:
    seen = watched([Sample(at=0, queue_seconds=2.0, queue_count=10), Sample(at=1, queue_seconds=5.0, queue_count=16)])
    assert seen.queue_s == 0.5


def test_a_counter_that_fell_is_not_a_difference() -> None:
    assert watched([Sample(at=0, finished=50), Sample(at=1, finished=3)]).finished is None


def test_without_looks_nothing_is_known() -> None:
    assert watched([]) == Watched()
    assert watched([Sample(at=0, running=3)]).running_mean == 3
