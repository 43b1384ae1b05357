"""Requests to act as people write them, in both languages, and the command that each is."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.commands import read
from bot.commands.certainty import certain
from bot.understand.message import understand
from bot.understand.understood import Fields, Intent

FOLDER = Path(__file__).parents[2] / "data" / "messages"


def lines(name: str) -> list[str]:
    """The lines of a table that are no headings."""
    text = (FOLDER / name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


@pytest.mark.parametrize("line", lines("commands.txt"))
def test_a_request_is_the_command_that_was_asked_with_all_it_says_and_nothing_else(line: str) -> None:
    text, name, arguments = line.split(" | ")
    understood = understand(text)
    assert understood.intent is Intent.COMMAND
    command = read(understood.text, understood.language, understood.fields)
    assert command is not None
    assert (command.name.value, command.arguments) == (name, json.loads(arguments))


@pytest.mark.parametrize(
    "line",
    [
        line
        for line in lines("intents.txt")
        if not line.startswith(("command |", "decline destructive", "decline injection"))
    ],
)
def test_no_other_message_is_certainly_a_request(line: str) -> None:
    text = line.partition(" | ")[2].replace("\\n", "\n")
    assert not certain(text, subject=understand(text).fields != Fields())


def test_a_benchmark_of_what_the_thread_is_about_needs_no_name() -> None:
    command = read("bench it at 10 rps", "en", Fields(model_id="Qwen/Qwen3-8B", gpu="RTX 4090"))
    assert command is not None
    assert command.arguments == {"model": "Qwen/Qwen3-8B", "request_rate": 10, "targets": ["rtx-4090"]}


def test_a_message_that_asks_for_nothing_is_no_command() -> None:
    assert read("qwen3-8b", "en") is None


WORDS = (
    "bench rerun sweep tune cancel compare why explain logs baseline run job #12 15 12 1k 2k in out 20rps for 10 min on h100 4090 gpu-01 prod "
    "p95 ttft last 24h every day at 9:30 mon,wed report schedule pause delete watch alert above 压测 再跑 取消 每天 九点 半 日报 线上 任务 号 并发 "
    "max-num-seqs = , 、 and than my all's @bob 0 -1 99999999999 % ? 的"
)


@settings(deadline=None)
@given(st.text(max_size=200))
def test_no_text_makes_it_raise(text: str) -> None:
    command = read(text, "en")
    assert command is None or json.dumps(command.as_object())


@settings(deadline=None)
@given(st.lists(st.sampled_from(WORDS.split()), max_size=20))
def test_no_order_of_its_own_words_makes_it_raise(words: list[str]) -> None:
    command = read(" ".join(words), "zh")
    assert command is None or json.dumps(command.as_object())
