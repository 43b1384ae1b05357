"""The answer to a request to act: what was understood, what becomes of it, and what a person can type today."""

from dataclasses import replace

from bot.answers.answer import Answer
from bot.answers.whole import single
from bot.commands import Command, Risk, equivalent, read
from bot.settings import Settings
from bot.sheet import Sheet, Tone
from bot.text import orders
from bot.text.phrases import say
from bot.text.refusals import kind_sentence
from bot.understand.understood import Understood


def answer(understood: Understood, settings: Settings) -> Answer:
    """The command is told whether or not it can be carried out; what is beyond a limit is refused with the limit."""
    command = read(understood.text, understood.language, understood.fields)
    if command is None:
        return single(understood, _unclear(understood))
    command = _completed(command, settings)
    return single(
        understood,
        _sheet(command, understood, settings),
        command=command.as_object(),
        assumed=command.assumed,
        refusal=command.problems[0] if command.problems else None,
    )


def _completed(command: Command, settings: Settings) -> Command:
    """The team's defaults for what was not said: its model, its time zone."""
    usual = {"model": ("model", settings.defaults.model), "timezone": ("tz", settings.defaults.timezone)}
    assumed = {name: value for lacking, (name, value) in usual.items() if lacking in command.missing and value}
    return replace(command, assumed=command.assumed | assumed)


def _sheet(command: Command, understood: Understood, settings: Settings) -> Sheet:
    language = understood.language
    echo = orders.echo(command, language)
    if command.problems:
        reasons = [kind_sentence(problem, language) for problem in command.problems]
        return Sheet(
            lead="\n".join(reasons),
            notes=(say(language, "command.understood", echo=echo),),
            tone=Tone.BAD,
            feedback=False,
        )
    typed = equivalent(command, settings.defaults.model)
    return Sheet(
        lead="\n".join([say(language, "command.understood", echo=echo), _becomes(command, understood, typed)]),
        command=typed,
        command_title=say(language, "command.instead") if typed else "",
        notes=orders.notes(command, language),
        feedback=False,
    )


def _becomes(command: Command, understood: Understood, typed: str | None) -> str:
    """What happens now. Nothing is carried out from here: a front with an executor does that, and says so itself."""
    if command.risk is Risk.NEVER:
        return say(understood.language, "command.never", measure=bool(command.arguments["override"]))
    return say(understood.language, "command.not_yet_typed" if typed else "command.not_yet")


def _unclear(understood: Understood) -> Sheet:
    language = understood.language
    return Sheet(
        lead=say(language, "command.unclear"),
        points=tuple(say(language, "command.unclear_points").splitlines()),
        feedback=False,
    )
