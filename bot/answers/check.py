"""Whether a pasted `vllm serve` command starts: its options first, for that version, then the memory."""

from collections.abc import Iterator
from dataclasses import replace

from bot.answers.sheet import Sheet, Tone
from bot.settings import Language
from bot.text.phrases import say
from bot.understand.understood import Understood
from knowledge import flags
from knowledge.errors import Refusal
from knowledge.versions import DEFAULT, NEWEST, OLDEST, Version, parse


def version_of(text: str | None) -> Version:
    """The version whose options hold, within the table's ends."""
    return min(max(parse(text) if text else DEFAULT, OLDEST), NEWEST)


def wrong_flags(understood: Understood, version: Version) -> dict[str, str]:
    """Options that this version does not accept, each with a sentence on what to do."""
    return dict(_wrong(understood, version))


def check_sheet(understood: Understood, version: Version, wrong: dict[str, str], memory: Sheet | Refusal) -> Sheet:
    """The answer: `wrong` options stop a start whatever the memory is; then what `memory` says of it."""
    from bot.answers.short import refusal_sheet

    language = understood.language
    about = refusal_sheet(memory, language) if isinstance(memory, Refusal) else memory
    if not wrong:
        return about
    return replace(
        about,
        lead=say(language, "check.wrong-flags", version=version, flags=list(wrong)),
        tone=Tone.BAD,
        points_title=say(language, "check.title-problems"),
        points=tuple(wrong.values()),
        notes=(say(language, "check.memory", sentence=about.lead), *about.notes),
        feedback=True,
    )


def _wrong(understood: Understood, version: Version) -> Iterator[tuple[str, str]]:
    for written in understood.flags:
        name = written if written.startswith("-") else f"--{written}"
        fault = _fault(name, version, understood.language)
        if fault is not None:
            yield name, fault


def _fault(name: str, version: Version, language: Language) -> str | None:
    flag = flags.find(name)
    if flag is None:
        return say(language, "check.unknown", flag=name, near=flags.nearest(name, version))
    if flag.known_in(version):
        return None
    if version < flag.since:
        return say(language, "check.not-yet", flag=name, since=flag.since, version=version)
    return say(language, "check.gone", flag=name, until=flag.until, instead=flag.instead)
