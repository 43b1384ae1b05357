"""A text in which nothing decides: cut off, healthy, or no log at all."""

from collections.abc import Iterator
from typing import Any

from knowledge.logs.chosen import NOTHING, Choice, Confidence
from knowledge.logs.lines import Line
from knowledge.logs.metrics_page import figures
from knowledge.logs.reading import Reading, Stage
from knowledge.logs.signatures import Hit
from knowledge.logs.startup import Outcome

NOTICE = 24  # what is worth saying of a server that otherwise runs, where somebody asks


def cut_off(hit: Hit, reading: Reading) -> Choice:
    """Only that the engine died is in the text: the reason stands above it, in what was not pasted."""
    return Choice(
        cause="engine-dead",
        text="general.root_above",
        line=hit.line,
        entries=hit.signature.entries,
        confidence=Confidence.LOW,
        facts={"lines": reading.lines},
    )


def quiet(reading: Reading, best: Hit | None) -> Choice:
    """Where nothing decides: what is missing of the text, or that nothing is wrong. `best` is a warning, where there is one."""
    facts = dict(_healthy_facts(reading))
    lacking = _incomplete(reading, facts)
    if lacking is not None:
        return lacking
    if healthy(reading):
        if best is not None and best.rank >= NOTICE:
            facts["notice"] = best.signature.id
        return Choice(
            cause=NOTHING, text="general.healthy", line=_proof(reading), confidence=Confidence.HIGH, facts=facts
        )
    return Choice(cause=NOTHING, text="general.unfinished", line=None, confidence=Confidence.LOW, facts=facts)


def _incomplete(reading: Reading, facts: dict[str, Any]) -> Choice | None:
    """Where something failed, but the text does not hold the reason; also text that is no log at all."""
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
    return None


def healthy(reading: Reading) -> bool:
    """Whether the text shows a server that runs, or figures of one."""
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
