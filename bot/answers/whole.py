"""An answer from its sheets: text, blocks and menus, for one question or several."""

from typing import Any

from bot.answers.answer import Answer
from bot.blocks.message import Choice, Words, message
from bot.settings import Language, Settings
from bot.sheet import Act, Menu, Sheet
from bot.text import plain
from bot.text.phrases import say
from bot.understand.understood import Understood

OF_THE_FIRST = frozenset([Act.CHART, Act.REMEMBER])  # what is kept of a message is its first question
MOST_MODELS, MOST_GPUS = 40, 40  # a menu's options; two full ones would take a third of a message


def single(understood: Understood, sheet: Sheet, **known: Any) -> Answer:
    """The answer to one question, without blocks: those are made for the whole message."""
    return Answer(understood=understood, text=plain.plain(sheet, understood.language), sheet=sheet, **known)


def joined(answers: list[Answer], settings: Settings) -> Answer:
    """The message: the first answer, with the text and blocks of all, each of which also stands in `parts` when there are several."""
    from dataclasses import replace

    whole = [replace(answer, blocks=_blocks([answer])) for answer in answers]
    if len(whole) == 1:
        return whole[0]
    text = plain.joined([answer.text for answer in whole])
    return replace(whole[0], parts=tuple(whole), text=text, blocks=_blocks(whole))


def _blocks(answers: list[Answer]) -> tuple[dict[str, Any], ...]:
    sheets = [
        sheet if place == 0 else _beside_the_first(sheet)
        for place, sheet in enumerate(answer.sheet for answer in answers if answer.sheet is not None)
    ]
    language = answers[0].understood.language
    offered = {menu for sheet in sheets for menu in sheet.menus}
    choices = {menu: _choice(menu, answers[0], language) for menu in offered}
    words = Words(helpful=say(language, "short.helpful"), not_helpful=say(language, "short.not-helpful"))
    return message(sheets, choices, words)


def _beside_the_first(sheet: Sheet) -> Sheet:
    """A later part, without the buttons that only the first one can have."""
    from dataclasses import replace

    return replace(sheet, buttons=tuple(button for button in sheet.buttons if button.act not in OF_THE_FIRST))


def _choice(menu: Menu, answer: Answer, language: Language) -> Choice:
    shown = answer.estimates[0] if len(answer.estimates) == 1 else None
    if menu is Menu.MODEL:
        return Choice(
            options=_models(shown.model_id if shown else None),
            placeholder=say(language, "short.pick-model"),
            chosen=shown.model_id if shown else None,
        )
    chosen = shown.gpu if shown else None
    return Choice(options=_cards(chosen), placeholder=say(language, "short.pick-gpu"), chosen=chosen)


def _models(chosen: str | None) -> tuple[tuple[str, str], ...]:
    """The common models, and the one that the answer is about."""
    from bot.answers.facts import short_name
    from knowledge import catalogue

    ids = dict.fromkeys([*([chosen] if chosen in catalogue.ids() else []), *catalogue.common()])
    return tuple((short_name(model_id), model_id) for model_id in ids)[:MOST_MODELS]


def _cards(chosen: str | None) -> tuple[tuple[str, str], ...]:
    """The common cards, and the one that the answer is about."""
    from knowledge.fit.cards import common_cards

    names = dict.fromkeys([*([chosen] if chosen else []), *(card.name for card in common_cards())])
    return tuple((name, name) for name in names)[:MOST_GPUS]
