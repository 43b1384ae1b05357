"""The lines of running servers: throughput every ten seconds, and answers by HTTP status."""

import re
from collections import Counter, deque
from dataclasses import dataclass, field

from knowledge.logs.lines import Line

RECENT = 360  # lines of statistics that are kept: an hour of them
_STATS = re.compile(
    r"Avg prompt throughput: (?P<prompt>[\d.]+) tokens/s, Avg generation throughput: (?P<output>[\d.]+) tokens/s, "
    r"Running: (?P<running>\d+) reqs, (?:Swapped: (?P<swapped>\d+) reqs, )?(?:Waiting|Pending): (?P<waiting>\d+) reqs"
    r"(?:, (?:GPU|CPU|TPU|NPU|HPU|XPU)? ?KV cache usage: (?P<usage>[\d.]+)%)?"
    r"(?:.{0,120}?[Pp]refix cache hit rate: (?:GPU: )?(?P<hits>[\d.]+)%)?"
)
_PREFIX = re.compile(r"Prefix cache hit rate: (?:GPU: )?(?P<hits>[\d.]+)%")
_ACCEPTED = re.compile(
    r"Mean acceptance length: (?P<length>[\d.]+).{0,400}?Avg Draft acceptance rate: (?P<rate>[\d.]+)%"
)
_ACCEPTED_V0 = re.compile(r"Speculative metrics: Draft acceptance rate: (?P<rate>[\d.]+)")
_STATUS = re.compile(r'"(?:GET|POST|DELETE|PUT|HEAD) (?P<path>\S{1,120}) HTTP/[\d.]+" (?P<status>\d{3})')


@dataclass(frozen=True, slots=True)
class Reading:
    """One line of statistics; rates in tokens a second, usage and hits in per cent."""

    prompt: float
    output: float
    running: int
    waiting: int
    swapped: int
    usage: float | None
    hits: float | None
    line: Line


@dataclass(slots=True)
class Traffic:
    """Collects lines as they come. `worst` is the one with the longest queue."""

    recent: deque[Reading] = field(default_factory=lambda: deque(maxlen=RECENT))
    first: Reading | None = None
    worst: Reading | None = None
    count: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    status_lines: dict[str, Line] = field(default_factory=dict)
    acceptance: float | None = None
    acceptance_line: Line | None = None
    hit_rate: float | None = None

    def feed(self, line: Line) -> bool:
        """Takes a line; says whether it is one of these."""
        text = line.text
        if "throughput: " in text and (found := _STATS.search(text)):
            self._reading(found, line)
            return True
        if "HTTP/1" in text and (answered := _STATUS.search(text)):
            self.statuses[answered["status"]] += 1
            self.status_lines.setdefault(answered["status"], line)
            return True
        if "cceptance" in text:
            return self._accepted(text, line)
        if "refix cache hit rate" in text and (said := _PREFIX.search(text)):
            self.hit_rate = float(said["hits"])
            return True
        return False

    def _reading(self, found: re.Match[str], line: Line) -> None:
        reading = Reading(
            prompt=float(found["prompt"]),
            output=float(found["output"]),
            running=int(found["running"]),
            waiting=int(found["waiting"]),
            swapped=int(found["swapped"] or 0),
            usage=float(found["usage"]) if found["usage"] else None,
            hits=float(found["hits"]) if found["hits"] else None,
            line=line,
        )
        self.count += 1
        self.first = self.first or reading
        self.recent.append(reading)
        if reading.hits is not None:
            self.hit_rate = reading.hits
        if self.worst is None or reading.waiting > self.worst.waiting:
            self.worst = reading

    def _accepted(self, text: str, line: Line) -> bool:
        if found := _ACCEPTED.search(text):
            self.acceptance, self.acceptance_line = float(found["rate"]) / 100, line
        elif found := _ACCEPTED_V0.search(text):
            self.acceptance, self.acceptance_line = float(found["rate"]), line
        return found is not None

    @property
    def refused(self) -> int:
        """Answers with an error of the client's."""
        return sum(count for status, count in self.statuses.items() if status.startswith("4"))

    @property
    def failed(self) -> int:
        """Answers with an error of the server's."""
        return sum(count for status, count in self.statuses.items() if status.startswith("5"))
