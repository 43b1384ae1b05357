"""The index finds exactly what looking for every needle would find."""

import random
import string

import pytest

from knowledge.logs.needles import Needles


@pytest.mark.parametrize("before", range(9))
def test_a_needle_is_found_at_every_place(before: int) -> None:
    index = Needles([("out of memory", 1), ("OOM", 2)])
    assert index.owners("." * before + "out of memory") == [1]
    assert index.owners("." * before + "OOM") == [2]


def test_owners_come_in_order_and_once() -> None:
    index = Needles([("second thing", 2), ("first thing", 1), ("first thing too", 1)])
    assert index.owners("second thing, first thing too") == [1, 2]


def test_nothing_is_found_in_an_empty_text() -> None:
    assert Needles([("out of memory", 1)]).owners("") == []


def test_it_agrees_with_looking_one_by_one() -> None:
    chance = random.Random(7)
    letters = string.ascii_lowercase[:4]
    needles = [("".join(chance.choices(letters, k=chance.randint(2, 12))), number) for number in range(200)]
    index = Needles(needles)
    for _ in range(300):
        text = "".join(chance.choices(letters, k=chance.randint(0, 60)))
        assert index.owners(text) == sorted({number for needle, number in needles if needle in text})
