"""Slack gives every block a `block_id` and every interactive element an `action_id` when the app gave none."""

from bot.playground.server.blocks.elements import ELEMENTS
from bot.playground.server.ids import Ids
from bot.playground.server.state import Json

_PLAIN = frozenset({"image"})


def identified(blocks: list[Json], ids: Ids) -> list[Json]:
    """The same blocks with all ids filled in."""
    return [{**_with_actions(block, ids), "block_id": block.get("block_id") or ids.take("b")} for block in blocks]


def _with_actions(block: Json, ids: Ids) -> Json:
    filled = dict(block)
    for name in ("accessory", "element"):
        if isinstance(block.get(name), dict):
            filled[name] = _with_action(block[name], ids)
    if block["type"] in {"actions", "context_actions"}:
        filled["elements"] = [_with_action(element, ids) for element in block["elements"]]
    if block["type"] in {"card", "container"}:
        filled |= _inner(block, ids)
    return filled


def _inner(block: Json, ids: Ids) -> Json:
    inner: Json = {}
    if "actions" in block:
        inner["actions"] = [_with_action(element, ids) for element in block["actions"]]
    if "child_blocks" in block:
        inner["child_blocks"] = identified(block["child_blocks"], ids)
    return inner


def _with_action(element: Json, ids: Ids) -> Json:
    if element["type"] not in ELEMENTS or element["type"] in _PLAIN:
        return element
    return {**element, "action_id": element.get("action_id") or ids.take("a")}
