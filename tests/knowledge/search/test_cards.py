"""What the search keeps between calls is the same as what it works out anew."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from knowledge import shelf
from knowledge.entries.loading import load
from knowledge.search.cards import cards

ENTRY = """
related = ["other"]
applies_to = { since = "0.8", until = "0.11" }
en = { title = "A", short = "B.", mechanism = "C.", symptoms = ["queue one", "queue two", "the"], not_shown = "D." }
zh = { title = "甲", short = "乙。", mechanism = "丙。", symptoms = ["排队一", "排队二", "排队三"], not_shown = "丁。" }
steps = [{ en = "E.", zh = "戊。" }]
evidence = [{ source = "x", version = "0.11", date = 2026-12-01, status = "reported" }]
"""


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Path]:
    """A folder in which things are kept for the time of a test."""
    folder = tmp_path / "cache"
    shelf.keep_in(folder)
    yield folder
    shelf.keep_in(None)


@pytest.fixture
def entries(tmp_path: Path) -> Path:
    """A folder with one entry."""
    folder = tmp_path / "entries"
    folder.mkdir()
    (folder / "one.toml").write_text(ENTRY, encoding="utf-8")
    return folder


def test_what_is_kept_is_read_again(kept: Path, entries: Path) -> None:
    worked_out = cards(entries)
    assert len(list(kept.iterdir())) == 1
    assert cards(entries) == worked_out
    assert worked_out[0].since == "0.8"
    assert all(worked_out[0].lines)


def test_a_changed_entry_is_read_anew_and_the_old_file_goes(kept: Path, entries: Path) -> None:
    before = cards(entries)
    (entries / "one.toml").write_text(ENTRY.replace("queue one", "preempted"), encoding="utf-8")
    load.cache_clear()
    assert cards(entries) != before
    assert len(list(kept.iterdir())) == 1


@pytest.mark.parametrize("spoilt", ["", "{", "[1]", '[{"id": "x"}]', '[{"lines": 3}]', '{"a": 1}', "\xff"])
def test_a_spoilt_file_is_worked_out_again(kept: Path, entries: Path, spoilt: str) -> None:
    worked_out = cards(entries)
    next(kept.iterdir()).write_bytes(spoilt.encode("latin-1"))
    assert cards(entries) == worked_out


def test_a_folder_that_cannot_be_written_keeps_nothing(tmp_path: Path, entries: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    shelf.keep_in(tmp_path / "file" / "cache")
    try:
        assert cards(entries) == cards(entries)
    finally:
        shelf.keep_in(None)
