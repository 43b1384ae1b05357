"""What comes from outside is checked once, and its faults are sentences."""

import math
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict, Field

from bot.outside import checked, nearest, shown
from bot.settings import Settings
from knowledge.errors import Refusal


class Order(BaseModel):
    model_config = ConfigDict(extra="forbid")

    count: int = Field(ge=1)
    share: float = 0.5
    name: str = "x"


@pytest.mark.parametrize(
    ("values", "code", "error"),
    [
        pytest.param(
            {"count": 0}, "bad-value", "`count` should be greater than or equal to 1, not `0`.", id="too small"
        ),
        pytest.param({"count": "four"}, "bad-value", "`count` should be a valid integer", id="not a number"),
        pytest.param({"count": 1, "share": math.inf}, "bad-value", "`share` should be a finite number", id="infinite"),
        pytest.param({}, "missing-key", "`count` is missing.", id="missing"),
        pytest.param({"count": 1, "cuont": 2}, "unknown-key", "`cuont` is not known.", id="unknown"),
        pytest.param(
            {"count": 0, "nmae": "y"}, "unknown-key", "`nmae` is not known.", id="a misspelt key before a bad value"
        ),
    ],
)
def test_the_first_fault_is_named(values: dict[str, Any], code: str, error: str) -> None:
    with pytest.raises(Refusal) as fault:
        checked(Order, values)
    assert (fault.value.code, fault.value.error.startswith(error.removesuffix("."))) == (code, True)


def test_an_unknown_key_names_the_nearest_one() -> None:
    with pytest.raises(Refusal) as fault:
        checked(Order, {"count": 1, "shrae": 0.1})
    assert fault.value.hint == "Did you mean `share`?"


def test_a_key_like_no_other_lists_all_of_them() -> None:
    with pytest.raises(Refusal) as fault:
        checked(Order, {"count": 1, "zzzzzzzz": 0.1})
    assert fault.value.hint == "Known are `count`, `name`, `share`."


@pytest.mark.parametrize(
    ("values", "hint"),
    [
        pytest.param({"default": {}}, "Did you mean `defaults`?", id="a section"),
        pytest.param({"defaults": {"languege": "en"}}, "Did you mean `language`?", id="a key in a section"),
        pytest.param({"channels": {"ops": {"langage": "zh"}}}, "Did you mean `language`?", id="a key of a named table"),
    ],
)
def test_nested_keys_are_compared_with_their_own_section(values: dict[str, Any], hint: str) -> None:
    with pytest.raises(Refusal) as fault:
        checked(Settings, values)
    assert fault.value.hint == hint


def test_a_repeated_value_is_short_and_printable() -> None:
    assert shown("a\x1b[31m\nb" + "c" * 500) == "a [31m b" + "c" * 51 + "…"
    assert shown(4) == "4"


def test_nothing_near_is_none() -> None:
    assert nearest("qqqq", ["language", "model"]) is None


def test_what_must_be_there_is_not_to_be_left_out() -> None:
    with pytest.raises(Refusal) as fault:
        checked(Order, {"count": "four"})
    assert fault.value.hint == "Give another value for `count`."
    with pytest.raises(Refusal) as fault:
        checked(Order, {"count": 1, "share": "half"})
    assert fault.value.hint == "Give another value for `share`, or leave it out."
