"""`tuning-bot quiz`: played at a terminal, printed to a pipe, as JSON on request."""

import io
import json
import re

import pytest

from bot.cli.app import run
from bot.world import World
from knowledge.quiz import questions
from tests.bot.cli.test_app import called


class Typed(io.BytesIO):
    """What a person types at a terminal."""

    def isatty(self) -> bool:
        return True


class Screen(io.StringIO):
    """A terminal's screen."""

    def isatty(self) -> bool:
        return True


def played(*arguments: str, typed: str) -> str:
    screen = Screen()
    world = World(environment={}, stdin=Typed(typed.encode()), stdout=screen, stderr=io.StringIO())
    assert run(["quiz", *arguments], world) == 0
    return screen.getvalue()


def test_the_answer_comes_after_enter_and_the_score_after_the_verdict() -> None:
    screen = played("--count", "2", typed="\ny\n\nn\n")
    assert screen.index("How many bytes") < screen.index("press Enter") < screen.index("524,288 bytes")
    assert screen.index("524,288 bytes") < screen.index("Score: 1 of 1") < screen.index("Score: 1 of 2")
    assert "1 of 2 known." in screen
    assert screen.rstrip().endswith("(tuning-bot kb show queueing)")


def test_a_round_in_chinese_takes_chinese_answers() -> None:
    screen = played("--lang", "zh", "--count", "1", typed="\n是\n")
    assert "第 1 题，共 1 题" in screen
    assert "全对！" in screen


@pytest.mark.parametrize("typed", ["q\n", "\nq\n", "", "\n"], ids=["before", "after", "closed", "closed after"])
def test_a_round_can_be_ended_at_any_prompt(typed: str) -> None:
    assert "0 of 0 known." in played(typed=typed)


def test_a_round_at_a_terminal_has_ten() -> None:
    assert "Question 1 of 10" in played(typed="q\n")


def test_without_a_terminal_questions_stand_with_their_answers() -> None:
    status, out, _ = called("quiz", "--count", "3")
    assert status == 0
    assert len(re.findall(r"^\d+\. ", out, re.MULTILINE)) == 3
    assert "524,288 bytes" in out


def test_as_json_every_question_has_its_answer_and_entry() -> None:
    listed = json.loads(called("quiz", "--json", "--lang", "zh")[1])
    assert len(listed) == len(questions())
    assert all(each["question"] and each["answer"] and each["entries"] for each in listed)


def test_a_quiz_of_nothing_is_a_wrong_call() -> None:
    status, out, err = called("quiz", "--count", "0")
    assert (status, out) == (2, "")
    assert "--count" in err
