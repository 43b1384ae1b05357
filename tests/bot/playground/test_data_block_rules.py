"""Tables, charts, cards, plans and rich text, each accepted at its limit and refused one above it (2026)."""

from typing import Any

import pytest

from bot.playground.server import validate_blocks

Block = dict[str, Any]


def plain(length: int = 1) -> Block:
    return {"type": "plain_text", "text": "x" * length}


def mrkdwn(length: int = 1) -> Block:
    return {"type": "mrkdwn", "text": "x" * length}


def section(**fields: Any) -> Block:
    return {"type": "section", "text": mrkdwn(), **fields}


def button(**fields: Any) -> Block:
    return {"type": "button", "text": plain(), **fields}


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


LIMITS: list[tuple[str, Any, Any]] = [
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
def test_data_is_accepted_at_its_limit_and_refused_beyond(accepted: Block, refused: Block) -> None:
    assert validate_blocks([accepted]) == []
    assert validate_blocks([refused]) != []
