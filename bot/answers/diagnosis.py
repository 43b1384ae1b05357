"""What a pasted log, page, benchmark or traceback says, answered: what happened, the line that decides, what to do, what to check."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from bot.answers.answer import Answer
from bot.answers.whole import joined, single
from bot.settings import Language, Settings
from bot.sheet import Act, Button, Sheet, Table, Tone
from bot.text.figures import gib, gib_range
from bot.text.phrases import say
from bot.understand import pasted, secrets
from bot.understand.language import detect
from bot.understand.understood import Aside, Fields, Intent, Understood
from knowledge.logs.diagnosis import Diagnosis, Said, diagnose

if TYPE_CHECKING:
    from knowledge.fit.observed import Observed

NOTHING = "none"
LEAST_ROWS = 2  # terms that make a comparison

_OR = re.compile(r"\A(?:or |或者?)")  # what the first point begins with where the one before it does not apply


@dataclass(slots=True)
class Masked:
    """Lines with every secret taken out before anything reads them; `seen` tells whether there was one."""

    lines: Iterable[str]
    seen: bool = False

    def __iter__(self) -> Iterator[str]:
        for line in self.lines:
            masked, secret = secrets.mask(line)
            self.seen = self.seen or secret
            yield masked


def of_message(understood: Understood, settings: Settings) -> Answer:
    """The answer to a message with a log in it. The message is masked already."""
    own = pasted.part(understood.text).own
    found = diagnose(own, understood.text, said=said_by(understood.fields, settings))
    return _answer(found, understood, settings)


def of_paste(
    message: str, log: Iterable[str], settings: Settings, *, language: Language | None = None
) -> tuple[Answer, Diagnosis]:
    """The answer to a log with a message beside it. `language` None follows the message."""
    said, secret = secrets.mask(message)
    asked = _asked(said, language or settings.defaults.language)
    lines = Masked(log)
    found = diagnose(said, lines, said=said_by(asked.fields, settings))
    asides = (Aside.SECRET,) if secret or lines.seen else ()
    understood = Understood(
        text=said, language=asked.language, intent=Intent.DIAGNOSE, fields=asked.fields, asides=asides
    )
    return joined([with_asides(_answer(found, understood, settings), understood)], settings), found


def with_asides(answer: Answer, understood: Understood) -> Answer:
    """The answer with what must be said first: that a secret was pasted."""
    from bot.answers.asides import with_asides as told

    if not understood.asides or answer.sheet is None:
        return answer
    return single(understood, told(answer.sheet, understood, None), entries=answer.entries, started=answer.started)


def as_object(answer: Answer, found: Diagnosis) -> dict[str, Any]:
    """The diagnosis object of the contract, without its id."""
    return {
        "cause": found.cause,
        "confidence": found.confidence,
        "deciding_line": found.deciding_line,
        "entries": list(found.entries),
        "facts": found.facts,
        "text": answer.text,
        "blocks": list(answer.blocks),
    }


def _asked(message: str, language: Language | None) -> Understood:
    """What the words beside the paste name. An empty message is in English."""
    from bot.understand.message import understand

    if not message.strip():
        return Understood(text="", language=language or "en", intent=Intent.DIAGNOSE)
    found = understand(message, language=language)
    spoken = detect(message)
    return (
        found
        if language or spoken != "zh"
        else Understood(text=message, language="zh", intent=Intent.DIAGNOSE, fields=found.fields)
    )


def said_by(fields: Fields, settings: Settings) -> Said:
    """What the person named beside the paste, with the team's version where none is named."""
    return Said(
        model=fields.model_id,
        gpu=fields.gpu,
        gpu_mem_gb=fields.gpu_mem_gb,
        count=fields.count,
        tp=fields.tp,
        vllm_version=fields.vllm_version or settings.defaults.vllm_version,
    )


def _answer(found: Diagnosis, understood: Understood, settings: Settings) -> Answer:
    said, language = said_by(understood.fields, settings), understood.language
    started = _started(found, said)
    sheet = diagnosis_sheet(found, language, started)
    if started is not None:
        button = Button(Act.REMEMBER, say(language, "diagnosis/general.remember_button"), "1")
        sheet = replace(sheet, buttons=(button,))
    return single(understood, sheet, entries=found.entries, started=started)


def diagnosis_sheet(found: Diagnosis, language: Language, started: "Observed | None" = None) -> Sheet:
    """The sentences of a diagnosis with its figures in them, and what a start observed beside what was predicted."""
    points = [point.strip() for point in _told(found, "do", language).splitlines() if point.strip()]
    check = _told(found, "check", language)
    return Sheet(
        lead=_told(found, "what", language),
        tone=_tone(found),
        quote=found.deciding_line,
        table=_compared(started, language),
        points_title=say(language, "diagnosis/general.title_do"),
        points=(*(_OR.sub("", point) for point in points[:1]), *points[1:]),
        notes=(say(language, "diagnosis/general.next", check=check),) if found.cause != NOTHING else (check,),
        sources=say(language, "diagnosis/general.entries", entries=found.entries) if found.entries else None,
    )


def _started(found: Diagnosis, said: Said) -> "Observed | None":
    """What a start observed; None where the log tells too little of one."""
    start = found.observed
    if not start.says_memory or start.kv_gib is None:
        return None
    from knowledge.fit.observed import Observed
    from knowledge.logs.comparison import kept_start

    kept = kept_start(start, said, "-", datetime.min.replace(tzinfo=UTC))
    return kept if isinstance(kept, Observed) else None


def _compared(started: "Observed | None", language: Language) -> Table | None:
    """Predicted beside observed; None where too few terms can be compared."""
    if started is None:
        return None
    from knowledge.logs.comparison import compare

    rows = compare(started)
    if len(rows) < LEAST_ROWS:
        return None
    heads = tuple(say(language, f"diagnosis/general.column_{name}") for name in ("term", "predicted", "observed"))
    terms = (
        (say(language, f"diagnosis/general.term_{row.term}"), gib_range(row.predicted), gib(row.observed))
        for row in rows
    )
    return Table(columns=heads, rows=tuple(terms), spoken=heads)


def _told(found: Diagnosis, part: str, language: Language) -> str:
    family, _, name = found.text.partition(".")
    return say(language, f"diagnosis/{family}.{name}_{part}", **found.facts)


def _tone(found: Diagnosis) -> Tone:
    if found.cause != NOTHING:
        return Tone.BAD
    return Tone.GOOD if found.text == "general.healthy" else Tone.PLAIN
