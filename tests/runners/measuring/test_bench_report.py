"""The bench's own JSON: a real one of vLLM 0.32.0 (60 requests at 20 a second), and those that are broken."""

import json
from pathlib import Path
from typing import Any

import pytest

from runners.measuring.bench import Seen, error, progress
from runners.measuring.bench_report import Report, read
from runners.measuring.failure import RunFailed

CAPTURED = Path(__file__).parents[2] / "data" / "bench" / "bench-serve-0.32.0.json"


@pytest.fixture
def said() -> dict[str, Any]:
    return dict(json.loads(CAPTURED.read_text()))


def test_every_figure_is_the_files(said: dict[str, Any]) -> None:
    report = read(CAPTURED)
    assert (report.completed, report.failed, report.error_rate) == (60, 0, 0.0)
    assert report.request_rate == 20.0
    assert set(report.figures) == {"ttft", "tpot", "itl", "e2el"}
    assert report.figures["ttft"].p95 == said["p95_ttft_ms"]
    assert report.figures["itl"].mean == said["mean_itl_ms"]
    assert report.request_goodput == said["request_goodput"]


def test_requests_come_by_their_start(said: dict[str, Any]) -> None:
    rows = list(read(CAPTURED).rows())
    assert len(rows) == 60
    assert rows[0][0] == 0.0
    assert rows == sorted(rows)
    assert rows[-1][0] == pytest.approx(max(said["start_times"]) - min(said["start_times"]))
    assert {length for *_, length in rows} == {16}


def test_failed_requests_are_left_out_of_the_latencies(said: dict[str, Any]) -> None:
    said["errors"][3] = "Unauthorized"
    assert len(list(Report.of(said).good())) == 59


def test_a_rate_without_limit_is_none(said: dict[str, Any]) -> None:
    assert Report.of(said | {"request_rate": "inf"}).request_rate is None


def test_what_did_not_complete_failed_where_the_release_does_not_say(said: dict[str, Any]) -> None:
    del said["failed"]
    assert Report.of(said | {"completed": 45}).failed == 15


def test_a_metric_that_was_not_asked_for_is_left_out(said: dict[str, Any]) -> None:
    del said["p90_itl_ms"]
    assert set(Report.of(said).figures) == {"ttft", "tpot", "e2el"}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (None, "wrote no result"),
        ("{", "cannot be read"),
        ('{"completed": 3}', "cannot be read"),
        ("[]", "cannot be read"),
    ],
)
def test_a_result_that_is_none_is_said_so(tmp_path: Path, text: str | None, says: str) -> None:
    file = tmp_path / "result.json"
    if text is not None:
        file.write_text(text)
    with pytest.raises(RunFailed, match=says):
        read(file)


@pytest.mark.parametrize(
    ("printed", "seen"),
    [
        ("", Seen(False, 0, 0)),
        ("Warming up with 8 requests...\n 50%|█  | 4/8 [00:00<", Seen(False, 4, 8)),
        ("Warming up with 8 requests...\n8/8 [00:00<\nStarting main benchmark run...\n", Seen(True, 0, 0)),
        (
            "Starting main benchmark run...\nMaximum request concurrency: None\n\r 2%| | 1/50 [00:00<\r 28%| | 14/50 [00:01<",
            Seen(True, 14, 50),
        ),
    ],
)
def test_progress_is_read_from_the_bars(printed: str, seen: Seen) -> None:
    assert progress(printed) == seen


def test_the_line_that_tells_why_is_the_last_error(tmp_path: Path) -> None:
    log = tmp_path / "bench.log"
    log.write_text("Starting\nTraceback (most recent call last):\n  File x\nValueError: no tokenizer\nsome warning\n\n")
    assert error(log) == "ValueError: no tokenizer"
    log.write_text("only this\n")
    assert error(log) == "only this"
    log.write_text("")
    assert error(log) == ""
