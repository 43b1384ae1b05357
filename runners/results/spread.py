"""Repeats of one figure: their mean, how far they lie apart, and where the mean may be."""

from collections.abc import Sequence
from math import sqrt
from statistics import fmean, stdev

from pydantic import BaseModel, ConfigDict

from runners.results.t_table import t975

NOISY = 0.05  # AIPerf repeats until the coefficient of variation is below this


class Spread(BaseModel):
    """One figure over the repeats. `low` and `high` are the 95 % t-interval of the mean, None of a single repeat."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    values: tuple[float, ...]
    mean: float
    low: float | None
    high: float | None

    @property
    def variation(self) -> float | None:
        """The standard deviation by the mean; None of a single repeat, or of a mean of 0."""
        return stdev(self.values) / abs(self.mean) if len(self.values) > 1 and self.mean else None

    @property
    def noisy(self) -> bool:
        """Whether the repeats lie further apart than a steady server's."""
        return self.variation is not None and self.variation > NOISY


def spread(values: Sequence[float]) -> Spread:
    """The spread of at least one value."""
    mean = fmean(values)
    if len(values) < 2:
        return Spread(values=tuple(values), mean=mean, low=None, high=None)
    half = t975(len(values) - 1) * stdev(values) / sqrt(len(values))
    return Spread(values=tuple(values), mean=mean, low=mean - half, high=mean + half)
