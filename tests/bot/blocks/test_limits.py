"""Cutting text to Slack's limits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.blocks.limits import clip, split


@pytest.mark.parametrize(
    ("text", "limit", "cut"),
    [
        pytest.param("short", 10, "short", id="fits"),
        pytest.param("a long line", 7, "a long…", id="cut"),
        pytest.param("", 10, "–", id="never empty"),
        pytest.param(" \n", 10, "–", id="never blank"),
    ],
)
def test_clipping(text: str, limit: int, cut: str) -> None:
    assert clip(text, limit) == cut


def test_a_split_prefers_line_ends_to_spaces_to_anything() -> None:
    assert split("one\ntwo three", 9) == ["one", "two three"]
    assert split("one two three", 9) == ["one two", "three"]
    assert split("x" * 10, 4) == ["xxxx", "xxxx", "xx"]
    assert split("", 4) == []


@given(st.text(max_size=300), st.integers(min_value=2, max_value=50))
def test_no_piece_is_longer_than_the_limit_and_no_word_is_lost(text: str, limit: int) -> None:
    pieces = split(text, limit)
    assert all(len(piece) <= limit for piece in pieces)
    assert "".join("".join(pieces).split()) == "".join(text.split())
    assert 1 <= len(clip(text, limit)) <= limit
