"""Layout blocks, each accepted at its limit and refused one above it, and the rules across blocks (2026)."""

from typing import Any

import pytest

from bot.playground.server import validate_blocks
from bot.playground.server.blocks.layout import BLOCKS, Surface

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


def section(**fields: Any) -> Block:
    return {"type": "section", "text": mrkdwn(), **fields}


def field(element: Block, **fields: Any) -> Block:
    return {"type": "input", "label": plain(), "element": element, **fields}


def button(**fields: Any) -> Block:
    return {"type": "button", "text": plain(), **fields}


def menu(**fields: Any) -> Block:
    return {"type": "static_select", **fields}


def raw(text: str = "x") -> Block:
    return {"type": "raw_text", "text": text}


def chart(title: int = 5, **fields: Any) -> Block:
    return {"type": "data_visualization", "title": "x" * title, "chart": fields}


def bars(series: int, points: int, label: int = 2) -> Block:
    names = [f"{number:0{label}d}" for number in range(points)]
    data = [{"label": name, "value": 1} for name in names]
    return chart(
        type="bar",
        series=[{"name": f"s{number}", "data": data} for number in range(series)],
        axis_config={"categories": names},
    )


def grid(rows: int, columns: int, kind: str = "table", **fields: Any) -> Block:
    return {"type": kind, "rows": [[raw() for _ in range(columns)] for _ in range(rows)], **fields}


def image(**fields: Any) -> Block:
    return {"type": "image", "alt_text": "a", "image_url": "https://example.com/a.png", **fields}


LIMITS: list[tuple[str, Any, Any]] = [
    ("section text", section(text=mrkdwn(3000)), section(text=mrkdwn(3001))),
    ("section text not empty", section(text=mrkdwn(1)), section(text=mrkdwn(0))),
    ("section field", section(fields=[plain(2000)]), section(fields=[plain(2001)])),
    ("section fields", section(fields=[plain()] * 10), section(fields=[plain()] * 11)),
    ("header", {"type": "header", "text": plain(150)}, {"type": "header", "text": plain(151)}),
    ("header is plain", {"type": "header", "text": plain()}, {"type": "header", "text": mrkdwn()}),
    (
        "context elements",
        {"type": "context", "elements": [mrkdwn()] * 10},
        {"type": "context", "elements": [mrkdwn()] * 11},
    ),
    ("actions elements", actions(*[button()] * 25), actions(*[button()] * 26)),
    ("actions not empty", actions(button()), actions()),
    (
        "context actions",
        {"type": "context_actions", "elements": [{"type": "icon_button", "icon": "trash", "text": plain()}] * 5},
        {"type": "context_actions", "elements": [{"type": "icon_button", "icon": "trash", "text": plain()}] * 6},
    ),
    ("block_id", section(block_id="b" * 255), section(block_id="b" * 256)),
    (
        "input label",
        field(menu(options=options(1)), label=plain(2000)),
        field(menu(options=options(1)), label=plain(2001)),
    ),
    (
        "input hint",
        field(menu(options=options(1)), hint=plain(2000)),
        field(menu(options=options(1)), hint=plain(2001)),
    ),
    ("no button in an input", field(menu(options=options(1))), field(button())),
    ("image alt text", image(alt_text="a" * 2000), image(alt_text="a" * 2001)),
    ("image title", image(title=plain(2000)), image(title=plain(2001))),
    ("image url", image(image_url="u" * 3000), image(image_url="u" * 3001)),
    ("one image source", image(), image(slack_file={"id": "F1"})),
    ("section accessory", section(accessory=button()), section(accessory={"type": "plain_text_input"})),
    ("section needs content", section(), {"type": "section"}),
    ("markdown", {"type": "markdown", "text": "x" * 12_000}, {"type": "markdown", "text": "x" * 12_001}),
]


@pytest.mark.parametrize(("accepted", "refused"), [row[1:] for row in LIMITS], ids=[row[0] for row in LIMITS])
def test_a_block_is_accepted_at_its_limit_and_refused_beyond(accepted: Block, refused: Block) -> None:
    assert validate_blocks([accepted]) == []
    assert validate_blocks([refused]) != []


