"""Python tracebacks in a log whose processes write at the same time: each told apart, root causes before what they cause."""

import re
from dataclasses import dataclass, field, replace
from enum import Enum

from knowledge.logs.lines import Line

MOST = 300  # tracebacks that are kept, the first of a log; in a restart loop the rest say the same
DEEPEST = 120  # frames of one that are kept, the outermost

_START = "Traceback (most recent call last)"
_FRAME = re.compile(
    r'\s*File (?:"(?P<path>[^"]{1,400})", line \d+|(?P<cell>\S{1,400}):\d+)(?:, in (?P<function>[\w<>.]{1,120}))?'
)
_RAISED = re.compile(
    r"(?P<name>[A-Za-z_][\w.]{0,120}?(?:Error|Exception|Exit|Interrupt|Warning|Timeout|[A-Z]\w+))(?::\s?(?P<says>.*))?$",
    re.DOTALL,
)
_LOOSE = re.compile(r"(?P<name>[A-Za-z_][\w.]{0,120}?(?:Error|Exception)): (?P<says>\S.*)$", re.DOTALL)
_FAULT = re.compile(r"\s+(?:Value error|Assertion failed), (?P<says>.*)")
_TALK = frozenset({"DEBUG", "INFO", "WARNING", "WARN"})
_CHAINED = (
    "During handling of the above exception",
    "The above exception was the direct cause",
)


@dataclass(frozen=True, slots=True)
class Traceback:
    """One exception: where it was raised, outermost frame first, and the line that names it. `chained` follows another of its process."""

    line: Line
    name: str
    says: str
    frames: tuple[tuple[str, str], ...]
    chained: bool = False

    def passes(self, *parts: str) -> bool:
        """Whether any frame's path or function contains one of `parts`."""
        return any(part in path or part in function for path, function in self.frames for part in parts)


@dataclass(slots=True)
class _Open:
    frames: list[tuple[str, str]] = field(default_factory=list)
    chained: bool = False


class Place(Enum):
    """Where a line stands: in the frames of a traceback, or anywhere else."""

    INSIDE = "inside"
    OUTSIDE = "outside"


@dataclass(slots=True)
class Tracebacks:
    """Collects tracebacks from lines as they come. `found` is in the order in which they ended, `began` in which processes began one.

    `loose` are exceptions whose frames are not in the text, `cut` the first frame of a traceback whose beginning is not.
    """

    found: list[Traceback] = field(default_factory=list)
    loose: list[Traceback] = field(default_factory=list)
    cut: Line | None = None
    began: dict[str, int] = field(default_factory=dict)
    _open: dict[str, _Open] = field(default_factory=dict)
    _chained: set[str] = field(default_factory=set)
    _faults: dict[str, int] = field(default_factory=dict)

    def feed(self, line: Line) -> tuple[Place, Traceback | None]:
        """Takes a line; says where it stands, and which traceback it ends."""
        text, writer = line.text, f"{line.process}|{line.source}"
        if _START in text:
            self.began.setdefault(line.process, len(self.began))
            self._open[writer] = _Open(chained=writer in self._chained)
            self._chained.discard(writer)
            return Place.OUTSIDE, None
        if text.startswith(_CHAINED):
            self._chained.add(writer)
            return Place.OUTSIDE, None
        self._name_fault(writer, line)
        opened = self._open.get(writer)
        if not text or line.level in _TALK:
            return Place.OUTSIDE, None
        if opened is None:
            opened = self._begun_above(writer, line)
        return (Place.OUTSIDE, None) if opened is None else self._within(opened, writer, line)

    def _begun_above(self, writer: str, line: Line) -> _Open | None:
        """A traceback that the text starts in the middle of, at its first frame that is there; an exception alone is kept."""
        if _FRAME.match(line.text):
            self.cut = self.cut or line
            return self._open.setdefault(writer, _Open())
        raised = _LOOSE.match(line.text)
        if raised is not None and len(self.loose) < MOST:
            self.loose.append(Traceback(line, raised["name"], raised["says"], ()))
        return None

    def _within(self, opened: _Open, writer: str, line: Line) -> tuple[Place, Traceback | None]:
        frame = _FRAME.match(line.text)
        if frame is not None:
            if len(opened.frames) < DEEPEST:
                opened.frames.append((frame["path"] or frame["cell"], frame["function"] or ""))
            return Place.INSIDE, None
        if line.text[0].isspace():
            return Place.INSIDE, None
        raised = _RAISED.match(line.text)
        if raised is None:
            return Place.OUTSIDE, None
        del self._open[writer]
        ended = Traceback(line, raised["name"], raised["says"] or "", tuple(opened.frames), opened.chained)
        if len(self.found) < MOST:
            self._faults[writer] = len(self.found)
            self.found.append(ended)
        return Place.OUTSIDE, ended

    def _name_fault(self, writer: str, line: Line) -> None:
        """Pydantic says on the lines after its exception what is wrong."""
        place = self._faults.get(writer)
        said = _FAULT.match(line.text) if place is not None else None
        if place is None or said is None:
            return
        del self._faults[writer]
        self.found[place] = replace(self.found[place], line=line, says=said["says"])
