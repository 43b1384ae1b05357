"""Several questions in one message."""

import pytest

from bot.understand.message import understand
from bot.understand.understood import Intent
from tests.bot.understand.message_tables import blocks, expected


@pytest.mark.parametrize("block", blocks("parts.txt"), ids=lambda block: block[0])
def test_each_question_is_told_apart_and_inherits_what_came_before(block: list[str]) -> None:
    understood = understand(block[0])
    wanted = [expected(f"part | {line.removeprefix('> ')}") for line in block[1:]]
    assert [part.intent.value for part in understood.parts] == [want.intent for want in wanted]
    for part, want in zip(understood.parts, wanted, strict=True):
        assert {name: getattr(part.fields, name) for name in want.fields} == want.fields


def test_the_outer_one_is_the_first() -> None:
    understood = understand("does qwen3-8b fit on an L4 at 8k? and how many users can it take?")
    assert (understood.intent, understood.fields) == (understood.parts[0].intent, understood.parts[0].fields)


@pytest.mark.parametrize(
    "text",
    [
        "will a 3B fit on 8gb 3070? qwen2.5-3b-instruct no quant, ctx 4096",
        "can we do it? will qwen3-8b fit on an L4?",
        "our tpot jitters. which knob? and what does chunked prefill do?",
        "qwen3-8b, one L4, 8k, fp8 kv, ok?",
    ],
)
def test_one_question_stays_one(text: str) -> None:
    assert understand(text).parts == ()


def test_no_more_than_six_questions_are_taken() -> None:
    questions = " ".join(f"{number}. does qwen3-8b fit on {number} L4 at 8k?" for number in range(1, 9))
    assert len(understand(questions).parts) == 6


def test_speed_is_no_question_of_its_own() -> None:
    understood = understand("does qwen3-8b fit on an L4? how fast is it?")
    assert (understood.intent, understood.parts) == (Intent.FIT, ())
