"""Where a request is beyond what is run at all: the limit, and what to ask for instead."""

from typing import Any

from bot.commands.recurrences import HOURLY_S, Recurrence
from knowledge.errors import Refusal

# What each argument counts, and what to ask for instead of too much; the bounds are the benchmark specification's own.
_SENSIBLE = {
    "request_rate": ("requests a second", "10 to 50 rps and raise it step by step"),
    "max_concurrency": ("requests at once", "32 to 256 at once"),
    "num_prompts": ("requests", "10 for each request at once"),
    "duration_s": ("seconds", "10 minutes"),
    "input_len": ("tokens in", "the model's context or less, for example 1k"),
    "output_len": ("tokens out", "256"),
}


def load_problems(arguments: dict[str, Any]) -> tuple[Refusal, ...]:
    """What of a load lies outside the bounds of a benchmark's workload."""
    problems = []
    for name, (unit, sensible) in _SENSIBLE.items():
        value = arguments.get(name)
        if not isinstance(value, int | float):
            continue
        least, most = _bounds(name)
        if not least <= value <= most:
            problems.append(_outside(name, value, (least, most), unit, sensible))
    return tuple(problems)


def _outside(name: str, value: float, bounds: tuple[float, float], unit: str, sensible: str) -> Refusal:
    least, most = bounds
    beyond = f"more than the limit of `{most:,.0f}`" if value > most else f"less than `{max(least, 1):,.0f}`"
    return Refusal(
        "beyond-limit",
        f"`{_written(value)}` {unit} is {beyond}.",
        f"Start with {sensible}.",
        argument=name,
        value=value,
        more=value > most,
    )


def _written(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:,g}"


def _bounds(name: str) -> tuple[float, float]:
    """The least and the most that a workload takes; a bound that is left out starts just above 0."""
    from runners.jobs.workload import Workload

    least, most = 0.0, float("inf")
    for bound in Workload.model_fields[name].metadata:
        least = getattr(bound, "ge", None) or least
        most = getattr(bound, "le", None) or most
    return least or 1e-6, most


def recurrence_problems(found: Recurrence | None) -> tuple[Refusal, ...]:
    """A schedule that comes more often than once an hour."""
    if found is None or found.period_s is None or found.period_s >= HOURLY_S:
        return ()
    said = f"{found.period_s} s" if found.period_s < 60 else f"{found.period_s // 60} min"
    return (
        Refusal(
            "too-often",
            f"Every `{said}` is too often: reports come at most once an hour.",
            "Say `every hour`, or once a day at a time.",
            period_s=found.period_s,
            least_s=HOURLY_S,
        ),
    )
