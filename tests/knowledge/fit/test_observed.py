"""Starts are kept in a file that many may write to and nothing can break."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from knowledge.fit.observed import Missing, Observed, ObservedFile, minor, of_start, remember, request_of
from knowledge.fit.observed_start import ObservedStart

WHEN = datetime(2026, 1, 2, tzinfo=UTC)
START = ObservedStart(
    model="Qwen/Qwen3-8B", version="0.32.0", tp=2, utilization=0.9, kv_gib=50.0, total_gib=79.1, max_model_len=8192, activation_gib=2.2,
    graphs_estimated_gib=0.8, peak_has_graphs=True,
)  # fmt: skip


def kept(start: ObservedStart = START, host: str = "gpu-01") -> Observed:
    found = of_start(start, host, "Qwen/Qwen3-8B", WHEN)
    assert isinstance(found, Observed)
    return found


def test_a_start_keeps_the_peak_without_the_graphs_that_its_line_counts_in() -> None:
    assert (kept().activation_gib, kept().graphs_gib) == (1.4, 0.8)


@pytest.mark.parametrize("name", ["version", "utilization", "kv_gib", "total_gib"])
def test_what_a_log_lacks_is_named(name: str) -> None:
    start = replace(START)
    setattr(start, name, None)
    assert of_start(start, "gpu-01", "m", WHEN) == Missing((name,))


def test_a_model_that_nobody_knows_is_named_too() -> None:
    assert of_start(START, "gpu-01", None, WHEN) == Missing(("model",))


def test_what_no_start_can_have_is_not_kept() -> None:
    assert of_start(replace(START, utilization=7.0), "gpu-01", "m", WHEN) == Missing(("utilization",))


def test_ranks_stand_for_the_layout_where_no_flag_does() -> None:
    assert kept(replace(START, tp=None, ranks={0, 1, 2, 3})).tp == 4


def test_what_was_kept_is_read_again(tmp_path: Path) -> None:
    file = ObservedFile(tmp_path / "new" / "observed.jsonl")
    remember(kept(), file)
    assert file.on("gpu-01") == (kept(),)
    assert file.on("gpu-02") == ()


def test_the_latest_start_of_a_kind_counts(tmp_path: Path) -> None:
    file = ObservedFile(tmp_path / "observed.jsonl")
    for kv in (50.0, 49.0):
        file.add(kept(replace(START, kv_gib=kv)))
    file.add(kept(replace(START, version="0.31.0")))
    assert [each.kv_gib for each in file.all()] == [49.0, 50.0]


def test_lines_that_cannot_be_read_are_passed_over(tmp_path: Path) -> None:
    file = ObservedFile(tmp_path / "observed.jsonl")
    file.path.write_bytes(b'{"host": 1}\nnot json\n\xff\xfe\n')
    file.add(kept())
    assert file.all() == (kept(),)


def test_a_file_that_is_not_there_has_no_starts(tmp_path: Path) -> None:
    assert ObservedFile(tmp_path / "none.jsonl").all() == ()


def test_only_its_owner_reads_the_file(tmp_path: Path) -> None:
    file = ObservedFile(tmp_path / "observed.jsonl")
    file.add(kept())
    assert file.path.stat().st_mode & 0o077 == 0


def test_the_question_behind_a_start_is_asked_again() -> None:
    asked = request_of(kept())
    assert (asked.model, asked.count, asked.tp, asked.context, asked.vllm_version) == (
        "Qwen/Qwen3-8B",
        2,
        2,
        8192,
        "0.32.0",
    )


@pytest.mark.parametrize(
    ("version", "expected"), [("0.32.1", "0.32"), ("v0.6.4.post1", "0.6"), ("0.9.1.dev3+g1", "0.9")]
)
def test_patches_of_a_release_are_one(version: str, expected: str) -> None:
    assert minor(version) == expected
