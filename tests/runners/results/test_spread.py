"""Repeats of one figure: mean and 95 % t-interval, by published tables."""

import pytest

from runners.results.spread import spread
from runners.results.t_table import t975


@pytest.mark.parametrize(
    ("degrees", "quantile"),
    # NIST/SEMATECH e-Handbook, table 1.3.6.7.2, column 0.975; beyond 30 rows that ours does not have
    [(1, 12.706), (2, 4.303), (5, 2.571), (10, 2.228), (30, 2.042), (40, 2.021), (60, 2.000), (100, 1.984)],
)
def test_quantiles_are_the_published_ones(degrees: int, quantile: float) -> None:
    assert t975(degrees) == pytest.approx(quantile, abs=0.002)


def test_between_two_rows_it_lies_between_them() -> None:
    assert t975(3) < t975(2.5) < t975(2)
    assert t975(10_000) == pytest.approx(1.960, abs=0.001)


def test_an_interval_by_hand() -> None:
    found = spread([98.0, 100.0, 102.0])  # s = 2, s/√3 = 1.1547, × 4.303
    assert found.mean == 100.0
    assert found.low == pytest.approx(95.031, abs=0.001)
    assert found.high == pytest.approx(104.969, abs=0.001)
    assert found.variation == pytest.approx(0.02)
    assert not found.noisy


def test_one_value_has_no_interval() -> None:
    found = spread([5.0])
    assert (found.mean, found.low, found.high, found.variation, found.noisy) == (5.0, None, None, None, False)


def test_values_that_lie_far_apart_are_noisy() -> None:
    assert spread([90.0, 100.0, 110.0]).noisy
    assert spread([0.0, 0.0]).variation is None
