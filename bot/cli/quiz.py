"""`tuning-bot quiz`: questions to think about, their answers, and a score."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.cli.ask import CONFIG
from bot.settings import Language
from bot.text.phrases import say
from bot.world import World

if TYPE_CHECKING:
    from knowledge.quiz import Question, Shown

AT_A_TERMINAL = 10  # questions of a round, unless --count says otherwise
YES = frozenset(["y", "yes", "是", "对", "会"])
END = "q"

LANG = typer.Option("--lang", help="`en` or `zh`", show_default=False)
COUNT = typer.Option("--count", min=1, help="how many questions; at a terminal 10, else all", show_default=False)
SEED = typer.Option("--seed", help="shuffle what follows the first three questions", show_default=False)
JSON = typer.Option("--json", help="print the questions with their answers as JSON")


def quiz(
    ctx: typer.Context,
    lang: Annotated[Language | None, LANG] = None,
    count: Annotated[int | None, COUNT] = None,
    seed: Annotated[int | None, SEED] = None,
    as_json: Annotated[bool, JSON] = False,
    config: Annotated[Path | None, CONFIG] = None,
) -> int:
    """Think first, then reveal: questions about vLLM with a score; without a terminal, questions and answers."""
    from knowledge.quiz import round_of, shown

    world: World = ctx.obj
    language = lang or world.settings(config).defaults.language or "en"
    if as_json:
        _print_json(world, [shown(question, language) for question in round_of(count, seed)])
    elif world.stdin.isatty() and world.stdout.isatty():
        _play(world, round_of(count or AT_A_TERMINAL, seed), language)
    else:
        for place, question in enumerate(round_of(count, seed), 1):
            found = shown(question, language)
            world.say(f"{place}. {found.ask}\n   {found.answer}\n   {_read_on(found, language)}\n")
    return 0


def _print_json(world: World, found: "Sequence[Shown]") -> None:
    from bot.cli.lines import compact

    world.say(
        compact(
            [{"id": each.id, "question": each.ask, "answer": each.answer, "entries": [each.entry]} for each in found]
        )
    )


def _play(world: World, questions: "Sequence[Question]", language: Language) -> None:
    """One question after another until the last or `q`; the score, and what is worth reading."""
    from knowledge.quiz import Shown, shown

    known, missed = 0, list[Shown]()
    for place, question in enumerate(questions, 1):
        found = shown(question, language)
        world.say(f"\n{say(language, 'quiz.question', place=place, total=len(questions))}\n{found.ask}\n")
        if _heard(world, say(language, "quiz.enter")) == END:
            break
        world.say(f"\n{found.answer}\n")
        heard = _heard(world, say(language, "quiz.ask_knew"))
        if heard == END:
            break
        known, missed = (known + 1, missed) if heard in YES else (known, [*missed, found])
        world.say(say(language, "quiz.score", known=known, answered=known + len(missed)))
    world.say(f"\n{say(language, 'quiz.finished', known=known, answered=known + len(missed))}")
    for line in dict.fromkeys(_read_on(found, language) for found in missed):
        world.say(line)


def _heard(world: World, prompt: str) -> str:
    """What was typed after `prompt`; `q` where the input ended."""
    world.stdout.write(f"{prompt} ")
    world.stdout.flush()
    line = world.stdin.readline()
    return line.decode("utf-8", "replace").strip().lower() if line else END


def _read_on(found: "Shown", language: Language) -> str:
    return say(language, "quiz.read_on", title=found.title, entry=found.entry)
