"""The blocks of one message: one or several sheets, menus to pin what was assumed, and whether it helped."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice

from bot.blocks import elements, limits
from bot.blocks.elements import Block
from bot.sheet import Act, Button, Menu, Sheet

PICK_MODEL = "pick_model"
PICK_GPU = "pick_gpu"
FEEDBACK = "feedback"
ACT_SEPARATOR = "."  # between what a button does and its number: ids differ within a block
ACTION_IDS = {Menu.MODEL: PICK_MODEL, Menu.GPU: PICK_GPU}


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A menu's content: (text, value) pairs, the value shown at first, and the words on the closed menu."""

    options: tuple[tuple[str, str], ...]
    placeholder: str
    chosen: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """The two thumbs' words, in the reader's language."""

    helpful: str
    not_helpful: str


def message(sheets: Sequence[Sheet], choices: dict[Menu, Choice], words: Words) -> tuple[Block, ...]:
    """All blocks of an answer, within the limits on count and on the sum of all texts. Menus and thumbs stand once, at the end."""
    body = [
        block
        for place, sheet in enumerate(sheets)
        for block in _divided(place, sheet, has_table=not _tables(sheets[:place]))
    ]
    tail = list(_tail(sheets, choices, words))
    kept = _within(body, limits.BLOCKS - len(tail), limits.ALL_TEXT - sum(text_length(block) for block in tail))
    return (*kept, *tail)


def text_length(block: Block) -> int:
    """The characters of all texts in `block`, as Slack adds them up."""
    return sum(_lengths(block))


def _lengths(node: object) -> Iterator[int]:
    if isinstance(node, dict):
        for key, value in node.items():
            if key == "text" and isinstance(value, str):
                yield len(value)
            else:
                yield from _lengths(value)
    elif isinstance(node, list):
        for item in node:
            yield from _lengths(item)


def _tables(sheets: Sequence[Sheet]) -> bool:
    return any(sheet.table for sheet in sheets)


def _divided(place: int, sheet: Sheet, *, has_table: bool) -> Iterator[Block]:
    if place:
        yield {"type": "divider"}
    yield from elements.sections(_lead(sheet))
    if sheet.quote:
        yield from elements.sections(elements.code(limits.clip(sheet.quote, limits.SECTION_TEXT - 500)))
    yield from elements.fields(sheet.figures)
    yield from _table(sheet, as_block=has_table)
    if sheet.points and not _chosen_by_button(sheet):
        numbered = [f"{place}. {elements.escape(point)}" for place, point in enumerate(sheet.points, 1)]
        yield from elements.sections("\n".join([elements.bold(elements.escape(sheet.points_title)), *numbered]))
    if sheet.command:
        title = elements.bold(elements.escape(sheet.command_title))
        yield from elements.sections(f"{title}\n{elements.code(limits.clip(sheet.command, limits.SECTION_TEXT - 500))}")
    if sheet.notes:
        yield from elements.sections("\n".join(elements.escape(note) for note in sheet.notes))
    yield from elements.context([line for line in (sheet.assumed, sheet.sources) if line])


def _chosen_by_button(sheet: Sheet) -> bool:
    """Whether the points stand on buttons already."""
    return any(button.act is Act.CHOOSE for button in sheet.buttons)


def _lead(sheet: Sheet) -> str:
    """The first paragraph is bold when it is one line; a longer one stands as it is."""
    lead = elements.escape(sheet.lead)
    return lead if "\n" in lead or len(lead) > limits.SECTION_TEXT - 2 else elements.bold(lead)


def _table(sheet: Sheet, *, as_block: bool) -> Iterator[Block]:
    if sheet.table is None:
        return
    if as_block:
        yield elements.table(sheet.table.columns, sheet.table.rows)
        return
    heading = " · ".join(column for column in sheet.table.columns if column)
    lines = [elements.bold(elements.escape(heading)), *(elements.escape(" · ".join(row)) for row in sheet.table.rows)]
    yield from elements.sections("\n".join(lines))


def _tail(sheets: Sequence[Sheet], choices: dict[Menu, Choice], words: Words) -> Iterator[Block]:
    mark = sha256("\n".join(sheet.lead for sheet in sheets).encode("utf-8", "replace")).hexdigest()[:8]
    offered = [menu for menu in Menu if any(menu in sheet.menus for sheet in sheets) and choices.get(menu)]
    menus = [
        elements.select(ACTION_IDS[menu], choices[menu].placeholder, choices[menu].options, choices[menu].chosen)
        for menu in offered
    ]
    if menus:
        yield elements.actions(f"menus-{mark}", menus)
    if buttons := dict.fromkeys(button for sheet in sheets for button in sheet.buttons):
        yield elements.actions(f"acts-{mark}", [_button(place, button) for place, button in enumerate(buttons)])
    if any(sheet.feedback for sheet in sheets):
        yield elements.feedback(f"feedback-{mark}", FEEDBACK, words.helpful, words.not_helpful)


def _button(place: int, button: Button) -> Block:
    return elements.button(f"{button.act}{ACT_SEPARATOR}{place}", button.text, button.value)


def _within(blocks: list[Block], count: int, characters: int) -> Iterator[Block]:
    for block in islice(blocks, count):
        characters -= text_length(block)
        if characters < 0:
            return
        yield block
