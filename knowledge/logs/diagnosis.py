"""What a pasted text says is wrong: the root cause, the line that decides, and figures for what to do."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from knowledge.logs.choice import choose
from knowledge.logs.chosen import NOTHING, Choice, Confidence
from knowledge.logs.fixes import figures
from knowledge.logs.fixes.case import Case, Said
from knowledge.logs.lines import Line
from knowledge.logs.reading import read_all
from knowledge.logs.startup import ObservedStart

__all__ = ["Confidence", "Diagnosis", "Said", "diagnose"]

UNWRITTEN = frozenset({"cuda-arch-mismatch", "tool-call-config", "insufficient-log"})  # causes that no entry is about
LONGEST = 1200  # characters of a line that are quoted; around what decides where it is longer


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """`cause` is a knowledge topic, a cause that only logs show, or `none` for healthy and foreign text.

    `deciding_line` is quoted as it was printed (colours and wrappers taken off), empty where nothing decides.
    `text` names the sentences, `facts` are their figures, `entries` what to read, best first. `observed` is what a start
    logged, `lines` how many there were. Secrets are the caller's to take out before: nothing here repeats more than `log` has.
    """

    cause: str
    confidence: Confidence
    deciding_line: str
    entries: tuple[str, ...]
    facts: dict[str, Any]
    text: str
    observed: ObservedStart
    lines: int = 0


def diagnose(message: str, log: str | Iterable[str], *, said: Said | None = None) -> Diagnosis:
    """Reads `log` (a text, or a stream of lines of any length) once. `message` is what the person wrote beside it."""
    reading = read_all(log)
    choice = choose(reading, message)
    case = Case(
        text=choice.text, facts=choice.facts, line=choice.line, reading=reading, message=message, said=said or Said()
    )
    return Diagnosis(
        cause=choice.cause,
        confidence=choice.confidence,
        deciding_line=quote(choice.line, choice.start) if choice.line is not None else "",
        entries=() if choice.cause == NOTHING else _entries(choice),
        facts=figures(case),
        text=choice.text,
        observed=reading.start,
        lines=reading.lines,
    )


def quote(line: Line, start: int = 0) -> str:
    """The line as it was printed; of a very long one the part around `start` of its message."""
    raw = line.raw.strip()
    if len(raw) <= LONGEST:
        return raw
    place = max(0, raw.find(line.text[start : start + 40]))
    begin = max(0, place - LONGEST // 4)
    return raw[begin : begin + LONGEST].strip()


def _entries(choice: Choice) -> tuple[str, ...]:
    own = () if choice.cause in UNWRITTEN else (choice.cause,)
    return tuple(dict.fromkeys((*own, *choice.entries)))
