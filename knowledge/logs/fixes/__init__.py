"""What to do about a cause, in figures: computed from the log, the model's shape and the card."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from knowledge.logs.fixes.case import Case, Facts

FAMILIES = ("memory", "parallel", "quantization", "environment", "model", "flags", "features", "requests", "load")


def figures(case: Case) -> Facts:
    """The facts of a case with everything added that its sentences need. Never raises for what a log may say."""
    family, _, name = case.text.partition(".")
    facts: Facts = dict(case.common())
    facts |= case.facts
    if family in FAMILIES:
        fixes: Mapping[str, Callable[[Case], Facts]] = import_module(f"knowledge.logs.fixes.{family}").FIXES
        fix = fixes.get(name)
        if fix is not None:
            facts |= fix(case)
    return _told(facts)


def _told(facts: dict[str, Any]) -> Facts:
    return {name: value for name, value in facts.items() if value is not None}
