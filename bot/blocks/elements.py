"""The blocks that answers are made of, one function each. Texts come in plain and are escaped and cut here, and only here."""

from collections.abc import Iterable, Sequence
from typing import Any

from bot.blocks import limits

Block = dict[str, Any]


def escape(text: str) -> str:
    """`text` as mrkdwn that mentions nobody and links nothing: only & < > are special to Slack."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def bold(text: str) -> str:
    """`text` (escaped) in bold; a star inside would end it early."""
    return f"*{text.replace('*', '∗').strip()}*"


def code(text: str) -> str:
    """`text` (plain) as a code block that can be copied."""
    return f"```{escape(text.replace('```', ''))}```"


def mrkdwn(text: str, limit: int) -> Block:
    """A mrkdwn text object of escaped `text`; a cut never leaves half an entity."""
    cut = limits.clip(text, limit)
    if cut is not text:
        head, ampersand, tail = cut.rpartition("&")
        cut = f"{head}…" if ampersand and ";" not in tail else cut
    return {"type": "mrkdwn", "text": cut}


def words(text: str, limit: int) -> Block:
    """A plain_text object."""
    return {"type": "plain_text", "text": limits.clip(text, limit), "emoji": False}


def section(text: str) -> Block:
    """A paragraph of escaped mrkdwn."""
    return {"type": "section", "text": mrkdwn(text, limits.SECTION_TEXT)}


def sections(text: str) -> list[Block]:
    """Escaped mrkdwn of any length, in as many paragraphs as it takes."""
    return [section(piece) for piece in limits.split(text, limits.SECTION_TEXT)]


def fields(pairs: Iterable[tuple[str, str]]) -> list[Block]:
    """Labels and values (plain), in as many sections as it takes."""
    cells = [mrkdwn(f"{bold(escape(label))}\n{escape(value)}", limits.FIELD_TEXT) for label, value in pairs]
    chunks = [cells[start : start + limits.FIELDS] for start in range(0, len(cells), limits.FIELDS)]
    return [{"type": "section", "fields": chunk} for chunk in chunks]


def context(lines: Sequence[str]) -> list[Block]:
    """Small print: plain lines, one element each."""
    elements = [mrkdwn(escape(line), limits.SECTION_TEXT) for line in lines[: limits.CONTEXT_ELEMENTS] if line]
    return [{"type": "context", "elements": elements}] if elements else []


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Block:
    """A table of plain texts; at most one stands in a message."""
    kept = [columns, *rows][: limits.TABLE_ROWS]
    share = limits.TABLE_TEXT // max(len(kept) * len(columns), 1)
    cells = [
        [{"type": "raw_text", "text": limits.clip(cell, share)} for cell in row[: limits.TABLE_COLUMNS]] for row in kept
    ]
    return {"type": "table", "rows": cells}


def select(action_id: str, placeholder: str, options: Sequence[tuple[str, str]], chosen: str | None = None) -> Block:
    """A menu of (text, value) pairs; `chosen` is the value shown at first."""
    kept = [_option(text, value) for text, value in options if len(value) <= limits.OPTION_VALUE][: limits.OPTIONS]
    menu = {
        "type": "static_select",
        "action_id": action_id,
        "placeholder": words(placeholder, limits.PLACEHOLDER),
        "options": kept,
    }
    initial = next((option for option in kept if option["value"] == chosen), None)
    return menu | {"initial_option": initial} if initial else menu


def actions(block_id: str, elements: Sequence[Block]) -> Block:
    """A row of menus and buttons."""
    return {
        "type": "actions",
        "block_id": limits.clip(block_id, limits.IDENTIFIER),
        "elements": list(elements[: limits.ACTIONS]),
    }


def button(action_id: str, text: str, value: str) -> Block:
    """Something to press; a screen reader says what stands on it."""
    return {
        "type": "button",
        "action_id": limits.clip(action_id, limits.IDENTIFIER),
        "text": words(text, limits.BUTTON_TEXT),
        "value": limits.clip(value, limits.BUTTON_VALUE),
    }


def entered(block_id: str, action_id: str, label: str) -> Block:
    """A field for one line, which acts on Enter."""
    return {
        "type": "input",
        "block_id": limits.clip(block_id, limits.IDENTIFIER),
        "dispatch_action": True,
        "label": words(label, limits.PLACEHOLDER),
        "element": {
            "type": "plain_text_input",
            "action_id": limits.clip(action_id, limits.IDENTIFIER),
            "max_length": 100,
            "dispatch_action_config": {"trigger_actions_on": ["on_enter_pressed"]},
        },
    }


def feedback(block_id: str, action_id: str, helpful: str, not_helpful: str) -> Block:
    """Two thumbs under an answer, with the words a screen reader says."""
    return {
        "type": "context_actions",
        "block_id": limits.clip(block_id, limits.IDENTIFIER),
        "elements": [
            {
                "type": "feedback_buttons",
                "action_id": action_id,
                "positive_button": _thumb(helpful, "helpful"),
                "negative_button": _thumb(not_helpful, "not-helpful"),
            }
        ],
    }


def _thumb(text: str, value: str) -> Block:
    return {
        "text": words(text, limits.BUTTON_TEXT),
        "value": value,
        "accessibility_label": limits.clip(text, limits.BUTTON_TEXT),
    }


def _option(text: str, value: str) -> Block:
    return {"text": words(text, limits.OPTION_TEXT), "value": value}
