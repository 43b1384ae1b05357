"""A result over time, as rows, and as files."""

import csv
import io
import json
from collections.abc import Callable
from typing import Any

import pytest

from runners.jobs.job import Job
from runners.jobs.journal import Journal
from runners.jobs.spec import BenchSpec
from runners.measuring.bench_report import Report
from runners.measuring.failure import Failure, Layer
from runners.results.comparison import compare
from runners.results.course import course
from runners.results.export import as_csv, as_json, as_markdown, commands, comparison_object
from runners.results.result import Result, Start
from runners.results.summary import latencies, predicted_beside_observed, server_figures, throughputs
from runners.results.truth import Flag

Make = Callable[..., Any]


@pytest.fixture
def job(journal: Journal, make_spec: Callable[..., BenchSpec]) -> Job:
    return journal.request("m1", make_spec(), owner="U1", desk="serve")


def report(rows: list[tuple[float, float, float, int]]) -> Report:
    """Requests as (start, ttft, latency, tokens)."""
    starts, ttfts, whole, lengths = zip(*rows, strict=True) if rows else ((), (), (), ())
    return Report(
        completed=len(rows),
        num_prompts=len(rows),
        duration=1.0,
        total_input_tokens=1,
        total_output_tokens=1,
        request_throughput=1.0,
        output_throughput=1.0,
        total_token_throughput=1.0,
        start_times=starts,
        ttfts=ttfts,
        latencies=whole,
        output_lens=lengths,
        errors=("",) * len(rows),
    )


def test_a_course_has_a_slice_a_second() -> None:
    slices = course(report([(10.0, 0.1, 0.5, 10), (10.5, 0.3, 0.4, 10), (12.0, 0.5, 2.5, 40)]))
    assert [(each.at, each.started) for each in slices] == [(0, 2), (1, 0), (2, 1), (3, 0), (4, 0)]
    assert slices[0].ttft_ms == pytest.approx(200.0)
    assert slices[1].ttft_ms is None
    assert [each.tokens for each in slices] == pytest.approx([20.0, 0.0, 10.0, 20.0, 10.0])  # 40 from 2.5 to 4.5


def test_a_long_course_is_drawn_in_as_many_slices_as_can_be_seen() -> None:
    slices = course(report([(float(place), 0.1, 0.2, 5) for place in range(2400)]))
    assert len(slices) == 240
    assert sum(each.tokens for each in slices) * slices[1].at == pytest.approx(2400 * 5)
    assert course(report([])) == ()


def test_rows_have_every_latency_and_throughput(make_result: Make) -> None:
    result = make_result(98, 100, 102)
    rows = latencies(result)
    assert [row.name for row in rows] == ["ttft", "tpot", "itl", "e2el"]
    assert rows[0].percentiles["p95"].mean == 200.0
    assert list(throughputs(result)) == [
        "request_throughput",
        "output_throughput",
        "total_token_throughput",
        "error_rate",
    ]
    assert server_figures(result) == {
        "kv_usage_peak": 0.5,
        "waiting_peak": 2.0,
        "queue_s": pytest.approx(0.01),
        "preemptions": 3.0,
    }


def test_a_figure_that_a_repeat_lacks_is_left_out(make_result: Make, make_repeat: Make) -> None:
    result = make_result(100, 100)
    repeats = (result.repeats[0], make_repeat(2, goodput=5.0))
    assert "goodput" not in result.model_copy(update={"repeats": repeats}).spreads()
    both = (make_repeat(1, goodput=4.0), make_repeat(2, goodput=6.0))
    assert result.model_copy(update={"repeats": both}).spreads()["goodput"].mean == 5.0


def test_flags_of_all_repeats_come_together(make_result: Make, make_repeat: Make) -> None:
    result = make_result(80, 120)
    assert result.flags == (Flag.NOISY,)
    kept = tuple(repeat.model_copy(update={"cache_reset": False}) for repeat in result.repeats)
    assert result.model_copy(update={"repeats": kept}).flags == (Flag.CACHE_NOT_RESET, Flag.NOISY)
    assert make_result().flags == ()


def test_what_was_predicted_stands_beside_what_was_seen(make_result: Make) -> None:
    predicted = {"per_gpu_gib": {"weights": 14.2, "kv_cache": 50.1}, "kv_cache_tokens": {"expected": 900_000}}
    start = Start(seconds=40.0, observed={"weights_gib": 14.25, "kv_tokens": 905_000})
    result = make_result(100, predicted=predicted, start=start)
    assert predicted_beside_observed(result) == {"weights_gib": (14.2, 14.25), "kv_tokens": (900_000.0, 905_000.0)}
    assert predicted_beside_observed(make_result(100)) == {}


def test_a_run_as_json_is_read_back_whole(job: Job, make_result: Make) -> None:
    result = make_result(98, 100, 102)
    said = json.loads(as_json(job, result))
    assert (said["run"], said["hash"], said["state"]) == (1, job.hash, "requested")
    assert Result.model_validate(said["result"]) == result
    assert BenchSpec.model_validate(said["spec"]).hash == job.hash
    assert said["figures"]["ttft_mean_ms"]["mean"] == 100.0
    assert json.loads(as_json(job, None))["result"] is None


def test_a_run_as_csv_has_a_figure_a_line(job: Job, make_result: Make) -> None:
    rows = list(csv.DictReader(io.StringIO(as_csv(job, make_result(98, 100, 102)))))
    first = rows[0]
    assert (first["run"], first["figure"], first["mean"], first["repeat 3"]) == ("1", "ttft_mean_ms", "100", "102")
    assert len(rows) == 24
    assert list(csv.DictReader(io.StringIO(as_csv(job, None)))) == []


def test_a_run_as_markdown_has_a_table_and_the_commands(job: Job, make_result: Make) -> None:
    text = as_markdown(
        job, make_result(98, 100, serve_command=("vllm", "serve", "org/model"), bench_commands=(("vllm",),))
    )
    assert "| ttft_mean_ms | 99 |" in text
    assert "vllm serve org/model" in text
    failed = make_result(failure=Failure(layer=Layer.HOST, why="GPU 0 is in use."))
    assert "|" not in as_markdown(job, failed)


def test_commands_are_what_a_shell_takes(make_result: Make) -> None:
    result = make_result(1, serve_command=("vllm", "serve", "org/a b"))
    assert result.fingerprint is not None
    told = result.fingerprint.model_copy(update={"environment": {"VLLM_X": "1 2"}})
    assert commands(result.model_copy(update={"fingerprint": told})) == ["VLLM_X='1 2' vllm serve 'org/a b'"]
    assert commands(make_result(1, fingerprint=None)) == []


def test_a_comparison_as_json(make_result: Make) -> None:
    said = comparison_object(compare(make_result(100, 101, 99), make_result(80, 81, 79, serve={"--seed": 1})))
    assert (said["comparable"], said["declared"], said["differs"]) == (
        True,
        "serve.--seed",
        {"serve.--seed": [None, 1]},
    )
    assert said["figures"][0]["verdict"] == "better"
    json.dumps(said)
