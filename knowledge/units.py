"""Bytes, GiB, and figures that are known only within a range."""

from dataclasses import dataclass

KIB = 2**10
MIB = 2**20
GIB = 2**30


def gib(size: float) -> float:
    """`size` bytes in GiB."""
    return size / GIB


@dataclass(frozen=True, slots=True)
class Range:
    """What a figure is expected to be, and the bounds that hold it in 9 of 10 cases. low <= expected <= high."""

    low: float
    expected: float
    high: float

    @classmethod
    def exact(cls, value: float) -> "Range":
        """A figure that is known."""
        return cls(value, value, value)

    @classmethod
    def spread(cls, expected: float, below: float, above: float) -> "Range":
        """`expected`, at most `below` less and `above` more."""
        return cls(expected - below, expected, expected + above)

    def __add__(self, other: "Range") -> "Range":
        return Range(self.low + other.low, self.expected + other.expected, self.high + other.high)

    def __sub__(self, other: "Range") -> "Range":
        return Range(self.low - other.high, self.expected - other.expected, self.high - other.low)

    def scaled(self, factor: float) -> "Range":
        """Every bound times `factor` (>= 0)."""
        return Range(self.low * factor, self.expected * factor, self.high * factor)
