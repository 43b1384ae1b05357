"""What `tuning-bot check` finds: one line for each thing that must work, with what to do where it does not."""

from dataclasses import dataclass
from enum import StrEnum

from knowledge.errors import Refusal


class Verdict(StrEnum):
    """How a check ended; UNKNOWN means that it could not be made."""

    OK = "ok"
    FAILED = "failed"
    UNKNOWN = "not checked"


@dataclass(frozen=True, slots=True)
class Finding:
    """`says` is one sentence about `what`, `do` one about the way out, empty where there is none."""

    what: str
    verdict: Verdict
    says: str
    do: str = ""

    @property
    def line(self) -> str:
        """For a terminal."""
        return f"{self.verdict:<12}{self.what:<10}{self.says} {self.do}".rstrip()


def ok(what: str, says: str) -> Finding:
    """It works."""
    return Finding(what, Verdict.OK, says)


def failed(what: str, refusal: Refusal) -> Finding:
    """It does not work."""
    return Finding(what, Verdict.FAILED, refusal.error, refusal.hint)


def unknown(what: str, says: str) -> Finding:
    """It could not be checked."""
    return Finding(what, Verdict.UNKNOWN, says)
