"""Figures for models: context limits, releases that know an architecture."""

from collections.abc import Callable

from knowledge.logs.fixes.case import Case, Facts


def over_derived(case: Case) -> Facts:
    """The factor by which RoPE would have to stretch."""
    asked, derived = case.facts.get("asked"), case.facts.get("derived")
    if not isinstance(asked, int) or not isinstance(derived, int | float) or not derived:
        return {}
    return {"derived": int(derived), "factor": round(asked / derived, 2)}


def found_name(case: Case) -> Facts:
    """The name that was looked for."""
    told = case.facts.get("model")
    return {"model": str(told).strip("'\"") if told else case.model}


FIXES: dict[str, Callable[[Case], Facts]] = {
    "over_derived": over_derived,
    "not_found": found_name,
    "no_weights": found_name,
    "trust": found_name,
    "gated": found_name,
    "gated_denied": found_name,
}
