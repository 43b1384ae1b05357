"""What was chosen to be the cause of a text."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from knowledge.logs.lines import Line

NOTHING = "none"


class Confidence(StrEnum):
    """How sure the cause is: said by the line itself, inferred from around it, or a guess."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The cause, the sentences that explain it, the line to quote (None where there is nothing to quote)."""

    cause: str
    text: str
    line: Line | None
    entries: tuple[str, ...] = ()
    confidence: Confidence = Confidence.HIGH
    facts: dict[str, Any] = field(default_factory=dict)
    start: int = 0
