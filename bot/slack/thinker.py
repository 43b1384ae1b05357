"""The process that thinks: questions in on standard input, answers out on standard output, until the input ends.

`python -m bot.slack.thinker`. It is its own process because an answer takes milliseconds of arithmetic, and a question about an
unlisted model waits for its configuration: with both in one process, acknowledgements at 200 events a second took 470 ms
at the median instead of one. It ends with its input, so that nothing is left when the bot is killed.
"""

import logging
import os
import signal
import sys
import threading
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TextIO

from bot.answers.answer import Answer
from bot.bugs import report
from bot.conversation import context_after, pick, reply
from bot.settings import Settings
from bot.slack.thought import Question, Thought
from bot.slack.written import written
from bot.understand.understood import Intent, Understood
from bot.understand.wire import from_json, to_json

AT_ONCE = 2  # one thinks on while the other waits for the network
NICENESS = 10  # acknowledging comes first where there is one core for both
WARM_UP = (  # what loads every table that answers need
    "will 16k context fit on 4xA100 80GB with qwen2.5 72b?",
    "qwen3-30b-a3b fp8 双卡 4090 能跑多长？",
    "which gpu for deepseek v3, 32 users at 8k?",
    "what fits on a 24GB card?",
    "vllm serve Qwen/Qwen3-32B --tensor-parallel-size 2: will this start on 2xL40S?",
)


def think(question: Question) -> Thought:
    """Answers one question; never raises."""
    earlier = _earlier(question.earlier)
    if question.menu is not None and earlier is not None:
        answer = pick(earlier, question.settings, **{question.menu: question.value})
        return _thought(question, answer, answer.understood)
    answer = reply(question.text, earlier=earlier, language=question.language, settings=question.settings)
    return _thought(question, answer, context_after(answer, earlier))


def serve(lines: Iterable[str], out: TextIO) -> None:
    """Answers every line, in the order in which the answers are known."""
    writing = threading.Lock()

    def answer(line: str) -> None:
        try:
            thought = think(Question.model_validate_json(line))
            with writing:
                out.write(thought.model_dump_json() + "\n")
                out.flush()
        except Exception as fault:  # noqa: BLE001 - the boundary: whoever waits for this line gives up by itself
            report(fault)

    with ThreadPoolExecutor(AT_ONCE) as threads:
        for line in lines:
            threads.submit(answer, line)


def main() -> None:
    """Signals are for the bot, which lets this process finish what it was asked; nothing else may write to its output."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    os.nice(NICENESS)
    logging.basicConfig(stream=sys.stderr, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    out, sys.stdout = sys.stdout, sys.stderr
    for question in WARM_UP:
        reply(question, settings=Settings())
    out.write("\n")  # a blank line: warm
    out.flush()
    serve(sys.stdin, out)


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
    )


if __name__ == "__main__":
    main()
