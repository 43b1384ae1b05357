"""One pass over a pasted text: everything that the diagnosis needs to know of it, in bounded memory."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from knowledge.logs.bench_output import BenchOutput
from knowledge.logs.lines import Line, read
from knowledge.logs.metrics_page import MetricsPage
from knowledge.logs.nvidia_smi import NvidiaSmi
from knowledge.logs.signatures import Hit, Scanner
from knowledge.logs.software import Software
from knowledge.logs.startup import ObservedStart, StartupReader
from knowledge.logs.tracebacks import Place, Traceback, Tracebacks
from knowledge.logs.traffic import Traffic


class Stage(StrEnum):
    """How far a start had come."""

    LOADING = "loading"
    PROFILING = "profiling"
    CAPTURING = "capturing"
    SERVING = "serving"


STAGES = (
    ("Starting to load model", Stage.LOADING),
    ("Loading safetensors checkpoint shards", Stage.LOADING),
    ("Using model weights format", Stage.LOADING),
    ("oading weights took", Stage.LOADING),
    ("oading took", Stage.PROFILING),
    ("Loading model weights took", Stage.PROFILING),
    ("Memory profiling", Stage.PROFILING),
    ("KV cache size", Stage.CAPTURING),
    ("blocks:", Stage.CAPTURING),
    ("Capturing", Stage.CAPTURING),
    ("Application startup complete", Stage.SERVING),
    ("Avg prompt throughput", Stage.SERVING),
    ("HTTP/1.1", Stage.SERVING),
)
COMMANDS, LONGEST_COMMAND = 5, 2000
DIED = ("died, exit code", "died unexpectedly")


@dataclass(slots=True)
class Reading:
    """What was found. `ended` are the tracebacks by the line that ends them, `stages` the lines where a stage began."""

    hits: list[Hit] = field(default_factory=list)
    tracebacks: Tracebacks = field(default_factory=Tracebacks)
    ended: dict[int, Traceback] = field(default_factory=dict)
    startup: StartupReader = field(default_factory=StartupReader)
    metrics: MetricsPage = field(default_factory=MetricsPage)
    bench: BenchOutput = field(default_factory=BenchOutput)
    smi: NvidiaSmi = field(default_factory=NvidiaSmi)
    traffic: Traffic = field(default_factory=Traffic)
    software: Software = field(default_factory=Software)
    stages: list[tuple[int, Stage]] = field(default_factory=list)
    died: list[Line] = field(default_factory=list)
    lines: int = 0
    last: Line | None = None
    notes: set[str] = field(default_factory=set)
    commands: list[str] = field(default_factory=list)
    first_error: Line | None = None

    @property
    def start(self) -> ObservedStart:
        """What the start observed."""
        return self.startup.start

    def stage_at(self, number: int) -> Stage | None:
        """The stage that the log had reached before a line."""
        before = [stage for place, stage in self.stages if place <= number]
        return before[-1] if before else None


def read_all(log: str | Iterable[str]) -> Reading:
    """Reads a text or a stream of lines once."""
    reading, scanner = Reading(), Scanner()
    for line in read(log):
        _feed(reading, scanner, line)
    reading.hits = sorted((hit for hits in scanner.hits.values() for hit in hits), key=lambda hit: hit.line.number)
    return reading


def _feed(reading: Reading, scanner: Scanner, line: Line) -> None:
    reading.lines += 1
    if not line.text.strip():
        return
    reading.last = line
    reading.software.feed(line)
    if reading.metrics.feed(line) or reading.bench.feed(line) or reading.smi.feed(line):
        return
    place, ended = reading.tracebacks.feed(line)
    if place is Place.INSIDE:
        return
    if ended is not None:
        reading.ended[line.number] = ended
    reading.traffic.feed(line)
    reading.startup.feed(line)
    scanner.feed(line)
    _note(reading, line)


def _note(reading: Reading, line: Line) -> None:
    if (
        ("vllm serve" in line.text or "api_server" in line.text)
        and " -" in line.text
        and len(reading.commands) < COMMANDS
    ):
        reading.commands.append(line.text[:LONGEST_COMMAND])
    stage = next((stage for piece, stage in STAGES if piece in line.text), None)
    if stage is not None and (not reading.stages or reading.stages[-1][1] is not stage):
        reading.stages.append((line.number, stage))
    if line.text.startswith("Capturing"):
        reading.notes.add("capturing")
    if any(piece in line.text for piece in DIED):
        reading.died.append(line)
    if reading.first_error is None and line.level in ("ERROR", "CRITICAL", "FATAL"):
        reading.first_error = line