@pytest.mark.parametrize(
    ("accepted", "refused"),
    [
        ([{"type": "divider"}] * 50, [{"type": "divider"}] * 51),
        ([section(block_id="a"), section(block_id="b")], [section(block_id="a"), section(block_id="a")]),
        ([actions(button(action_id="a")), actions(button(action_id="a"))], [actions(*[button(action_id="a")] * 2)]),
        ([grid(1, 1)], [grid(1, 1)] * 2),
        ([bars(1, 1)] * 2, [bars(1, 1)] * 3),
        ([section(text=mrkdwn(3000))] * 4, [*[section(text=mrkdwn(3000))] * 4, section()]),
        ([{"type": "markdown", "text": "x" * 6000}] * 2, [{"type": "markdown", "text": "x" * 6001}] * 2),
        ([{"type": "table", "rows": [[raw("x" * 10_000)]]}], [{"type": "table", "rows": [[raw("x" * 10_001)]]}]),
        (
            [section(text={"type": "mrkdwn", "text": "x"})],
            [section(text={"type": "mrkdwn", "text": "x", "emoji": True})],
        ),
        ([section()], [{"type": "sektion"}]),
        ([section()], ["section"]),
        ([], {"type": "section"}),
    ],
    ids=[
        "50 blocks",
        "block ids differ",
        "action ids differ within a block",
        "one table",
        "two charts",
        "12,000 characters in all texts",
        "12,000 characters in all markdown blocks",
        "10,000 characters in a table",
        "no unknown property",
        "known types only",
        "objects only",
        "an array",
    ],
)
def test_rules_across_blocks_hold(accepted: list[Any], refused: Any) -> None:
    assert validate_blocks(accepted) == []
    assert validate_blocks(refused) != []


@pytest.mark.parametrize(
    ("kind", "surfaces"),
    [
        ("section", {"message", "modal", "home"}),
        ("markdown", {"message"}),
        ("plan", {"message"}),
        ("task_card", {"message"}),
        ("context_actions", {"message"}),
        ("table", {"message", "home"}),
        ("data_table", {"message", "home"}),
        ("data_visualization", {"message", "home"}),
        ("carousel", {"message", "home"}),
        ("container", {"message", "home"}),
        ("alert", {"modal"}),
    ],
)
def test_a_block_stands_only_on_its_surfaces(kind: str, surfaces: set[Surface]) -> None:
    assert kind in BLOCKS
    everywhere: tuple[Surface, ...] = ("message", "modal", "home")
    allowed = {s for s in everywhere if not any("not allowed here" in p for p in validate_blocks([{"type": kind}], s))}
    assert allowed == surfaces


def test_a_modal_holds_a_hundred_blocks() -> None:
    assert validate_blocks([{"type": "divider"}] * 100, "modal") == []
    assert validate_blocks([{"type": "divider"}] * 101, "modal") != []


def test_only_one_element_takes_the_focus() -> None:
    focused = field({"type": "plain_text_input", "action_id": "a", "focus_on_load": True})
    assert validate_blocks([focused], "modal") == []
    assert validate_blocks([focused, focused], "modal") != []


def test_a_finding_says_where_it_is() -> None:
    (finding,) = validate_blocks([{"type": "divider"}, {"type": "header", "text": plain(151)}])
    assert finding == "must be less than 151 characters, has 151 [json-pointer:/blocks/1/text/text]"


@pytest.mark.parametrize(
    "wrong",
    [
        {"type": "header"},
        {"type": "header", "text": "plain"},
        {"type": "header", "text": {"type": "plain_text", "text": 5}},
        {"type": "section", "text": mrkdwn(), "expand": "yes"},
        {"type": "actions", "elements": "button"},
        {"type": "context_actions", "elements": [button()]},
        {"type": "data_table", "caption": "c", "rows": "none"},
        {"type": "data_visualization", "title": "t", "chart": {"type": "line", "series": "none", "axis_config": {}}},
        {"type": "plan", "title": "p", "tasks": "none"},
        {"type": "actions", "elements": [{"type": "multi_users_select", "max_selected_items": "many"}]},
        {
            "type": "data_visualization",
            "title": "t",
            "chart": {"type": "pie", "segments": [{"label": "a", "value": "1"}]},
        },
        {"type": "input", "label": plain(), "element": {"type": "file_input", "max_files": 11}},
    ],
    ids=lambda block: str(block["type"]),
)
def test_a_value_of_the_wrong_type_is_named(wrong: Block) -> None:
    assert any("json-pointer" in finding for finding in validate_blocks([wrong]))


def test_a_file_is_asked_for_in_modals_only() -> None:
    upload = field({"type": "file_input", "max_files": 10})
    assert validate_blocks([upload], "modal") == []
    assert validate_blocks([upload], "message") != []
