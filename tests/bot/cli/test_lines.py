"""JSON lines in, JSON lines out: whatever comes, every line gets one answer."""

import io
import json
from typing import Any

import pytest

from bot.cli import lines
from bot.world import World
from knowledge.errors import Refusal


def served(sent: bytes) -> list[dict[str, Any]]:
    """The answers of a bot that repeats the text, refuses `no` and breaks on `bug`."""
    out = io.StringIO()
    world = World(environment={}, stdin=io.BytesIO(sent), stdout=out, stderr=io.StringIO())
    lines.serve(world, _answer)
    return [json.loads(line) for line in out.getvalue().splitlines()]


def _answer(asked: dict[str, Any]) -> dict[str, Any]:
    match asked.get("text"):
        case "no":
            raise Refusal("unknown-model", "`no` is not a listed model.", "Give its Hugging Face id.")
        case "bug":
            raise ZeroDivisionError
    return {"text": asked.get("text")}


@pytest.mark.parametrize("line_id", [1, "a", 1.5, None, [1, {"b": 2}], True, "\ud800"], ids=str)
def test_the_id_is_copied_unchanged(line_id: Any) -> None:
    for text in ("yes", "no", "bug"):
        assert served(json.dumps({"id": line_id, "text": text}).encode())[0]["id"] == line_id


def test_a_line_without_an_id_has_a_null_one() -> None:
    assert served(b'{"text": "yes"}\n') == [{"text": "yes", "id": None}]


def test_a_refusal_is_an_error_and_a_hint() -> None:
    assert served(b'{"id": 1, "text": "no"}') == [
        {"id": 1, "error": "`no` is not a listed model.", "hint": "Give its Hugging Face id."}
    ]


def test_a_bug_has_a_reference_and_does_not_stop_the_rest() -> None:
    first, second = served(b'{"id": 1, "text": "bug"}\n{"id": 2, "text": "yes"}\n')
    assert first["error"].startswith("That went wrong on my side; the reference is ")
    assert second == {"text": "yes", "id": 2}


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(b"{", id="broken"),
        pytest.param(b"not json", id="no JSON"),
        pytest.param(b'{"id": NaN}', id="NaN"),
        pytest.param(b'{"id": -Infinity}', id="infinite"),
        pytest.param(b"[1]", id="a list"),
        pytest.param(b"7", id="a number"),
        pytest.param(b'{"id": 1, "text": "\xff"}', id="not UTF-8"),
        pytest.param(b"\x00\x01", id="control characters"),
        pytest.param(b"[" * 100_000, id="nested without end"),
        pytest.param(b'{"id": ' + b"9" * 5000 + b"}", id="a number of 5,000 digits"),
        pytest.param(b'{"text": "' + b"x" * (lines.LONGEST + 10) + b'"}', id="longer than a line may be"),
    ],
)
def test_a_line_that_cannot_be_read_is_answered_and_the_next_one_too(line: bytes) -> None:
    first, second = served(line + b'\n{"id": 2, "text": "yes"}\n')
    assert first["id"] is None
    assert set(first) == {"id", "error", "hint"}
    assert second == {"text": "yes", "id": 2}


def test_blank_lines_are_passed_over_and_the_last_needs_no_newline() -> None:
    assert [answer["id"] for answer in served(b'\n  \n{"id": 1}\r\n\n{"id": 2}')] == [1, 2]


def test_a_last_line_that_is_too_long_is_answered() -> None:
    assert [answer["id"] for answer in served(b"x" * (2 * lines.LONGEST + 5))] == [None]
    assert [answer["id"] for answer in served(b"x" * lines.LONGEST)] == [None]


def test_a_number_that_is_no_float_is_refused_where_it_is_used() -> None:
    assert served(b'{"id": 1e999, "text": "yes"}')[0]["id"] is None


def test_chinese_stays_readable() -> None:
    assert lines.compact({"text": "放得下"}) == '{"text": "放得下"}'
    assert lines.compact({"text": "\ud800"}) == '{"text": "\\ud800"}'


@pytest.mark.parametrize(
    ("line", "said"),
    [
        pytest.param(b'{"id": "a", "count": NaN}', "`NaN`", id="NaN"),
        pytest.param(b'{"id": "a", "count": [-Infinity]}', "`-Infinity`", id="infinite, inside a list"),
        pytest.param(b'{"id": "a", "count": 1e999}', "`1e999`", id="beyond what a float holds"),
    ],
)
def test_what_is_no_number_is_refused_and_the_id_comes_back(line: bytes, said: str) -> None:
    (answer,) = served(line)
    assert answer["id"] == "a"
    assert answer["error"] == f"{said} is not a number that JSON has."
    assert answer["hint"]


def test_a_stream_that_cannot_hold_a_character_gets_it_escaped() -> None:
    assert lines.compact({"id": "放"}, "ascii") == '{"id": "\\u653e"}'
