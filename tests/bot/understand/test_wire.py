"""Understood survives JSON."""

import json

import pytest

from bot.understand import wire
from bot.understand.message import understand
from bot.understand.understood import Understood


@pytest.mark.parametrize(
    "text",
    [
        "",
        "qwen2.5-72b tp4 util .95 on 4xA100 80G, 16k, with MTP n=2, 2 nodes of 2 gpus, how fast?",
        "does qwen3-8b fit on an L4? and how many users can it take?",
        "vllm serve Qwen/Qwen3-8B --max-model-len 8192 --limit-mm-per-prompt '{\"image\": 2}'",
        "千问 72b 两张 H20 放得下吗",
        "hello",
    ],
)
def test_it_comes_back_as_it_was(text: str) -> None:
    understood = understand(text)
    assert wire.from_json(wire.to_json(understood)) == understood


def test_refusals_come_back_saying_the_same() -> None:
    problem = wire.from_json(wire.to_json(understand("qwen3-8b on 0 A100"))).problems[0]
    assert (problem.code, problem.facts) == ("bad-count", {"value": "0"})


def test_a_field_of_another_release_is_passed_over() -> None:
    stored = json.loads(wire.to_json(understand("qwen3-8b on an L4")))
    stored["fields"]["colour"] = "blue"
    assert isinstance(wire.from_json(json.dumps(stored)), Understood)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"text": 1}'])
def test_anything_else_is_an_error(text: str) -> None:
    with pytest.raises((ValueError, KeyError, TypeError)):
        wire.from_json(text)
