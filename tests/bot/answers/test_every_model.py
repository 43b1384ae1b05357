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
OF_ONE_MODEL = (
    Intent.FIT,
    Intent.MAX_CONTEXT,
    Intent.MAX_CONCURRENCY,
    Intent.WHICH_GPU,
    Intent.HOW_MANY_GPUS,
    Intent.WHICH_MODEL,
    Intent.RECOMMEND,
    Intent.CHECK_COMMAND,
)
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


def turns() -> Iterator[tuple[str, Intent, Language]]:
    """Two questions a model in turn, so that every intent meets some eighty models of every family in both languages."""
    for place, model_id in enumerate(catalogue.ids()):
        for step in (0, 1):
            intent = OF_ONE_MODEL[(2 * place + step) % len(OF_ONE_MODEL)]
            yield model_id, intent, LANGUAGES[(place // len(OF_ONE_MODEL) + step) % 2]


def question(model_id: str, intent: Intent, language: Language) -> Understood:
    """What is asked of a model, with a card where the intent needs one."""
    asks_for_cards = intent in (Intent.WHICH_GPU, Intent.KV_PER_TOKEN)
    fields = Fields(
        model_id=model_id,
        gpu=None if asks_for_cards else "RTX 4090",
        count=None if asks_for_cards or intent is Intent.HOW_MANY_GPUS else 2,
        concurrency=8,
    )
    text = f"vllm serve {model_id} --max-model-len 4096" if intent is Intent.CHECK_COMMAND else ""
    return Understood(text=text, language=language, intent=intent, fields=fields)


def test_every_intent_is_answered_within_slacks_rules() -> None:
    wrong = {}
    for model_id, intent, language in turns():
        answer = answer_understood(question(model_id, intent, language), SETTINGS)
        if answer.bug or (found := faults(answer)):
            wrong[model_id, intent, language] = answer.text if answer.bug else found
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
