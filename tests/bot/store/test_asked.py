"""Questions and opinions are read from the store, whoever holds it."""

from pathlib import Path

import pytest

from bot.store.asked import Asked, asked
from bot.store.questions import Question
from bot.store.store import open_store
from knowledge.errors import Refusal


def test_answered_questions_come_with_their_thumbs(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    with open_store(path, lambda: 1.0) as store:
        for key, text in (("a", "why slow"), ("b", "no answer yet"), ("c", "taken back")):
            store.questions.add(Question(key=key, channel="C", ts=key, thread="", user="U", text=text))
        for key in ("a", "c"):
            store.questions.answered(key, "{}", "en")
        store.questions.delete(Question(key="c", channel="C", ts="c", thread="", user="U", text=""))
        store.feedback.rate("a", "U1", "not-helpful")
        store.feedback.rate("a", "U2", "helpful")
        assert list(asked(path)) == [Asked("why slow", 1)]


def test_questions_in_direct_messages_can_be_left_out(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    with open_store(path, lambda: 1.0) as store:
        for channel in ("C1", "D1", "G1"):
            store.questions.add(Question(key=channel, channel=channel, ts="1", thread="", user="U", text=channel))
            store.questions.answered(channel, "{}", "en")
        assert [each.text for each in asked(path, direct=False)] == ["C1", "G1"]
        assert [each.text for each in asked(path)] == ["C1", "D1", "G1"]


def test_a_store_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refusal, match="There is no store"):
        asked(tmp_path / "none.sqlite")


def test_a_file_that_is_no_store_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("hello", encoding="utf-8")
    with pytest.raises(Refusal, match="cannot be read as the store"):
        asked(tmp_path / "x")
