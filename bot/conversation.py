"""The one path of every front: a message in, an answer out. Nothing that a person can cause leaves it as an exception."""

from dataclasses import replace
from typing import TYPE_CHECKING

from bot.answers.answer import Answer
from bot.bugs import report
from bot.settings import Language, Settings
from bot.understand.understood import Fields, Intent, Understood

if TYPE_CHECKING:
    from collections.abc import Iterable

    from knowledge.fit.observed import Observed
    from knowledge.fit.request import FitRequest

LONGEST = 40_000  # characters of a message that are read
TALK = frozenset({Intent.HELP, Intent.DECLINE, Intent.KNOWLEDGE, Intent.DIAGNOSE, Intent.COMMAND})


def reply(
    text: str, *, earlier: Understood | None = None, language: Language | None = None, settings: Settings | None = None
) -> Answer:
    """Answers `text`. `earlier` is what the thread's last question was understood as; `language` overrules the message's own.

    A Refusal becomes a kind sentence, a bug a sentence with a reference; both are answers.
    """
    chosen = settings or Settings()
    wanted = language or chosen.defaults.language
    try:
        from bot.understand.message import understand

        understood = understand(_readable(text), earlier=earlier, language=wanted, default_model=chosen.defaults.model)
        return answer_understood(understood, chosen)
    except Exception as fault:  # noqa: BLE001 - the boundary: whatever else happens is ours, and the person gets a reference
        asked = Understood(text="", language=wanted or "en", intent=Intent.HELP)
        return _of_bug(fault, asked)


def answer_understood(understood: Understood, settings: Settings) -> Answer:
    """Answers a question that is already understood: a menu's choice, an edited field. Several questions become parts."""
    from bot.answers.whole import joined

    return joined([_guarded(question, settings) for question in understood.parts or (understood,)], settings)


def pick(earlier: Understood, settings: Settings, *, model: str | None = None, gpu: str | None = None) -> Answer:
    """The earlier question again with another model or card, as a menu chooses them."""
    changed = earlier.fields
    if model is not None:
        changed = replace(changed, model_id=model, weight_quant=None)
    if gpu is not None:
        changed = replace(changed, gpu=gpu, gpu_mem_gb=None)
    question = replace(earlier, fields=changed, flags={}, parts=(), problems=(), intent=_about_models(earlier, model))
    return answer_understood(question, settings)


def answer_request(
    request: "FitRequest", language: Language, settings: Settings, observed: "Iterable[Observed]" = ()
) -> Answer:
    """The answer to explicit options of the estimator, as `tuning-bot fit` has them; `observed` are kept starts. Raises Refusal."""
    from bot.answers.figures import of_request
    from bot.answers.whole import joined

    asked = Understood(text="", language=language, intent=Intent.FIT, fields=Fields(model_id=request.model))
    return joined([of_request(asked, request, observed)], settings)


def context_after(answer: Answer, earlier: Understood | None) -> Understood:
    """What the thread's next message gets as `earlier`: small talk does not make the last question forgotten."""
    said = answer.understood
    nothing_new = earlier is not None and said.intent in TALK and said.fields in (Fields(), earlier.fields)
    return earlier if earlier is not None and nothing_new else said


def _about_models(earlier: Understood, model: str | None) -> Intent:
    """Choosing a model turns a question over many models into one about it."""
    return Intent.FIT if model is not None and earlier.intent is Intent.WHICH_MODEL else earlier.intent


def _guarded(understood: Understood, settings: Settings) -> Answer:
    from bot.answers.intents import answer

    try:
        return answer(understood, settings)
    except Exception as fault:  # noqa: BLE001 - as in `reply`, but what was understood is kept and other parts are answered
        return _of_bug(fault, understood)


def _of_bug(fault: Exception, understood: Understood) -> Answer:
    from bot.answers.short import bug_sheet
    from bot.answers.whole import single

    bug = report(fault)
    return single(understood, bug_sheet(bug.sentence(understood.language), understood.language), bug=bug.reference)


def _readable(text: str) -> str:
    """At most 40,000 characters; what no encoding can carry and what no terminal should get become spaces."""
    return "".join(character if character.isprintable() or character in "\n\t" else " " for character in text[:LONGEST])
