"""What became of flags: gone, renamed, misspelt; and settings that do not go together."""

import re
from collections.abc import Callable

from knowledge.logs.fixes.case import Case, Facts
from knowledge.releases import flags

MOST = 6
REASONS = {
    "--swap-space": "swap_space",
    "--disable-log-requests": "log_requests",
    "--rope-scaling": "rope_scaling",
    "--guided-decoding-backend": "guided",
}


def unknown(case: Case) -> Facts:
    """Each flag with its last release and what took its place, or with the nearest one that exists."""
    told = str(case.facts.get("flags", ""))
    found = [_became(flag, case) for flag in re.findall(r"(?<!\S)--?[A-Za-z][\w.-]*", told)[:MOST]]
    return {"flags": told.strip(), "each": found}


def _became(written: str, case: Case) -> dict[str, str | None]:
    """The last release of a flag, or its first where that is later, and what took its place; the nearest of an unknown one."""
    told: dict[str, str | None] = dict.fromkeys(("until", "since", "near", "instead", "reason"))
    told["flag"] = written
    known = flags.lookup(written)
    if known is None:
        return told | {"near": flags.nearest(written, case.settled)}
    if known.until is not None:
        told["until"] = str(known.until)
    elif known.since > case.settled:
        told["since"] = str(known.since)
    return told | {"instead": flags.replacement(written, case.settled), "reason": REASONS.get(known.name)}


def python_argument(case: Case) -> Facts:
    """The same for an argument of a Python class."""
    argument = str(case.facts.get("argument", ""))
    if not argument:
        return {}
    return {"each": [_became("--" + argument.replace("_", "-"), case)]}


FIXES: dict[str, Callable[[Case], Facts]] = {"unknown": unknown, "python_argument": python_argument}
