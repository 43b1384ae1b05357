"""Every block and element is accepted at its limit and refused one above it (limits: docs.slack.dev, 2026)."""

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


def rich(*parts: Block) -> Block:
    return {"type": "rich_text", "elements": list(parts)}


def rich_section(*elements: Block) -> Block:
    return {"type": "rich_text_section", "elements": list(elements)}


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


def task(**fields: Any) -> Block:
    return {"task_id": "1", "title": "t", "status": "complete", **fields}


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
    ("image alt text", image(alt_text="a" * 2000), image(alt_text="a" * 2001)),
    ("image title", image(title=plain(2000)), image(title=plain(2001))),
    ("image url", image(image_url="u" * 3000), image(image_url="u" * 3001)),
    ("one image source", image(), image(slack_file={"id": "F1"})),
    ("section accessory", section(accessory=button()), section(accessory={"type": "plain_text_input"})),
    ("section needs content", section(), {"type": "section"}),
    ("markdown", {"type": "markdown", "text": "x" * 12_000}, {"type": "markdown", "text": "x" * 12_001}),
    ("table rows", grid(100, 1), grid(101, 1)),
    ("table cells", grid(1, 20), grid(1, 21)),
    ("data table rows", grid(201, 1, "data_table", caption="c"), grid(202, 1, "data_table", caption="c")),
    ("data table columns", grid(2, 20, "data_table", caption="c"), grid(2, 21, "data_table", caption="c")),
    ("data table caption", grid(2, 1, "data_table", caption="c"), grid(2, 1, "data_table")),
    ("data table header and a row", grid(2, 1, "data_table", caption="c"), grid(1, 1, "data_table", caption="c")),
    (
        "data table page",
        grid(2, 1, "data_table", caption="c", page_size=100),
        grid(2, 1, "data_table", caption="c", page_size=101),
    ),
    (
        "data table is rectangular",
        grid(2, 1, "data_table", caption="c"),
        {"type": "data_table", "caption": "c", "rows": [[raw()], [raw(), raw()]]},
    ),
    (
        "data table header is raw",
        {"type": "data_table", "caption": "c", "rows": [[raw()], [rich(rich_section())]]},
        {"type": "data_table", "caption": "c", "rows": [[rich(rich_section())], [raw()]]},
    ),
    (
        "chart title",
        chart(50, type="pie", segments=[{"label": "a", "value": 1}]),
        chart(51, type="pie", segments=[{"label": "a", "value": 1}]),
    ),
    (
        "pie segments",
        chart(type="pie", segments=[{"label": "a", "value": 1}] * 12),
        chart(type="pie", segments=[{"label": "a", "value": 1}] * 13),
    ),
    (
        "pie values",
        chart(type="pie", segments=[{"label": "a", "value": 0.1}]),
        chart(type="pie", segments=[{"label": "a", "value": 0}]),
    ),
    ("chart series", bars(12, 1), bars(13, 1)),
    ("chart points", bars(1, 20), bars(1, 21)),
    ("chart label", bars(1, 1, 20), bars(1, 1, 21)),
    (
        "a point for every category",
        bars(1, 2),
        chart(
            type="line",
            series=[{"name": "s", "data": [{"label": "a", "value": 1}]}],
            axis_config={"categories": ["a", "b"]},
        ),
    ),
    (
        "categories differ",
        bars(1, 2),
        chart(
            type="area",
            series=[{"name": "s", "data": [{"label": "a", "value": 1}, {"label": "a", "value": 1}]}],
            axis_config={"categories": ["a", "a"]},
        ),
    ),
    ("card title", {"type": "card", "title": mrkdwn(150)}, {"type": "card", "title": mrkdwn(151)}),
    ("card body", {"type": "card", "body": mrkdwn(200)}, {"type": "card", "body": mrkdwn(201)}),
    ("card actions", {"type": "card", "actions": [button()] * 3}, {"type": "card", "actions": [button()] * 4}),
    ("card needs content", {"type": "card", "title": mrkdwn()}, {"type": "card", "subtitle": mrkdwn()}),
    (
        "carousel",
        {"type": "carousel", "elements": [{"type": "card", "body": mrkdwn()}] * 10},
        {"type": "carousel", "elements": [{"type": "card", "body": mrkdwn()}] * 11},
    ),
    (
        "container",
        {"type": "container", "title": plain(150), "child_blocks": [section()] * 10},
        {"type": "container", "title": plain(150), "child_blocks": [section()] * 11},
    ),
    (
        "no card in a container",
        {"type": "container", "title": plain(), "child_blocks": [section()]},
        {"type": "container", "title": plain(), "child_blocks": [{"type": "card", "body": mrkdwn()}]},
    ),
    (
        "plan",
        {"type": "plan", "title": "p", "tasks": [task(task_id=str(n)) for n in range(50)]},
        {"type": "plan", "title": "p", "tasks": [task(task_id=str(n)) for n in range(51)]},
    ),
    (
        "plan tasks differ",
        {"type": "plan", "title": "p", "tasks": [task(status="pending")]},
        {"type": "plan", "title": "p", "tasks": [task(), task()]},
    ),
    ("a task alone is not pending", {"type": "task_card", **task()}, {"type": "task_card", **task(status="pending")}),
    (
        "feedback buttons",
        {
            "type": "context_actions",
            "elements": [
                {
                    "type": "feedback_buttons",
                    "positive_button": {"text": plain(75), "value": "+"},
                    "negative_button": {"text": plain(75), "value": "-"},
                }
            ],
        },
        {
            "type": "context_actions",
            "elements": [{"type": "feedback_buttons", "positive_button": {"text": plain(76), "value": "+"}}],
        },
    ),
    (
        "video title",
        {"type": "video", "video_url": "u", "thumbnail_url": "u", "alt_text": "a", "title": plain(200)},
        {"type": "video", "video_url": "u", "thumbnail_url": "u", "alt_text": "a", "title": plain(201)},
    ),
    (
        "rich text list",
        rich({"type": "rich_text_list", "style": "bullet", "elements": [rich_section()], "indent": 8}),
        rich({"type": "rich_text_list", "style": "bullet", "elements": [rich_section()], "indent": 9}),
    ),
    (
        "rich text element",
        rich(rich_section({"type": "text", "text": "x", "style": {"bold": True}})),
        rich(rich_section({"type": "text", "text": "x", "style": {"bold": "yes"}})),
    ),
    (
        "preformatted text",
        rich({"type": "rich_text_preformatted", "elements": [{"type": "text", "text": "x"}]}),
        rich({"type": "rich_text_preformatted", "elements": [{"type": "user", "user_id": "U1"}]}),
    ),
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
