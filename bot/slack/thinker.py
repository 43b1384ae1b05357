"""The process that thinks: questions in on standard input, answers out on standard output, until the input ends.

`tuning-bot think`, which `serve` runs. It is its own process because an answer takes milliseconds of arithmetic, and a question about an
unlisted model waits for its configuration: with both in one process, acknowledgements at 200 events a second took 470 ms
at the median instead of one. It ends with its input, so that nothing is left when the bot is killed.
"""

import os
import signal
import threading
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from io import TextIOWrapper
from itertools import chain
from pathlib import Path
from typing import TextIO

from pydantic import ValidationError

from bot.answers.answer import Answer
from bot.answers.diagnosis import of_paste
from bot.answers.fit import MOST_CHARTS
from bot.answers.pages import page
from bot.bugs import report
from bot.charts.memory import in_words, memory_bar
from bot.charts.png import asked
from bot.conversation import answer_understood, context_after, pick, reply
from bot.settings import Settings
from bot.sheet import Act
from bot.slack.thought import Chart, Question, Thought
from bot.slack.written import sentence, written
from bot.text.phrases import say
from bot.understand.understood import Intent, Understood
from bot.understand.wire import from_json, to_json
from bot.world import World
from knowledge import catalogue
from knowledge.logs.lines import pieces

AT_ONCE = 2  # one thinks on while the other waits for the network
NICENESS = 5  # acknowledging comes first where there is one core for both
WARM_UP = (  # what loads every table that answers need
    "will 16k context fit on 4xA100 80GB with qwen2.5 72b?",
    "qwen3-30b-a3b fp8 双卡 4090 能跑多长？",
    "which gpu for deepseek v3, 32 users at 8k?",
    "what fits on a 24GB card?",
    "vllm serve Qwen/Qwen3-32B --tensor-parallel-size 2: will this start on 2xL40S?",
)


def think(question: Question) -> Thought:
    """Answers one question. A fault of ours becomes a sentence with a reference."""
    named = question.settings.defaults.model
    catalogue.keep_to_folders(frozenset({named} if named else ()))
    earlier = _earlier(question.earlier)
    if question.act is Act.CHART:
        return _charted(question, earlier)
    if question.act is not None:
        language = question.language or "en"
        answer = page(question.act, question.value, language, question.settings, direct=question.direct)
        return _thought(question, answer, context_after(answer, earlier))
    if question.log or question.files:
        answer = _diagnosis(question)
        return _thought(question, answer, answer.understood)
    if question.menu is not None and earlier is not None:
        answer = pick(earlier, question.settings, **{question.menu: question.value})
        return _thought(question, answer, answer.understood)
    answer = reply(question.text, earlier=earlier, language=question.language, settings=question.settings)
    return _thought(question, answer, context_after(answer, earlier))


def _charted(question: Question, earlier: Understood | None) -> Thought:
    """The charts of an earlier question's answer, to be drawn elsewhere; none where it has no GPU."""
    if earlier is None:
        return Thought(number=question.number, text="", blocks=[], known="null", language="en", refused=True)
    answer = answer_understood(earlier, question.settings)
    language = earlier.language
    bars = [bar for estimate in answer.estimates[:MOST_CHARTS] if (bar := memory_bar(estimate)) is not None]
    charts = tuple(Chart(bar=asked(bar, language).decode(), told=in_words(bar, language)) for bar in bars)
    return _thought(question, answer, answer.understood).model_copy(update={"charts": charts})


def _diagnosis(question: Question) -> Answer:
    """What is wrong in the text, or in the files that it came with."""
    if not question.files:
        return of_paste("", question.text.splitlines(), question.settings, language=question.language)[0]
    with ExitStack() as opened:
        streams = [opened.enter_context(Path(each).open("rb")) for each in question.files]
        lines = chain.from_iterable(pieces(stream) for stream in streams)
        return of_paste(question.text, lines, question.settings, language=question.language)[0]


def serve(lines: Iterable[str], out: TextIO) -> None:
    """Answers every line, in the order in which the answers are known."""
    writing = threading.Lock()

    def answer(line: str) -> None:
        thought = _guarded(line)
        if thought is not None:
            with writing:
                out.write(thought.model_dump_json() + "\n")
                out.flush()

    with ThreadPoolExecutor(AT_ONCE) as threads:
        for line in lines:
            threads.submit(answer, line)


def run(world: World) -> None:
    """Signals are for the bot, which lets this process finish what it was asked. A blank line says that it is warm."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    with suppress(OSError):  # where a sandbox forbids it, answers come first come first served
        os.nice(NICENESS)
    for question in WARM_UP:
        reply(question, settings=Settings())
    world.say("")
    serve(TextIOWrapper(world.stdin, "utf-8"), world.stdout)


def _guarded(line: str) -> Thought | None:
    """The boundary; None for a line that is no question, whose sender gives up by itself."""
    try:
        question = Question.model_validate_json(line)
    except ValidationError as fault:
        report(fault)
        return None
    try:
        return think(question)
    except Exception as fault:  # noqa: BLE001 - the boundary
        language = question.language or "en"
        told = sentence(f"{report(fault).sentence(language)}\n{say(language, 'short.bug_hint')}")
        return Thought(number=question.number, **told, known="null", language=language, refused=True)


def _earlier(kept: str | None) -> Understood | None:
    """None too for what another version of the bot wrote down."""
    try:
        return from_json(kept) if kept else None
    except (ValueError, KeyError, TypeError):
        return None


def _thought(question: Question, answer: Answer, known: Understood) -> Thought:
    message = written(answer, question.mark, question.revision)
    return Thought(
        number=question.number,
        text=message["text"],
        blocks=message["blocks"],
        known=to_json(known),
        language=answer.understood.language,
        small_talk=answer.understood.intent is Intent.DECLINE,
        refused=answer.refusal is not None or answer.bug is not None,
        started=answer.started.model_dump_json() if answer.started else None,
    )
