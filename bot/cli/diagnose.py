"""`tuning-bot diagnose`: a pasted log, page, benchmark or traceback, or one a line, told what is wrong with it."""

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer
from pydantic import BaseModel, ConfigDict

from bot.cli import lines
from bot.cli.ask import CONFIG, LANG
from bot.outside import checked, shown
from bot.settings import Language, Settings
from bot.world import World
from knowledge.errors import Refusal
from knowledge.logs.lines import pieces

if TYPE_CHECKING:
    from bot.answers.answer import Answer
    from knowledge.logs.diagnosis import Diagnosis


FILE = typer.Argument(help="the file to read; `-` or nothing for standard input", show_default=False)
MESSAGE = typer.Option("--message", help="what is wondered about, in your own words", show_default=False)
JSON = typer.Option("--json", help="print the diagnosis object")
JSONL = typer.Option(
    "--jsonl", help='answer {"id", "message", "log"} lines from standard input, one diagnosis object a line'
)
REMEMBER = typer.Option(
    "--remember", metavar="HOST", help="keep what this start observed, for estimates on that host", show_default=False
)


class Paste(BaseModel):
    """One line of `diagnose --jsonl`."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    message: str = ""
    log: str
    lang: Language | None = None


def diagnose(  # noqa: PLR0913, PLR0917 - one parameter an option
    ctx: typer.Context,
    file: Annotated[str | None, FILE] = None,
    message: Annotated[str, MESSAGE] = "",
    remember: Annotated[str | None, REMEMBER] = None,
    lang: Annotated[Language | None, LANG] = None,
    as_json: Annotated[bool, JSON] = False,
    as_jsonl: Annotated[bool, JSONL] = False,
    config: Annotated[Path | None, CONFIG] = None,
) -> int:
    """Say what is wrong in a vLLM log, traceback, /metrics page, benchmark output or nvidia-smi, and what to do."""
    world: World = ctx.obj
    settings = world.settings(config)
    if as_jsonl:
        lines.serve(world, lambda asked: _object(checked(Paste, asked), lang, settings))
        return 0
    from bot.answers.diagnosis import as_object, of_paste

    with ExitStack() as open_files:
        stream = world.stdin if file in (None, "-") else open_files.enter_context(_opened(str(file)))
        answer, found = of_paste(message, pieces(stream), settings, language=lang)
    kept = _remembered(world, settings, answer, found, remember) if remember else {}
    if as_json:
        world.say(lines.compact(as_object(answer, found) | kept))
        return 0
    from bot.terminal import show

    show(answer, world.stdout)
    if kept:
        world.say(str(kept["remembered"]["text"]))
    return 0


def _remembered(world: World, settings: Settings, answer: "Answer", found: "Diagnosis", host: str) -> dict[str, Any]:
    """Keeps what the start observed, and says so; or says what its log lacks."""
    from bot.answers.remembering import remember

    kept, text = remember(found, answer.understood, settings, world.observed(settings), host, world.clock())
    return {"remembered": {"host": host, "kept": kept, "text": text}}


def _object(paste: Paste, lang: Language | None, settings: Settings) -> dict[str, Any]:
    from bot.answers.diagnosis import as_object, of_paste

    answer, found = of_paste(paste.message, paste.log.splitlines(), settings, language=paste.lang or lang)
    return as_object(answer, found)


def _opened(file: str) -> BinaryIO:
    """The named file. Refuses one that cannot be read."""
    try:
        return Path(file).open("rb")
    except OSError as fault:
        raise Refusal(
            "file-unreadable",
            f"`{shown(file)}` cannot be read: {fault.strerror}.",
            "Give the path of a log, or pipe it in: docker logs CONTAINER 2>&1 | tuning-bot diagnose -",
        ) from None
