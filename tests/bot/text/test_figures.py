"""Figures as people read them."""

import pytest

from bot.text import figures
from knowledge.units import GIB, KIB, MIB, Range


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.803, "0.80 GiB"),
        (1.25, "1.25 GiB"),
        (9.999, "10.0 GiB"),
        (34.24, "34.2 GiB"),
        (1234.5, "1,234.5 GiB"),
        (-3.2, "-3.20 GiB"),
    ],
)
def test_gib_keep_about_three_digits(value: float, shown: str) -> None:
    assert figures.gib(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        pytest.param(Range.exact(2.0), "2.00 GiB", id="known"),
        pytest.param(Range(33.1, 34.2, 35.0), "34.2 GiB (33.1–35.0 GiB)", id="within bounds"),
    ],
)
def test_a_size_shows_its_bounds_where_it_has_any(value: Range, shown: str) -> None:
    assert figures.gib_range(value) == shown


def test_a_span_shows_the_bounds_alone() -> None:
    assert figures.gib_span(Range(1.6, 1.9, 2.4)) == "1.60–2.40 GiB"
    assert figures.gib_span(Range.exact(1.6)) == "1.60 GiB"


def test_tokens_have_thousands_separators_and_are_rounded_down() -> None:
    assert figures.count(131_072.9) == "131,072"
    assert figures.count_range(Range(26.4, 27.9, 28.1)) == "27 (26–28)"
    assert figures.count_range(Range.exact(32_768)) == "32,768"


def test_an_estimate_is_marked_and_has_three_digits() -> None:
    assert figures.about(Range(430_000, 448_266, 460_000)) == "≈ 448,000"
    assert figures.about(Range.exact(32_768)) == "32,768"
    assert figures.about(Range(26, 27, 28)) == "≈ 27"


@pytest.mark.parametrize(
    ("value", "shown"),
    [(512, "512 B"), (320 * KIB, "320 KiB"), (70_272, "68.62 KiB"), (160 * MIB, "160 MiB"), (4 * GIB, "4 GiB")],
)
def test_bytes_come_in_the_largest_unit(value: int, shown: str) -> None:
    assert figures.size(value) == shown
