"""Elements and what they are made of, each accepted at its limit and refused one above it (2026)."""

from typing import Any

import pytest

from bot.playground.server import validate_blocks

Block = dict[str, Any]


def plain(length: int = 1) -> Block:
    return {"type": "plain_text", "text": "x" * length}


def mrkdwn(length: int = 1) -> Block:
    return {"type": "mrkdwn", "text": "x" * length}


def options(count: int, **first: Any) -> list[Block]:
    made: list[Block] = [{"text": plain(), "value": str(number)} for number in range(count)]
    if made:
        made[0] |= first
    return made


def actions(*elements: Block) -> Block:
    return {"type": "actions", "elements": list(elements)}


def field(element: Block, **fields: Any) -> Block:
    return {"type": "input", "label": plain(), "element": element, **fields}


def button(**fields: Any) -> Block:
    return {"type": "button", "text": plain(), **fields}


def menu(**fields: Any) -> Block:
    return {"type": "static_select", **fields}


LIMITS: list[tuple[str, Any, Any]] = [
    ("action_id", actions(button(action_id="a" * 255)), actions(button(action_id="a" * 256))),
    ("button text", actions(button(text=plain(75))), actions(button(text=plain(76)))),
    ("button value", actions(button(value="v" * 2000)), actions(button(value="v" * 2001))),
    ("button url", actions(button(url="u" * 3000)), actions(button(url="u" * 3001))),
    ("button style", actions(button(style="primary")), actions(button(style="green"))),
    (
        "accessibility label",
        actions(button(accessibility_label="l" * 75)),
        actions(button(accessibility_label="l" * 76)),
    ),
    ("options", actions(menu(options=options(100))), actions(menu(options=options(101)))),
    (
        "option text",
        actions(menu(options=options(1, text=plain(75)))),
        actions(menu(options=options(1, text=plain(76)))),
    ),
    (
        "option value",
        actions(menu(options=options(1, value="v" * 150))),
        actions(menu(options=options(1, value="v" * 151))),
    ),
    (
        "option description",
        actions(menu(options=options(1, description=plain(75)))),
        actions(menu(options=options(1, description=plain(76)))),
    ),
    (
        "menu option is plain",
        actions(menu(options=options(1, text=plain()))),
        actions(menu(options=options(1, text=mrkdwn()))),
    ),
    (
        "option groups",
        actions(menu(option_groups=[{"label": plain(75), "options": options(1)}] * 100)),
        actions(menu(option_groups=[{"label": plain(75), "options": options(1)}] * 101)),
    ),
    (
        "group label",
        actions(menu(option_groups=[{"label": plain(75), "options": options(1)}])),
        actions(menu(option_groups=[{"label": plain(76), "options": options(1)}])),
    ),
    (
        "options or groups, not both",
        actions(menu(options=options(1))),
        actions(menu(options=options(1), option_groups=[{"label": plain(), "options": options(1)}])),
    ),
    (
        "option values differ",
        actions(menu(options=options(2))),
        actions(menu(options=[*options(1), *options(1)])),
    ),
    (
        "placeholder",
        actions(menu(options=options(1), placeholder=plain(150))),
        actions(menu(options=options(1), placeholder=plain(151))),
    ),
    (
        "initial option",
        actions(menu(options=options(2), initial_option=options(2)[1])),
        actions(menu(options=options(1), initial_option=options(2)[1])),
    ),
    (
        "initial option in a group",
        actions(menu(option_groups=[{"label": plain(), "options": options(1)}], initial_option=options(1)[0])),
        actions(menu(option_groups=[{"label": plain(), "options": options(1)}], initial_option=options(2)[1])),
    ),
    (
        "initial options",
        actions({"type": "checkboxes", "options": options(2), "initial_options": options(2)}),
        actions({"type": "checkboxes", "options": options(1), "initial_options": options(2)}),
    ),
    (
        "overflow",
        actions({"type": "overflow", "options": options(5)}),
        actions({"type": "overflow", "options": options(6)}),
    ),
    (
        "checkboxes",
        actions({"type": "checkboxes", "options": options(10)}),
        actions({"type": "checkboxes", "options": options(11)}),
    ),
    (
        "radio buttons",
        actions({"type": "radio_buttons", "options": options(10)}),
        actions({"type": "radio_buttons", "options": options(11)}),
    ),
    (
        "confirm title",
        actions(button(confirm={"text": plain(300), "title": plain(100)})),
        actions(button(confirm={"text": plain(300), "title": plain(101)})),
    ),
    (
        "confirm text",
        actions(button(confirm={"text": plain(300)})),
        actions(button(confirm={"text": plain(301)})),
    ),
    (
        "confirm buttons",
        actions(button(confirm={"text": plain(), "confirm": plain(30), "deny": plain(30)})),
        actions(button(confirm={"text": plain(), "confirm": plain(31)})),
    ),
    (
        "date",
        actions({"type": "datepicker", "initial_date": "2026-12-01"}),
        actions({"type": "datepicker", "initial_date": "2026-13-01"}),
    ),
    (
        "time",
        actions({"type": "timepicker", "initial_time": "23:59"}),
        actions({"type": "timepicker", "initial_time": "24:00"}),
    ),
    (
        "date and time",
        actions({"type": "datetimepicker", "initial_date_time": 1796098735}),
        actions({"type": "datetimepicker", "initial_date_time": 17}),
    ),
    (
        "selected items",
        actions({"type": "multi_users_select", "max_selected_items": 1}),
        actions({"type": "multi_users_select", "max_selected_items": 0}),
    ),
    (
        "conversation filter",
        actions({"type": "conversations_select", "filter": {"include": ["im"]}}),
        actions({"type": "conversations_select", "filter": {}}),
    ),
    (
        "text length",
        field({"type": "plain_text_input", "max_length": 3000}),
        field({"type": "plain_text_input", "max_length": 3001}),
    ),
    (
        "text lengths in order",
        field({"type": "plain_text_input", "min_length": 5, "max_length": 5}),
        field({"type": "plain_text_input", "min_length": 6, "max_length": 5}),
    ),
    (
        "number bounds in order",
        field({"type": "number_input", "is_decimal_allowed": False, "min_value": "1", "max_value": "2"}),
        field({"type": "number_input", "is_decimal_allowed": False, "min_value": "3", "max_value": "2"}),
    ),
]


@pytest.mark.parametrize(("accepted", "refused"), [row[1:] for row in LIMITS], ids=[row[0] for row in LIMITS])
def test_an_element_is_accepted_at_its_limit_and_refused_beyond(accepted: Block, refused: Block) -> None:
    assert validate_blocks([accepted]) == []
    assert validate_blocks([refused]) != []
