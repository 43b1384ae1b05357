"""The lines of a log as vLLM wrote them: without what containers, shippers and terminals put around them."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

LONGEST = 20_000  # characters of a line that are looked at; vLLM's longest dump a whole configuration
DEEPEST = 9  # prefixes that are taken off one line
PIECE = 80_000  # bytes of a line that are read at once: a log without line ends is read in such pieces
JSON_KEYS = ("log", "message", "msg", "textPayload", "line", "text", "event", "MESSAGE")

_COLOUR = re.compile(r"(?:\x1b|\^\[|#033)\[[\d;?]{0,12}[A-Za-z]|\[(?:\d{1,2};){0,3}\d{1,2}m(?=[(\[\s]|\w)|\[0m")
_PREFIX = re.compile(
    r"""
      \((?P<process>(?:[A-Za-z][\w.:-]{0,40})(?:\s[^()]{0,60})?\spid=\d+[^()]{0,80}|(?:Engine|API|Worker)\w{0,30})\)\s?
    | \[rank(?P<rank>\d+)\]:\s?
    | (?P<level>DEBUG|INFO|WARNING|WARN|ERROR|CRITICAL|FATAL)(?:\s+(?=\d\d-\d\d\s|\d{4}-\d\d|\[)|:\s+(?=\w+\.py|\d\d-))
    | \d\d-\d\d\ \d\d:\d\d:\d\d(?:[.,]\d{1,6})?\s
    | \[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d[^\s\]]{0,24}(?:\ (?:UTC|[+-]\d{4}))?\]?:?\s{1,2}
    | (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\s{1,2}\d{1,2}\ \d\d:\d\d:\d\d\ \S{1,80}\ [\w@./-]{1,60}(?:\[\d+\])?:\s
    | \[?(?P<source>[\w./-]{1,80}\.pyx?:\d+)\]\s?
    | \[resource\.[^\]]{1,120}\]\s
    | (?:stdout|stderr)\ [FP]\s
    | \[pod/[^\]]{1,160}\]\s
    | \d{1,2}月\ +\d{1,2}\ \d\d:\d\d:\d\d\ \S{1,80}\ [\w@./-]{1,60}(?:\[\d+\])?:\s
    | \[(?:VLLM|vllm)[\w -]{0,20}\]\s
    | [\w.-]{1,60}\s{0,20}\|\s(?=\S|\s)
    | [>│]\s(?=\S|\s)
    """,
    re.VERBOSE,
)
_ENDING = re.compile(r"(?:\s|#015|\^M|│)+$")
_ONLY_ERROR = re.compile(r"(?P<level>ERROR|WARNING|INFO)\s(?=\d{4}-\d\d-\d\dT)")


@dataclass(frozen=True, slots=True)
class Line:
    """One line. `number` counts from 1; `raw` is what was printed, to quote; `text` is vLLM's message, its indentation kept.

    `process` tells interleaved writers apart (empty for the main one), `level` is None where no logger wrote the line.
    """

    number: int
    raw: str
    text: str
    process: str = ""
    level: str | None = None
    source: str | None = None


def read(log: str | Iterable[str]) -> Iterator[Line]:
    """The lines of a text, or of a stream of lines, one at a time."""
    for number, written in enumerate(log.splitlines() if isinstance(log, str) else log, 1):
        for raw in _unwrapped(written[:LONGEST].rstrip("\r\n")):
            yield clean(raw, number)


def pieces(stream: BinaryIO) -> Iterator[str]:
    """The lines of a stream of bytes, without ever holding more than one; undecodable bytes become replacement characters."""
    while raw := stream.readline(PIECE):
        yield raw.decode("utf-8", "replace")


def clean(raw: str, number: int = 1) -> Line:
    """`raw` taken apart."""
    plain = _COLOUR.sub("", raw) if "[" in raw else raw
    text, process, level, source = plain, "", None, None
    for _ in range(DEEPEST):
        found = _PREFIX.match(text) or _ONLY_ERROR.match(text)
        if found is None or found.end() == 0:
            break
        named = found.groupdict()
        process = named.get("process") or (f"rank {named['rank']}" if named.get("rank") else process)
        level, source = named.get("level") or level, named.get("source") or source
        text = text[found.end() :]
    return Line(number, plain, _ENDING.sub("", text), process, level, source)


def _unwrapped(written: str) -> Iterator[str]:
    """What a JSON log line carries; any other line as it is."""
    said = _said(written) if written.startswith("{") and written.endswith("}") else None
    yield from (written,) if said is None else said.rstrip("\n").split("\n")


def _said(written: str) -> str | None:
    try:
        record = json.loads(written)
    except (ValueError, RecursionError):
        return None
    found = (record[key] for key in JSON_KEYS if isinstance(record.get(key), str))
    said = next(found, None)
    return None if said is None else _with_exception(said, record)


def _with_exception(said: str, record: dict[str, object]) -> str:
    """The message with the traceback that structured loggers keep beside it."""
    trace = next((record[key] for key in ("exc_info", "exception", "stack_trace") if record.get(key)), None)
    return f"{said}\n{trace}" if isinstance(trace, str) else said
