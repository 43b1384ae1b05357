"""Figures as people read them: never without a unit, tokens with thousands separators."""

from knowledge.units import GIB, KIB, MIB, Range


def count(value: float) -> str:
    """A whole number with thousands separators, rounded down: a bound never promises too much."""
    return f"{int(value):,}"


def gib(size: float) -> str:
    """`size` GiB with three digits or so: 0.80, 1.25, 34.2, 134.0."""
    return f"{_gib(size)} GiB"


def gib_range(size: Range) -> str:
    """The expected size and, where it is not known exactly, its bounds."""
    low, expected, high = _bounds(size)
    return f"{expected} GiB" if low == high else f"{expected} GiB ({low}–{high} GiB)"


def gib_span(size: Range) -> str:
    """The bounds alone: where in between it lies is the question."""
    low, _, high = _bounds(size)
    return f"{low} GiB" if low == high else f"{low}–{high} GiB"


def count_range(value: Range) -> str:
    """The expected count and, where it is not known exactly, its bounds."""
    low, expected, high = (count(bound) for bound in (value.low, value.expected, value.high))
    return expected if low == high else f"{expected} ({low}–{high})"


def about(value: Range) -> str:
    """The expected count, marked as an estimate where it is one; three digits are all that an estimate knows."""
    if count(value.low) == count(value.high):
        return count(value.expected)
    return f"≈ {count(_three_digits(value.expected))}"


def size(in_bytes: float) -> str:
    """Bytes in the largest unit that leaves at least 1."""
    for unit, name in ((GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB")):
        if in_bytes >= unit:
            return f"{in_bytes / unit:,.4g} {name}"
    return f"{in_bytes:,.0f} B"


def _gib(size: float) -> str:
    return f"{size:,.2f}" if abs(size) < 9.995 else f"{size:,.1f}"


def _bounds(size: Range) -> tuple[str, str, str]:
    return _gib(size.low), _gib(size.expected), _gib(size.high)


def _three_digits(value: float) -> float:
    whole = int(value)
    step: int = 10 ** max(len(str(whole)) - 3, 0)
    return whole // step * step
