"""`tuning-bot ask`: one message, or one a line, answered as in Slack."""

from collections import OrderedDict
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import BaseModel, ConfigDict

from bot.cli import lines
from bot.outside import checked
from bot.settings import Language
from bot.world import World
from knowledge.errors import Refusal

THREADS = 10_000  # threads of one stream whose context is kept, the oldest forgotten first

TEXT = typer.Argument(help="the question, in English or Chinese", show_default=False)
LANG = typer.Option("--lang", help="answer in this language, whatever the question's", show_default=False)
JSON = typer.Option("--json", help="print the answer object")
JSONL = typer.Option(
    "--jsonl", help='answer {"id", "text", "lang"?, "thread"?} lines from standard input, one object a line'
)
NO_BAR = typer.Option("--no-bar", help="without the bar of one GPU's memory")
CONFIG = typer.Option("--config", help="the settings file; TUNING_BOT_CONFIG names it otherwise", show_default=False)


class Line(BaseModel):
    """One message of `ask --jsonl`; lines with the same `thread` share context."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    text: str
    lang: Language | None = None
    thread: Any = None


def ask(  # noqa: PLR0913, PLR0917 - one parameter an option
    ctx: typer.Context,
    text: Annotated[list[str] | None, TEXT] = None,
    lang: Annotated[Language | None, LANG] = None,
    as_json: Annotated[bool, JSON] = False,
    as_jsonl: Annotated[bool, JSONL] = False,
    no_bar: Annotated[bool, NO_BAR] = False,
    config: Annotated[Path | None, CONFIG] = None,
) -> int:
    """Answer a question: will it fit, how long, how many at once, which GPU, which flags."""
    world: World = ctx.obj
    settings = world.settings(config)
    if as_jsonl:
        return _stream(world, settings, lang)
    if text is None:
        raise Refusal(
            "no-question", "There is no question.", 'Write one, such as `tuning-bot ask "qwen2.5 7b on a 4090, 32k?"`.'
        )
    from bot.conversation import reply

    answer = reply(" ".join(text), language=lang, settings=settings)
    if as_json:
        from bot.answers.wire import as_object

        world.say(lines.compact(as_object(answer)))
    else:
        from bot.terminal import show

        show(answer, world.stdout, bar=not no_bar)
    return int(answer.bug is not None)


def _stream(world: World, settings: Any, lang: Language | None) -> int:
    from bot.answers.wire import as_object
    from bot.conversation import context_after, reply
    from bot.understand.understood import Understood

    threads: OrderedDict[str, Understood] = OrderedDict()

    def answer(asked: dict[str, Any]) -> dict[str, Any]:
        line = checked(Line, asked)
        thread = None if line.thread is None else lines.compact(line.thread)
        earlier = threads.get(thread) if thread else None
        answered = reply(line.text, earlier=earlier, language=line.lang or lang, settings=settings)
        if thread:
            threads[thread] = context_after(answered, earlier)
            threads.move_to_end(thread)
            if len(threads) > THREADS:
                threads.popitem(last=False)
        return as_object(answered)

    lines.serve(world, answer)
    return 0
