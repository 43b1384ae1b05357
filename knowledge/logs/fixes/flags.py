"""What became of flags: gone, renamed, misspelt; and settings that do not go together."""

import re
from collections.abc import Callable, Iterator

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
    found = [dict(_became(flag, case)) for flag in re.findall(r"(?<!\S)--?[A-Za-z][\w.-]*", told)[:MOST]]
    return {"flags": told.strip(), "each": found}


def _became(written: str, case: Case) -> Iterator[tuple[str, object]]:
    yield "flag", written
    known = flags.lookup(written)
    if known is None:
        yield "near", flags.nearest(written, case.settled)
        return
    if known.until is not None:
        yield "until", str(known.until)
    elif known.since > case.settled:
        yield "since", str(known.since)
    yield "instead", flags.replacement(written, case.settled)
    yield "reason", REASONS.get(known.name)


def python_argument(case: Case) -> Facts:
    """The same for an argument of a Python class."""
    argument = str(case.facts.get("argument", ""))
    if not argument:
        return {}
    return {"each": [dict(_became("--" + argument.replace("_", "-"), case))]}


FIXES: dict[str, Callable[[Case], Facts]] = {"unknown": unknown, "python_argument": python_argument}
