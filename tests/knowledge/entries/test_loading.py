"""Entries are read from their files, one by one, and from a team's folder beside ours."""

import pytest

from knowledge.entries.loading import find, ids, load
from knowledge.errors import Refusal
from tests.knowledge.entries.conftest import Written


def test_an_entry_of_a_team_stands_for_ours(written: Written) -> None:
    folder = written()
    (folder / "max-num-seqs.toml").write_text((folder / "second.toml").read_text(encoding="utf-8"), encoding="utf-8")
    assert find("max-num-seqs", folder).en.title == "How many at once"
    assert find("queueing", folder) == find("queueing")
    assert find("first", folder).text("zh").title == "同时多少请求"
    assert ids(folder) == ("first", "max-num-seqs", "second")


def test_a_file_that_is_no_entry_is_refused_with_every_fault(written: Written) -> None:
    folder = written(('title = "How many at once"\n', ""), ("names", "namez"))
    with pytest.raises(Refusal) as refused:
        load("first", folder)
    assert (
        refused.value.error
        == "`first` is not an entry: en.title: Field required; namez: Extra inputs are not permitted."
    )


def test_a_file_that_is_not_there_is_refused(written: Written) -> None:
    with pytest.raises(Refusal, match="There is no entry `third`"):
        load("third", written())
