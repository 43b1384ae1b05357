"""Every answer for every catalogue model, in both languages, passes the rules of Slack's blocks."""

import json
from collections.abc import Iterator, Sequence

from bot.answers.answer import Answer
from bot.answers.fit import fit_sheet
from bot.answers.whole import joined, single
from bot.blocks import limits
from bot.conversation import answer_understood
from bot.playground.server.blocks.payload import validate_blocks
from bot.settings import Language, Settings
from bot.understand.understood import Fields, Intent, Understood
from knowledge import catalogue
from knowledge.errors import Refusal
from knowledge.fit.estimate import Estimate
from knowledge.fit.estimator import estimates
from knowledge.fit.request import FitRequest

SETTINGS = Settings()
LANGUAGES: tuple[Language, ...] = ("en", "zh")
PAYLOAD = 13_000  # characters of a message's blocks as JSON, menus not counted


def asked(model_id: str) -> Iterator[FitRequest]:
    """A name that means two cards, and a small card with more requests than it holds."""
    yield FitRequest(model=model_id, gpu="A100", count=4)
    yield FitRequest(model=model_id, gpu="RTX 4090", context=8192, concurrency=64, vllm_version="0.11")


def said(found: Sequence[Estimate], language: Language) -> Answer:
    """The message about these estimates."""
    understood = Understood(text="", language=language, intent=Intent.FIT)
    return joined(
        [single(understood, fit_sheet(found, Intent.FIT, language, context_said=False), estimates=tuple(found))],
        SETTINGS,
    )


def faults(answer: Answer) -> list[str]:
    """What is wrong with an answer."""
    found = list(validate_blocks(list(answer.blocks)))
    without_menus = [block for block in answer.blocks if block["type"] != "actions"]
    if len(json.dumps(without_menus, ensure_ascii=False)) > PAYLOAD:
        found.append("payload")
    if len(answer.text) > limits.MESSAGE_TEXT:
        found.append(f"text of {len(answer.text)} characters")
    return found


def test_every_fit_answer_is_within_slacks_rules() -> None:
    wrong = {}
    for model_id in catalogue.ids():
        for request in asked(model_id):
            try:
                estimated = estimates(request)
            except Refusal:  # what vLLM itself would refuse for this model
                continue
            for language in LANGUAGES:
                if found := faults(said(estimated, language)):
                    wrong[model_id, request.gpu, language] = found
    assert wrong == {}


def test_every_kv_answer_is_within_slacks_rules() -> None:
    wrong = {}
    for model_id in catalogue.ids():
        understood = Understood(text="", language="zh", intent=Intent.KV_PER_TOKEN, fields=Fields(model_id=model_id))
        answer = answer_understood(understood, SETTINGS)
        if answer.bug or (found := faults(answer)):
            wrong[model_id] = answer.text if answer.bug else found
    assert wrong == {}


def test_answers_over_many_models_and_cards_are_too() -> None:
    fields = Fields(gpu="A100", count=4, context_tokens=16_384)
    model = Fields(model_id="Qwen/Qwen3-32B", context_tokens=16_384)
    intents = (Intent.WHICH_MODEL, Intent.FIT, Intent.HELP, Intent.WHICH_GPU, Intent.KV_PER_TOKEN)
    for language in LANGUAGES:
        parts = [
            Understood(text="", language=language, intent=intent, fields=each)
            for intent in intents
            for each in (fields, model)
        ]
        for each in parts:
            assert faults(answer_understood(each, SETTINGS)) == [], each
        whole = answer_understood(
            Understood(text="", language=language, intent=Intent.FIT, parts=tuple(parts[:6])), SETTINGS
        )
        assert validate_blocks(list(whole.blocks)) == []
