"""Answers as Slack messages: within every limit, in both languages, for every model that the bot knows."""

import json

import pytest

from bot.conversation import answer_request, reply
from bot.playground.server import validate_blocks, view_problems
from bot.playground.server.text import broadcasts, unescaped
from bot.settings import Defaults, Language, Settings
from bot.slack.home import home
from bot.slack.written import question_of, sentence, text, written
from knowledge import catalogue
from knowledge.fit.request import FitRequest

LANGUAGES: tuple[Language, ...] = ("en", "zh")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("model", sorted(catalogue.ids()))
def test_every_models_answer_is_within_slacks_limits(model: str, language: Language) -> None:
    answer = answer_request(FitRequest(model=model, gpu="H100-80GB", count=8, context=16_384), language, Settings())
    message = written(answer, "C0123456789-1796101517.659865", 12)
    assert not validate_blocks(message["blocks"])
    assert 0 < len(message["text"]) <= 4000
    assert not unescaped(message["text"])
    assert sum(len(found) for found in _texts(message["blocks"])) < 12_000


def _texts(node: object) -> list[str]:
    if isinstance(node, list):
        return [found for item in node for found in _texts(item)]
    if isinstance(node, dict):
        own = [node["text"]] if isinstance(node.get("text"), str) else []
        return own + [found for value in node.values() for found in _texts(value)]
    return []


def test_blocks_carry_the_question_and_the_revision() -> None:
    answer = reply("will 16k context fit on 4×A100 80GB with qwen2.5 72b?")
    first, second = written(answer, "C1-5.0"), written(answer, "C1-5.0", 1)
    marks = [block["block_id"] for block in first["blocks"] if "block_id" in block]
    assert marks == ["menus:0:C1-5.0", "acts:0:C1-5.0", "feedback:0:C1-5.0"]
    assert {question_of(mark) for mark in marks} == {"C1-5.0"}
    assert not set(marks) & {block.get("block_id") for block in second["blocks"]}


@pytest.mark.parametrize("block_id", ["", "b1", "menus-12ab", "menus:1", "menus:1:"])
def test_other_blocks_belong_to_no_question(block_id: str) -> None:
    assert question_of(block_id) is None


def test_nothing_in_a_text_mentions_anybody() -> None:
    said = "<!channel> <@U1> & <https://evil.example|click> " * 200
    for shown in (text(said), json.dumps(sentence(said))):
        assert not broadcasts(shown)
        assert not unescaped(shown.replace('"', ""))
    assert len(text(said)) <= 4000
    assert not validate_blocks(sentence(said)["blocks"])


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "settings",
    [Settings(), Settings(defaults=Defaults(model="qwen2.5 72b", vllm_version="0.11", language="zh"))],
    ids=["defaults", "chosen"],
)
def test_the_home_tab_is_within_slacks_limits(language: Language, settings: Settings) -> None:
    assert not view_problems(home(language, settings), only="home")
