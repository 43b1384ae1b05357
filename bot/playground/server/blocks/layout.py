"""Layout blocks: one shape a type, and the surfaces on which each may stand. Limits as of 2026."""

from collections.abc import Mapping
from typing import Literal

from bot.playground.server.blocks.composition import URL, either, mrkdwn, plain
from bot.playground.server.blocks.data import DATA_TABLE, DATA_VISUALIZATION, TABLE
from bot.playground.server.blocks.elements import (
    ELEMENTS,
    IMAGE,
    IN_ACTIONS,
    IN_CONTEXT_ACTIONS,
    IN_INPUT,
    IN_SECTION,
)
from bot.playground.server.blocks.rich_text import RICH_TEXT
from bot.playground.server.blocks.rules import (
    Bool,
    Choice,
    Items,
    Problems,
    Rule,
    Shape,
    Str,
    Typed,
    one_of,
    some_of,
    unique,
)

Surface = Literal["message", "modal", "home"]

_ID: Mapping[str, Rule] = {"block_id": Str(255)}
_RICH = Typed({"rich_text": RICH_TEXT})
_IMAGE = Typed({"image": IMAGE})
_BUTTON = Typed(ELEMENTS, frozenset({"button"}))
_SOURCE = Typed({"url": Shape({"url": Str(), "text": Str()})})
_STATUS = Choice(("pending", "in_progress", "complete", "error"))

_CARD = Shape(
    {},
    {
        **_ID,
        "hero_image": _IMAGE,
        "icon": _IMAGE,
        "title": mrkdwn(150),
        "subtitle": mrkdwn(150),
        "body": mrkdwn(200),
        "subtext": mrkdwn(200),
        "actions": Items(_BUTTON, 3),
    },
    (some_of("hero_image", "title", "actions", "body"),),
)
_TASK: Mapping[str, Rule] = {"task_id": Str(), "title": Str(), "status": _STATUS}
_TASK_PARTS: Mapping[str, Rule] = {"details": _RICH, "output": _RICH, "sources": Items(_SOURCE)}


def _not_pending(task: dict[str, object]) -> str | None:
    return "only the tasks of a plan may be pending" if task.get("status") == "pending" else None


class _PlanTasks:
    """The tasks of a plan, with or without the `type` of a task card."""

    def check(self, value: object, at: str) -> Problems:
        """See Rule."""
        shape = Shape(_TASK, {**_TASK_PARTS, **_ID, "type": Choice(("task_card",))})
        yield from Items(shape, 50, least=0).check(value, at)


_CONTAINED = frozenset(
    {"actions", "context", "divider", "file", "header", "image", "input", "rich_text", "section", "table", "video"}
)


class _Contained:
    """The blocks of a container: no cards, no data tables, no containers."""

    def check(self, value: object, at: str) -> Problems:
        """See Rule."""
        yield from Items(Typed(BLOCKS, _CONTAINED), 10).check(value, at)


BLOCKS: Mapping[str, Shape] = {
    "actions": Shape({"elements": Items(Typed(ELEMENTS, IN_ACTIONS), 25)}, _ID),
    "alert": Shape({"text": either(200)}, {**_ID, "level": Choice(("default", "info", "warning", "error", "success"))}),
    "card": _CARD,
    "carousel": Shape({"elements": Items(Typed({"card": _CARD}), 10)}, _ID),
    "container": Shape(
        {"child_blocks": _Contained()},
        {
            **_ID,
            "title": plain(150),
            "rich_text_title": _RICH,
            "subtitle": either(150),
            "width": Choice(("narrow", "standard", "wide", "full")),
            "icon": _IMAGE,
            "is_collapsible": Bool(),
            "default_collapsed": Bool(),
            "has_header_divider": Bool(),
        },
        (one_of("title", "rich_text_title"),),
    ),
    "context": Shape({"elements": Items(Typed({"image": IMAGE, **either().table}), 10)}, _ID),
    "context_actions": Shape({"elements": Items(Typed(ELEMENTS, IN_CONTEXT_ACTIONS), 5)}, _ID),
    "data_table": DATA_TABLE,
    "data_visualization": DATA_VISUALIZATION,
    "divider": Shape({}, _ID),
    "file": Shape({"external_id": Str(), "source": Choice(("remote",))}, _ID),
    "header": Shape({"text": plain(150)}, _ID),
    "image": Shape(
        {"alt_text": Str(2000)},
        {**_ID, **IMAGE.optional, "title": plain(2000)},
        IMAGE.also,
    ),
    "input": Shape(
        {"label": plain(2000), "element": Typed(ELEMENTS, IN_INPUT)},
        {**_ID, "hint": plain(2000), "optional": Bool(), "dispatch_action": Bool()},
    ),
    "markdown": Shape({"text": Str(12_000)}, _ID),
    "plan": Shape({"title": Str()}, {**_ID, "tasks": _PlanTasks()}, (unique("tasks", "task_id"),)),
    "rich_text": RICH_TEXT,
    "section": Shape(
        {},
        {
            **_ID,
            "text": either(3000),
            "fields": Items(either(2000), 10),
            "accessory": Typed(ELEMENTS, IN_SECTION),
            "expand": Bool(),
        },
        (some_of("text", "fields"),),
    ),
    "table": TABLE,
    "task_card": Shape(_TASK, {**_ID, **_TASK_PARTS}, (_not_pending,)),
    "video": Shape(
        {"video_url": URL, "thumbnail_url": URL, "alt_text": Str(2000), "title": plain(200)},
        {
            **_ID,
            "title_url": Str(2000),
            "author_name": Str(50),
            "provider_name": Str(50),
            "provider_icon_url": Str(2000),
            "description": plain(200),
        },
    ),
}

_MESSAGES_ONLY = frozenset({"markdown", "plan", "task_card", "context_actions", "file"})
_NOT_IN_MODALS = frozenset({"table", "data_table", "data_visualization", "carousel", "container"})
_MODALS_ONLY = frozenset({"alert"})

ALLOWED: Mapping[Surface, frozenset[str]] = {
    "message": frozenset(BLOCKS) - _MODALS_ONLY,
    "modal": frozenset(BLOCKS) - _MESSAGES_ONLY - _NOT_IN_MODALS,
    "home": frozenset(BLOCKS) - _MESSAGES_ONLY - _MODALS_ONLY,
}
MOST_BLOCKS: Mapping[Surface, int] = {"message": 50, "modal": 100, "home": 100}
