"""The table of what errors look like, and finding its lines in a log without trying every pattern on every line."""

import re
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from knowledge.logs.lines import Line
from knowledge.logs.needles import Needles
from knowledge.versions import Version, parse

FILE = Path(__file__).parent.parent / "data" / "signatures.toml"

LOOKED_AT = 6000  # characters of a line that patterns are tried on
KEPT = 40  # hits of one signature that are kept
TALK = frozenset({"DEBUG", "INFO", "WARNING", "WARN"})
TALK_RANK = 22  # what a line of these levels can count at most, unless its signature says that it is always written so

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?\Z")


class Row(BaseModel):
    """One `[[signature]]` of the file; the file's head says what its keys mean."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str = Field(min_length=1)
    cause: str = Field(min_length=1)
    entries: tuple[str, ...] = ()
    text: str = Field(pattern=r"^[a-z]+\.[a-z0-9_]+$")
    decide: str | None = None
    rank: int = Field(ge=1, le=99)
    talk: bool = False
    shared: bool = False
    needles: tuple[str, ...] = Field(min_length=1)
    pattern: str = Field(min_length=1)
    since: str | None = None
    until: str | None = None
    source: str = Field(alias="from", min_length=1)


@dataclass(frozen=True)
class Signature:
    """One kind of line and what it means."""

    row: Row

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Compiled when it is first needed."""
        return re.compile(self.row.pattern)

    def printed_by(self, version: Version | None) -> bool:
        """Whether that version prints it; an unknown version may."""
        if version is None:
            return True
        since, until = (None if text is None else parse(text) for text in (self.row.since, self.row.until))
        return (since is None or version >= since) and (
            until is None or version < Version(until.major, until.minor + 1)
        )


@dataclass(frozen=True, slots=True)
class Hit:
    """A line that says it. `rank` is the signature's, less where the line was only a notice; `facts` are the pattern's figures."""

    signature: Row
    line: Line
    rank: int
    facts: dict[str, str | int | float]
    start: int = 0


@lru_cache(maxsize=1)
def signatures() -> tuple[Signature, ...]:
    """All of them, in the file's order."""
    import tomllib

    rows = tomllib.loads(FILE.read_text(encoding="utf-8"))["signature"]
    return tuple(Signature(Row.model_validate(row)) for row in rows)


@lru_cache(maxsize=1)
def _index() -> Needles:
    return Needles((needle, place) for place, each in enumerate(signatures()) for needle in each.row.needles)


@dataclass(slots=True)
class Scanner:
    """Finds signatures in lines as they come; keeps the first hits of each."""

    hits: dict[str, list[Hit]] = field(default_factory=dict)

    def feed(self, line: Line) -> tuple[Hit, ...]:
        """Takes a line; returns what it says."""
        text = line.text[:LOOKED_AT]
        if not text:
            return ()
        rows = signatures()
        found = tuple(hit for place in _index().owners(text) if (hit := _hit(rows[place], line, text)))
        for hit in found:
            kept = self.hits.setdefault(hit.signature.id, [])
            if len(kept) < KEPT:
                kept.append(hit)
        return found


def _hit(signature: Signature, line: Line, text: str) -> Hit | None:
    found = signature.pattern.search(text)
    if found is None:
        return None
    row = signature.row
    talk = line.level in TALK and not row.talk
    return Hit(row, line, min(row.rank, TALK_RANK) if talk else row.rank, facts_of(found.groupdict()), found.start())


def facts_of(groups: dict[str, Any]) -> dict[str, str | int | float]:
    """Named groups as facts: numbers where they are numbers; `port2` is another way to find `port`."""
    facts: dict[str, str | int | float] = {}
    for name, value in groups.items():
        if value is not None:
            facts.setdefault(name.rstrip("0123456789").removesuffix("_old"), number_of(value.strip()))
    return facts


def number_of(text: str) -> str | int | float:
    """`text` as an int or a float where it is one."""
    if not _NUMBER.match(text):
        return text
    return float(text) if "." in text else int(text)
