"""Of everything that a text says, the one thing that decides."""

import re

from knowledge.logs import crashes, load
from knowledge.logs.chosen import NOTHING, Choice, Confidence
from knowledge.logs.memory_errors import Judged, judge_free_memory, judge_no_blocks, judge_oom
from knowledge.logs.quiet import NOTICE, cut_off, healthy, quiet
from knowledge.logs.reading import Reading
from knowledge.logs.signatures import TALK_RANK, Hit
from knowledge.logs.wishes import wishes

ROOT = 54  # a signature's rank from which on it explains a failure by itself
CRASH = 53  # what an exception counts that no signature knows, where it ended the engine
WEAK = 40  # below it a line tells of something that works, though badly
BADLY = 36  # from here on that is worth saying unasked
FEW = 6  # lines: who pastes so few asks about just these
CONSEQUENCE, UNFINISHED = "general.root_above", "general.unfinished"


_PID = re.compile(r"\b(?:pid|PID)[ =:]{1,2}(\d+)")


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
    if best is not None and _worth_saying(best, reading, asked=bool(wanted)) and not (running and best.rank < WEAK):
        return _of_hit(best, reading, message)
    if running is not None:
        return Choice(
            cause=running.cause, text=running.text, line=running.line, entries=running.entries, facts=running.facts
        )
    if best is not None and best.signature.text == CONSEQUENCE:
        return cut_off(best, reading)
    found = quiet(reading, best)
    if found.text == UNFINISHED and best is not None and (best.rank > TALK_RANK or _stands_out(best, reading)):
        return _of_hit(best, reading, message)
    return found


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
    mine = set(_PID.findall(hit.line.process))
    if mine & {pid for line in reading.died for pid in _PID.findall(line.text)}:
        return -1
    return reading.tracebacks.began.get(hit.line.process, len(reading.tracebacks.began))


def _worth_saying(hit: Hit, reading: Reading, *, asked: bool) -> bool:
    """Whether a line is more than one of the warnings that every start has."""
    if hit.rank >= BADLY:
        return True
    return hit.rank > NOTICE and (asked or not healthy(reading) or _stands_out(hit, reading))


def _stands_out(hit: Hit, reading: Reading) -> bool:
    """Whether a line is (nearly) all that was pasted, or the last thing that was written."""
    return reading.lines <= FEW or (reading.last is not None and hit.line.number >= reading.last.number - 1)


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
