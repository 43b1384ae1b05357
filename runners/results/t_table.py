"""Student's t, two-sided 95 %: the one statistic that repeats need, without a statistics library."""

# Quantile 0.975 by degrees of freedom: NIST/SEMATECH e-Handbook of Statistical Methods, table 1.3.6.7.2.
_BY_DEGREES = (
    *(12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228),
    *(2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086),
    *(2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042),
)
_NORMAL = 1.960  # infinitely many degrees of freedom


def t975(degrees: float) -> float:
    """The quantile; `degrees` >= 1, whole or not. Between the table's rows it is interpolated in 1/degrees, as is usual for t."""
    if degrees <= len(_BY_DEGREES):
        below = int(degrees)
        lower = _BY_DEGREES[below - 1]
        upper = _BY_DEGREES[min(below, len(_BY_DEGREES) - 1)]
        return _between(degrees, below, below + 1, lower, upper)
    last = len(_BY_DEGREES)
    return _NORMAL + (_BY_DEGREES[-1] - _NORMAL) * last / degrees


def _between(degrees: float, low: int, high: int, at_low: float, at_high: float) -> float:
    share = (1 / low - 1 / degrees) / (1 / low - 1 / high)
    return at_low + (at_high - at_low) * share
