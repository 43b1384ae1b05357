"""A command in a reader's words: what was understood of it, and what is not clear or was not said."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from bot.settings import Language
from bot.text.clock import in_words, stretch
from bot.text.phrases import knows, say

if TYPE_CHECKING:
    from bot.commands.command import Command

_COMMAS: dict[Language, str] = {"en": ", ", "zh": "，"}
_ANDS: dict[Language, str] = {"en": " and ", "zh": " 和 "}
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
        runs = [_run(each, language) for each in (value if isinstance(value, list) else [value])]
        return _ANDS[language].join(runs)
    if isinstance(value, dict):
        return _COMMAS[language].join(_option(key, each, language) for key, each in value.items())
    if isinstance(value, list):
        return _ANDS[language].join(
            [", ".join(str(each) for each in value[:-1]), str(value[-1])] if len(value) > 1 else [str(value[0])]
        )
    if isinstance(value, int) and not isinstance(value, bool) and name not in ("job", "gpus"):
        return f"{value:,}"
    return value if isinstance(value, bool | int | float) else str(value)[:_MOST]


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
    return say(language, f"command.ref_{run['ref']}", when=str(run.get("when", "")).replace("_", " "))
