"""Which answer an intent gets, by what was said with it. Nothing is asked back that can be answered."""

from dataclasses import replace
from typing import Any

from bot.answers import short
from bot.answers.answer import Answer
from bot.answers.asides import measured_sheet, with_asides
from bot.answers.rather import one_line, rather
from bot.answers.whole import single
from bot.settings import Settings
from bot.sheet import Menu, Sheet
from bot.text.phrases import say
from bot.understand.understood import Aside, Intent, Understood
from knowledge.errors import Refusal

KV_FORMULA = "kv-cache-formula"
MEASURED = (Aside.SPEED, Aside.COST)


def answer(understood: Understood, settings: Settings) -> Answer:
    """One question's answer. A Refusal is an answer too."""
    understood = rather(understood, settings)
    try:
        answered = (
            _refused(understood, understood.problems[0]) if _stopped(understood) else _answer(understood, settings)
        )
    except Refusal as refusal:
        answered = _refused(understood, refusal)
    return _with_asides(answered, understood, settings)


def _stopped(understood: Understood) -> bool:
    """Whether something said cannot be; of a pasted command that is part of the answer instead."""
    return bool(understood.problems) and understood.intent is not Intent.CHECK_COMMAND


def _answer(understood: Understood, settings: Settings) -> Answer:
    match understood.intent:
        case Intent.HELP:
            return single(understood, short.help_sheet(understood.language))
        case Intent.DECLINE:
            return single(understood, short.decline_sheet(understood))
        case Intent.KNOWLEDGE:
            return _known(understood, settings)
        case Intent.DIAGNOSE:
            return _diagnosed(understood, settings)
        case Intent.COMMAND:
            return _ordered(understood, settings)
        case _:
            return _with_entries(_figures(understood, settings), settings)


def _ordered(understood: Understood, settings: Settings) -> Answer:
    from bot.answers import commands

    return commands.answer(understood, settings)


def _diagnosed(understood: Understood, settings: Settings) -> Answer:
    from bot.answers import diagnosis

    found = diagnosis.of_message(understood, settings)
    return found if found.entries or not one_line(understood, settings) else _known(understood, settings)


def _figures(understood: Understood, settings: Settings) -> Answer:
    """By what is known of model and card: an answer about both, over all models, or over all cards."""
    if understood.model_size_b and understood.fields.model_id is None:
        return _of_a_size(understood, settings)
    return _of_a_name(understood, settings)


def _of_a_name(understood: Understood, settings: Settings) -> Answer:
    """The model is the one that was named, else the settings' own."""
    from bot.answers import figures

    model = understood.fields.model_id or settings.defaults.model
    if understood.intent is Intent.KV_PER_TOKEN:
        return figures.kv_per_token(understood, settings) if model else figures.kv_table(understood, settings)
    if understood.intent is Intent.CHECK_COMMAND and model:
        return figures.check(understood, settings)
    if understood.intent is Intent.WHICH_MODEL or (_has_card(understood) and not model):
        return figures.models(understood, settings) if _has_card(understood) else _which(understood)
    if not model:
        return _which(understood)
    return _about_both(understood, settings) if _has_card(understood) else figures.which_gpu(understood, settings)


def _of_a_size(understood: Understood, settings: Settings) -> Answer:
    """A size and no name: the well-known models of about that size where a card is named, else the nearest of them."""
    from bot.answers import figures
    from bot.answers.sizes import of_size

    assert understood.model_size_b is not None
    if understood.intent is Intent.KV_PER_TOKEN:
        return figures.kv_table(understood, settings)
    if _has_card(understood) and understood.intent not in (Intent.HOW_MANY_GPUS, Intent.RECOMMEND, Intent.WHICH_GPU):
        return figures.models(understood, settings)
    nearest = of_size(understood.model_size_b)[0]
    usual = settings.model_copy(update={"defaults": settings.defaults.model_copy(update={"model": nearest})})
    return _of_a_name(understood, usual)


def _about_both(understood: Understood, settings: Settings) -> Answer:
    from bot.answers import figures

    match understood.intent:
        case Intent.HOW_MANY_GPUS:
            return figures.how_many(understood, settings)
        case Intent.RECOMMEND:
            return figures.recommend(understood, settings)
        case Intent.WHICH_GPU:
            return figures.which_gpu(understood, settings)
        case _:
            return figures.fit(understood, settings)


def _has_card(understood: Understood) -> bool:
    named = understood.fields.gpu is not None or understood.fields.gpu_mem_gb is not None
    return named or not {"gpu_memory_gib", "kv_cache_memory_gib"}.isdisjoint(understood.options)


def _which(understood: Understood) -> Answer:
    """Neither model nor card was named: the one case in which both are asked for, with menus."""
    sheet = Sheet(
        lead=say(understood.language, "short.which"),
        notes=(
            say(
                understood.language,
                "short.offer",
                example=short.nearest_question(understood.fields, understood.language),
            ),
        ),
        menus=(Menu.MODEL, Menu.GPU),
        feedback=False,
    )
    return single(understood, sheet)


def _known(understood: Understood, settings: Settings) -> Answer:
    """The entry that answers; a question about nothing but speed or cost is answered by how to measure it."""
    from bot.answers import knowledge

    found = knowledge.answer(understood, settings)
    if not found.entries and any(aside in understood.asides for aside in MEASURED):
        return single(understood, measured_sheet(understood, understood.fields.model_id))
    return found


def _with_entries(answered: Answer, settings: Settings) -> Answer:
    """Figures, and an entry where trouble is told, or a reason or a way asked, beside the question of fit."""
    from bot.understand import topics
    from bot.understand.fold import lower

    text = lower(answered.understood.text)
    more = topics.way(text) or (topics.trouble(text) and topics.techniques(text) + topics.wonder(text))
    if answered.understood.intent is Intent.KV_PER_TOKEN:
        answered = replace(
            answered, entries=(KV_FORMULA,)
        )  # its formula stands in the answer, with the model's own numbers
    if not more:
        return answered
    from bot.answers import knowledge

    return knowledge.beside_figures(answered, settings)


def _refused(understood: Understood, refusal: Refusal) -> Answer:
    return single(understood, short.refusal_sheet(refusal, understood.language), refusal=refusal)


def _with_asides(answered: Answer, understood: Understood, settings: Settings) -> Answer:
    if not understood.asides or answered.sheet is None:
        return answered
    measured = understood.intent is Intent.KNOWLEDGE and not answered.entries
    left = tuple(aside for aside in understood.asides if not (measured and aside in MEASURED))
    one = len({estimate.model_id for estimate in answered.estimates}) == 1
    model = answered.estimates[0].model_id if one else understood.fields.model_id or settings.defaults.model
    sheet = with_asides(answered.sheet, replace(understood, asides=left), model)
    kept: dict[str, Any] = {
        "estimates": answered.estimates,
        "entries": answered.entries,
        "command": answered.command,
        "assumed": answered.assumed,
        "refusal": answered.refusal,
    }
    return single(understood, sheet, **kept)
