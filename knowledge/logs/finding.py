"""What the figures of a running server show."""

import re
from dataclasses import dataclass, field
from typing import Any

from knowledge.logs.lines import Line
from knowledge.logs.reading import Reading

FULL = 0.9  # of the KV cache: with requests waiting, it is what they wait for
QUEUE = 5  # waiting requests from which on it is a queue
FEW_ACCEPTED = 0.4  # of the drafted tokens: below it drafting costs about what it brings


@dataclass(frozen=True, slots=True)
class Finding:
    """What the figures show, and the line that shows it."""

    cause: str
    text: str
    line: Line
    entries: tuple[str, ...]
    facts: dict[str, Any] = field(default_factory=dict)
    sure: bool = True


def seqs_limit(message: str, reading: Reading) -> int | None:
    """--max-num-seqs as the paste or the person has it."""
    found = re.search(r"max[-_]num[-_]seqs[ =]+(\d+)", message) or re.search(
        r"max[-_]num[-_]seqs[ =]+(\d+)", " ".join(reading.commands)
    )
    return int(found[1]) if found else reading.start.max_num_seqs


def more_at_once(facts: dict[str, Any]) -> dict[str, Any]:
    """The next power of two up to which the cache would be used, from what each running request holds now."""
    running, usage, tokens = facts.get("running"), facts.get("usage"), facts.get("tokens")
    if not running or not usage or usage >= FULL:
        return {}
    share = usage / running
    most = int(FULL / share)
    wanted = running
    while wanted * 2 <= most:
        wanted *= 2
    found: dict[str, Any] = {
        "seqs_to": wanted if wanted > running else most,
        "usage_to": (wanted if wanted > running else most) * share,
    }
    return found | ({"each": round(usage * tokens / running)} if tokens else {})
