"""Of everything that a text says, the one thing that decides."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from knowledge.logs import crashes, load
from knowledge.logs.lines import Line
from knowledge.logs.memory_errors import Judged, judge_free_memory, judge_no_blocks, judge_oom
from knowledge.logs.metrics_page import figures
from knowledge.logs.reading import Reading, Stage
from knowledge.logs.signatures import Hit
from knowledge.logs.startup import Outcome
from knowledge.logs.wishes import wishes

ROOT = 54  # a signature's rank from which on it explains a failure by itself
CRASH = 53  # what an exception counts that no signature knows, where it ended the engine
NOTICE = 24  # what is worth saying of a server that otherwise runs
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


def choose(reading: Reading, message: str) -> Choice:
    """What decides; cause `none` for healthy text and for other software's."""
    if (name := _foreign(reading)) is not None:
        return Choice(
            cause=NOTHING,
            text="general.foreign",
            line=reading.software.lines.get(name),
            facts={"software": name},
            confidence=Confidence.HIGH,
        )
    wanted = wishes(message)
    best = _best(reading)
    if best is not None and best.rank >= ROOT:
        return _of_hit(best, reading, message)
    crash = crashes.root(reading)
    if crash is not None and (best is None or best.rank < CRASH) and not _only_request(best, crash):
        return _of_crash(crash)
    running = load.judge(reading, wanted, message)
    if best is not None and best.rank > NOTICE and not (running is not None and best.rank < 40):
        return _of_hit(best, reading, message)
    if running is not None:
        return Choice(
            cause=running.cause, text=running.text, line=running.line, entries=running.entries, facts=running.facts
        )
    if best is not None and _is_consequence(best):
        return _cut_off(best, reading)
    return _quiet(reading, best, message)


def _foreign(reading: Reading) -> str | None:
    named = reading.software.foreign
    if named is not None:
        return named
    if reading.software.ours == 0 and crashes.only_foreign(reading):
        return "another program"
    return None


def _best(reading: Reading) -> Hit | None:
    """The hit of the highest rank; of equals, the one of the process that failed first, then the first."""
    hits = [hit for hit in reading.hits if _counts(hit, reading)]
    if not hits:
        return None
    highest = max(hit.rank for hit in hits)
    equals = [hit for hit in hits if hit.rank == highest]
    return min(equals, key=lambda hit: (_writer(hit, reading), not _raised(hit, reading), hit.line.number))


def _raised(hit: Hit, reading: Reading) -> bool:
    """Whether the line is the exception itself, not a logger that repeats it among other words."""
    return hit.line.number in reading.ended and not hit.line.text.startswith("RuntimeError: Worker failed with error")


def _counts(hit: Hit, reading: Reading) -> bool:
    """Whether a line that other software prints too may be taken for vLLM's."""
    if not hit.signature.shared or reading.software.ours:
        return True
    trace = reading.ended.get(hit.line.number)
    return trace is None or trace.passes("vllm")


def _writer(hit: Hit, reading: Reading) -> int:
    """0 for the process that the executor says died first, then in the order in which processes began to fail."""
    if hit.signature.decide != "oom":
        return 0
    for line in reading.died:
        if any(number in hit.line.process for number in line.text.split() if number.isdigit()):
            return -1
    return reading.tracebacks.began.get(hit.line.process, len(reading.tracebacks.began))


def _of_hit(hit: Hit, reading: Reading, message: str) -> Choice:
    row = hit.signature
    judged = _judged(hit, reading, message)
    confidence = _confidence(hit, reading)
    if judged is not None:
        return Choice(
            cause=judged.cause,
            text=judged.text,
            line=judged.line,
            entries=judged.entries,
            confidence=confidence,
            facts=dict(hit.facts),
            start=hit.start,
        )
    return Choice(
        cause=row.cause,
        text=row.text,
        line=hit.line,
        entries=row.entries,
        confidence=confidence,
        facts=dict(hit.facts),
        start=hit.start,
    )


def _judged(hit: Hit, reading: Reading, message: str) -> Judged | None:
    if hit.signature.decide == "oom":
        return judge_oom(hit, reading, message)
    if hit.signature.id == "no-blocks":
        return judge_no_blocks(hit, reading)
    if hit.signature.id == "free-memory":
        return judge_free_memory(hit)
    if hit.signature.id == "garbled":
        return _garbled(hit, reading)
    return None


