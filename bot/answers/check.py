"""Whether a pasted `vllm serve` command starts: its options first, for that version, then the memory."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from bot.answers.sheet import Sheet, Tone
from bot.answers.short import refusal_sheet
from bot.settings import Language
from bot.text.phrases import say
from bot.text.refusals import kind_sentence
from bot.understand.understood import Understood
from knowledge import flags
from knowledge.errors import Refusal
from knowledge.flags import Flag
from knowledge.versions import DEFAULT, NEWEST, OLDEST, Version, parse


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What is known of a command's options: those that stop a start, each with what to do, and what is merely worth saying."""

    version: Version
    wrong: dict[str, str]
    notes: tuple[str, ...]


def checked_flags(understood: Understood, version: str | None) -> Checked:
    """The command's options under `version`, within the table's ends; None is the version that answers are for."""
    used = min(max(parse(version) if version else DEFAULT, OLDEST), NEWEST)
    language = understood.language
    wrong: dict[str, str] = {}
    told: list[str] = []
    for written, value in understood.flags.items():
        name = written if written.startswith("-") else f"--{written}"
        if (fault := _fault(name, value, used, language)) is not None:
            wrong[name] = fault
        else:
            told += _remarks(name, used, language)
    wrong |= {_subject(problem): kind_sentence(problem, language) for problem in understood.problems}
    return Checked(version=used, wrong=wrong, notes=tuple(told))


def check_sheet(understood: Understood, found: Checked, memory: Sheet | Refusal) -> Sheet:
    """The answer: wrong options stop a start whatever the memory is; then what `memory` says of it."""
    language = understood.language
    about = refusal_sheet(memory, language) if isinstance(memory, Refusal) else memory
    if not found.wrong:
        return replace(about, notes=(*found.notes, *about.notes))
    return replace(
        about,
        lead=say(language, "check.wrong-flags", version=found.version, flags=list(found.wrong)),
        tone=Tone.BAD,
        points_title=say(language, "check.title-problems"),
        points=tuple(found.wrong.values()),
        command_title=say(language, "check.title-command"),
        notes=(say(language, "check.memory", sentence=about.lead), *found.notes, *about.notes),
        feedback=True,
    )


def _subject(problem: Refusal) -> str:
    """What a problem quotes first: the option or the value that is wrong."""
    parts = problem.error.split("`")
    return parts[1] if len(parts) > 1 else problem.code


def _fault(name: str, value: Any, version: Version, language: Language) -> str | None:
    """Why that version refuses the option, None when it does not."""
    flag = flags.lookup(name)
    if flag is None:
        return say(language, "check.unknown", flag=name, near=flags.nearest(name, version))
    if flags.known(name, version):
        return _bad_choice(flag, name, value, version, language)
    known = {"flag": name, "version": version, "since": flag.since, "until": flag.until}
    if version < flag.since:
        return say(language, "check.not-yet", instead=flags.replacement(name, version), **known)
    if flag.known_in(version):
        return say(language, "check.cannot-negate", **known)
    return say(language, "check.gone", instead=flags.replacement(name, version), **known)


def _bad_choice(flag: Flag, name: str, value: Any, version: Version, language: Language) -> str | None:
    choices = flag.choices_in(version)
    if not flag.closed or not choices or not isinstance(value, str) or value in choices:
        return None
    return say(language, "check.bad-choice", flag=name, value=value, choices=choices, version=version)


def _remarks(name: str, version: Version, language: Language) -> Iterator[str]:
    """What is worth knowing of an option that is accepted."""
    flag = flags.lookup(name)
    if flag is None:
        return
    if flag.ignored and flag.ignored <= version:
        yield say(language, "check.ignored", flag=name, since=flag.ignored)
    elif flag.deprecated and flag.deprecated <= version:
        yield say(language, "check.deprecated", flag=name, since=flag.deprecated, instead=flag.instead)
