"""A command in a reader's words: what was understood of it, and what is not clear or was not said."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from bot.settings import Language
from bot.text.clock import day, in_words, stretch
from bot.text.phrases import knows, say

if TYPE_CHECKING:
    from bot.commands.command import Command

_COMMAS: dict[Language, str] = {"en": ", ", "zh": "，"}
# What is told behind a command's own sentence, in this order.
_PARTS = (
    "gpus",
    "input_len",
    "output_len",
    "request_rate",
    "max_concurrency",
    "num_prompts",
    "duration_s",
    "serve",
    "override",
    "slo",
    "focus",
    "notify",
)
_IN_ITS_SENTENCE = {"deploy.change": {"override"}}
_MOST = 60  # characters of one value that are shown


def echo(command: "Command", language: Language) -> str:
    """One sentence: the command and every argument."""
    told = {name: _shown(name, value, language) for name, value in command.arguments.items()}
    if "from" in told:
        told["period"] = stretch(told["from"], told["to"], language)
    sentence = say(language, f"command.{command.name.replace('.', '_')}", a=told)
    parts = [
        say(language, f"command.part_{name}", value=told[name])
        for name in _PARTS
        if name in told and told[name] and name not in _IN_ITS_SENTENCE.get(command.name, ())
    ]
    return _COMMAS[language].join([sentence, *parts])


def notes(command: "Command", language: Language) -> tuple[str, ...]:
    """What was not said, with what is taken for it, and what can be read in two ways."""
    return (*_missing(command, language), *_ambiguous(command, language))


def _missing(command: "Command", language: Language) -> Iterator[str]:
    assumed = {name: _shown(name, value, language) for name, value in command.assumed.items()}
    lacking = [say(language, f"command.lacks_{name.replace(' ', '_')}") for name in command.missing]
    if lacking:
        taken = [
            say(language, f"command.part_{name}", value=value)
            for name, value in assumed.items()
            if _told(name, language)
        ]
        yield say(language, "command.missing", lacking=lacking, taken=taken)


def _told(name: str, language: Language) -> bool:
    return knows(language, f"command.part_{name}")


def _ambiguous(command: "Command", language: Language) -> Iterator[str]:
    for code in command.ambiguous:
        yield say(language, f"command.unsure_{code.replace('-', '_')}")


def _shown(name: str, value: Any, language: Language) -> Any:
    """A value as people read it; a flag's name with its dashes."""
    if name == "cron":
        return in_words(value, language)
    if name in ("run", "base", "runs"):
        return _listed([_run(each, language) for each in (value if isinstance(value, list) else [value])], language)
    if isinstance(value, dict):
        return _COMMAS[language].join(_option(key, each, language) for key, each in value.items())
    if isinstance(value, list):
        return _listed([str(each)[:_MOST] for each in value], language)
    if isinstance(value, int) and not isinstance(value, bool) and name not in ("job", "gpus"):
        return f"{value:,}"
    return value if isinstance(value, bool | int | float) else str(value)[:_MOST]


def _listed(items: list[str], language: Language) -> str:
    """`a, b and c`; in Chinese no space stands between two Chinese words."""
    before, last = items[:-1], items[-1]
    if not before:
        return last
    joint = " and " if language == "en" else f" 和{' ' if last.isascii() else ''}"
    return f"{(', ' if language == 'en' else '、').join(before)}{joint}{last}"


def _option(name: str, value: Any, language: Language) -> str:
    spelt = name.replace("_", "-")
    if isinstance(value, bool):
        return f"{spelt} {say(language, 'command.on' if value else 'command.off')}"
    if isinstance(value, dict | list):
        return f"{spelt} {_shown(name, value, language)}"
    return f"{spelt} {value}"


def _run(run: Any, language: Language) -> str:
    if isinstance(run, int):
        return say(language, "command.ref_number", number=run)
    if "nth" in run:
        return say(language, "command.ref_nth", nth=run["nth"])
    return say(language, f"command.ref_{run['ref']}", when=day(run.get("when", ""), language))
