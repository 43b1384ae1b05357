"""Whether a pasted `vllm serve` command starts: its options first, for that version, then the memory."""

from dataclasses import dataclass, replace

from bot.answers.short import refusal_sheet
from bot.sheet import Sheet, Tone
from bot.text.phrases import say
from bot.text.refusals import kind_sentence
from bot.understand.understood import Understood
from knowledge.commands import faults, pasted
from knowledge.errors import Refusal
from knowledge.versions import DEFAULT, NEWEST, OLDEST, Version, parse


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What is known of a command's options: what stops a start, and what is only worth saying."""

    version: Version
    stops: tuple[Refusal, ...]
    notes: tuple[Refusal, ...]


def checked_flags(understood: Understood, version: str | None) -> Checked:
    """The command's options under `version`, within the tables' ends; None is the version that answers are for."""
    used = min(max(parse(version) if version else DEFAULT, OLDEST), NEWEST)
    command = pasted.parse(understood.text)
    found = faults.check(command, used) if command else faults.Faults((), ())
    told = {fault.error for fault in (*found.stops, *found.notes)}
    also = tuple(problem for problem in understood.problems if problem.error not in told)
    return Checked(version=used, stops=(*found.stops, *also), notes=found.notes)


def check_sheet(understood: Understood, found: Checked, memory: Sheet | Refusal) -> Sheet:
    """The answer: options that stop a start do so whatever the memory is; then what `memory` says of it."""
    language = understood.language
    about = refusal_sheet(memory, language) if isinstance(memory, Refusal) else memory
    notes = tuple(kind_sentence(note, language) for note in found.notes)
    if not found.stops:
        return replace(about, notes=(*notes, *about.notes))
    return replace(
        about,
        lead=say(
            language, "check.wrong-flags", version=found.version, flags=list(dict.fromkeys(map(_subject, found.stops)))
        ),
        tone=Tone.BAD,
        points_title=say(language, "check.title-problems"),
        points=tuple(kind_sentence(stop, language) for stop in found.stops),
        command_title=say(language, "check.title-command"),
        notes=(say(language, "check.memory", sentence=about.lead), *notes, *about.notes),
        feedback=True,
    )


def _subject(stop: Refusal) -> str:
    """The option that is wrong, else what the sentence quotes first."""
    quoted = stop.error.split("`")[1:2]
    return str(stop.facts.get("flag") or (quoted or [stop.code])[0])