def _garbled(hit: Hit, reading: Reading) -> Judged | None:
    """Where the engine's configuration is in the text, its quantisation explains the output better than the output itself."""
    config = reading.startup.lines.get("config")
    if config is None or reading.start.quantization is None:
        return None
    return Judged("garbled-output", "load.garbled", config, ("garbled-output", "quantization", "dtype-support"))


def _confidence(hit: Hit, reading: Reading) -> Confidence:
    if hit.rank >= 80 and (reading.software.ours or not hit.signature.shared):
        return Confidence.HIGH
    return Confidence.MEDIUM if hit.rank >= 40 else Confidence.LOW


def _only_request(best: Hit | None, crash: crashes.Crash) -> bool:
    """Whether what is known already speaks of the same exception, or of a request that was refused while the server ran."""
    if best is None or best.rank < 40:
        return False
    return (
        abs(best.line.number - crash.trace.line.number) <= 3
        or best.line.text in crash.trace.line.text
        or crash.trace.passes("entrypoints")
    )


def _of_crash(crash: crashes.Crash) -> Choice:
    facts = {"error": crash.trace.name, "says": crash.trace.says[:200]}
    confidence = Confidence.MEDIUM if crash.placed else Confidence.LOW
    return Choice(
        cause=crash.cause,
        text="general.crash",
        line=crash.trace.line,
        entries=crash.entries,
        confidence=confidence,
        facts=facts,
    )


def _is_consequence(hit: Hit) -> bool:
    return hit.signature.text == "general.root_above"


def _cut_off(hit: Hit, reading: Reading) -> Choice:
    """Only that the engine died is in the text: the reason stands above it, in what was not pasted."""
    return Choice(
        cause="engine-dead",
        text="general.root_above",
        line=hit.line,
        entries=hit.signature.entries,
        confidence=Confidence.LOW,
        facts={"lines": reading.lines},
    )


def _quiet(reading: Reading, best: Hit | None, message: str) -> Choice:
    facts = dict(_healthy_facts(reading))
    if reading.tracebacks.cut is not None and not reading.tracebacks.found:
        return Choice(
            cause="insufficient-log",
            text="general.cut_traceback",
            line=reading.last,
            confidence=Confidence.LOW,
            facts=facts,
        )
    if reading.software.ours == 0:
        return Choice(cause=NOTHING, text="general.not_a_log", line=None, confidence=Confidence.MEDIUM)
    if reading.traffic.failed and reading.start.outcome is not Outcome.STARTED:
        line = next(line for status, line in reading.traffic.status_lines.items() if status.startswith("5"))
        return Choice(
            cause="insufficient-log",
            text="general.server_errors",
            line=line,
            entries=("observe-metrics",),
            confidence=Confidence.LOW,
            facts=facts | {"count": reading.traffic.failed},
        )
    if reading.first_error is not None:
        return Choice(
            cause="insufficient-log",
            text="general.unknown_error",
            line=reading.first_error,
            entries=("observe-metrics",),
            confidence=Confidence.LOW,
            facts=facts,
        )
    if _healthy(reading):
        if best is not None and best.rank >= NOTICE:
            facts["notice"] = best.signature.id
        return Choice(
            cause=NOTHING, text="general.healthy", line=_proof(reading), confidence=Confidence.HIGH, facts=facts
        )
    if best is not None:
        return _of_hit(best, reading, message)
    return Choice(cause=NOTHING, text="general.unfinished", line=None, confidence=Confidence.LOW, facts=facts)


def _healthy(reading: Reading) -> bool:
    return (
        reading.start.outcome is Outcome.STARTED
        or any(stage is Stage.SERVING for _, stage in reading.stages)
        or bool(reading.metrics.samples or reading.bench.results)
    )


def _proof(reading: Reading) -> Line | None:
    return reading.startup.lines.get("max_concurrency") or reading.startup.lines.get("kv_tokens")


def _healthy_facts(reading: Reading) -> Iterator[tuple[str, Any]]:
    start = reading.start
    for name in ("kv_tokens", "max_concurrency", "concurrency_tokens", "kv_gib", "weights_gib", "model", "version"):
        if getattr(start, name) is not None:
            yield name, getattr(start, name)
    if reading.traffic.count:
        last = reading.traffic.recent[-1]
        yield "running", last.running
        yield "waiting", last.waiting
        if last.usage is not None:
            yield "usage", last.usage / 100
    if reading.metrics.samples:
        yield from figures(reading.metrics).items()
    if reading.bench.results:
        yield from reading.bench.results.items()
