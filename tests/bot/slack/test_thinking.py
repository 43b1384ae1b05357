"""The process that thinks answers, is started again when it ends, and is ended when it hangs."""

import asyncio
import sys
from collections.abc import AsyncIterator
from io import StringIO
from typing import Any

import pytest

from bot.settings import Settings
from bot.slack import thinker
from bot.slack.thinking import Thinking, Thoughtless
from bot.slack.thought import Question, Thought
from bot.understand.understood import Intent
from bot.understand.wire import from_json

ASKED = Question(number=0, text="will 16k context fit on 4×A100 80GB with qwen2.5 72b?", settings=Settings(), mark="q")
ANSWER = """
import json, sys
print(flush=True)
for line in sys.stdin:
    number = json.loads(line)["number"]
    print(json.dumps({"number": number, "text": "yes", "blocks": [], "known": "null", "language": "en"}), flush=True)
"""
ENDS_ONCE = """
import pathlib, sys
mark = pathlib.Path(sys.argv[1])
if not mark.exists():
    mark.touch()
    sys.stdin.readline()
    sys.exit(3)
"""
HANGS = "import sys\nfor line in sys.stdin: pass\nsys.stdin.close()\nimport time\ntime.sleep(60)"


@pytest.fixture
async def thinking() -> AsyncIterator[Thinking]:
    thinking = Thinking()
    await thinking.start()
    yield thinking
    await thinking.close()


async def test_many_questions_at_once(thinking: Thinking) -> None:
    await thinking.warm()
    texts = ["hello", ASKED.text, "qwen3-32b 双卡 4090 能跑 32k 吗？"]
    thoughts = await asyncio.gather(*(thinking.about(ASKED.model_copy(update={"text": text})) for text in texts))
    assert [thought.language for thought in thoughts] == ["en", "en", "zh"]
    assert [thought.small_talk for thought in thoughts] == [True, False, False]
    assert thoughts[1].text.startswith("Yes: Qwen2.5-72B-Instruct fits")


def script(text: str, *arguments: str) -> list[str]:
    return [sys.executable, "-c", text, *arguments]


async def test_a_process_that_ended_is_started_again_and_asked_again(tmp_path: Any) -> None:
    thinking = Thinking(script(ENDS_ONCE + ANSWER, str(tmp_path / "mark")))
    assert (await thinking.about(ASKED)).text == "yes"
    await thinking.close()


SLOW = """
import json, sys, time
for line in sys.stdin:
    number = json.loads(line)["number"]
    time.sleep(0.05)
    print(json.dumps({"number": number, "text": "yes", "blocks": [], "known": "null", "language": "en"}), flush=True)
"""


async def test_standing_in_line_is_not_hanging() -> None:
    thinking = Thinking(script(SLOW), patience=2.0)
    thoughts = await asyncio.gather(*(thinking.about(ASKED) for _ in range(60)))
    assert [thought.text for thought in thoughts] == ["yes"] * 60
    await thinking.close()


async def test_a_question_that_ends_it_twice_gets_no_answer() -> None:
    thinking = Thinking(script("import sys; sys.stdin.readline(); sys.exit(3)"))
    with pytest.raises(Thoughtless):
        await thinking.about(ASKED)
    await thinking.close()


async def test_a_process_that_hangs_is_ended() -> None:
    thinking = Thinking(script("import sys, time\nsys.stdin.readline()\ntime.sleep(60)"), patience=0.5)
    await thinking.start()
    await thinking.warm()
    with pytest.raises(Thoughtless):
        await thinking.about(ASKED)
    await thinking.close()


async def test_a_process_that_will_not_go_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    from bot.slack import thinking as module

    monkeypatch.setattr(module, "GOODBYE", 0.2)
    thinking = Thinking(script(HANGS))
    await thinking.start()
    await thinking.close()


async def test_one_that_never_started_is_closed_at_once() -> None:
    await Thinking().close()


def answered(**changed: Any) -> Thought:
    return thinker.think(ASKED.model_copy(update=changed))


def test_a_follow_up_goes_on_from_what_is_known() -> None:
    first = answered()
    second = answered(text="and with 8 of them?", earlier=first.known)
    assert from_json(second.known).fields.count == 8


def test_a_menu_asks_the_same_of_another_card() -> None:
    picked = answered(text="", earlier=answered().known, menu="gpu", value="H100-80GB")
    assert "H100-80GB" in picked.text.splitlines()[0]


def test_a_log_is_diagnosed_in_the_language_asked_for() -> None:
    diagnosed = answered(text="ValueError: No available memory for the cache blocks.", log=True, language="zh")
    assert from_json(diagnosed.known).intent is Intent.DIAGNOSE
    assert "显存" in diagnosed.text


@pytest.mark.parametrize("kept", ["", "no JSON", "{}", '{"text": 1}', "null"])
def test_what_another_version_wrote_down_is_let_go(kept: str) -> None:
    assert answered(earlier=kept).text == answered().text


def test_lines_are_answered_and_others_let_go() -> None:
    out = StringIO()
    thinker.serve(["no JSON\n", ASKED.model_dump_json() + "\n", "{}\n"], out)
    (line,) = out.getvalue().splitlines()
    assert Thought.model_validate_json(line).number == 0


def test_a_fault_of_ours_is_a_sentence_with_a_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(thinker, "reply", fail)
    out = StringIO()
    thinker.serve([ASKED.model_dump_json() + "\n"], out)
    thought = Thought.model_validate_json(out.getvalue())
    assert "reference" in thought.text
    assert thought.refused
