"""Cursor pagination as the reading methods have it."""

import base64
import binascii
from typing import TypeVar

from bot.playground.server.errors import SlackError
from bot.playground.server.state import Json
from bot.playground.server.web_api.arguments import optional, text, whole

T = TypeVar("T")
PAGED = {"cursor": optional(text), "limit": optional(whole)}
MOST = 1000


def page(items: list[T], given: Json, default: int = 100) -> tuple[list[T], Json]:
    """The asked page of `items` and the `response_metadata` that leads to the next."""
    limit = given.get("limit", default)
    if not 0 < limit <= MOST:
        raise SlackError("invalid_limit")
    start = _start(given.get("cursor"))
    end = start + limit
    cursor = base64.b64encode(f"next:{end}".encode()).decode() if end < len(items) else ""
    return items[start:end], {"next_cursor": cursor}


def _start(cursor: str | None) -> int:
    if not cursor:
        return 0
    try:
        return int(base64.b64decode(cursor, validate=True).decode().removeprefix("next:"))
    except (binascii.Error, ValueError):
        raise SlackError("invalid_cursor") from None
