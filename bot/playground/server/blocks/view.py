"""Views: modals and Home tabs as the `views.*` methods take them."""

import json

from bot.playground.server.blocks.composition import plain
from bot.playground.server.blocks.payload import block_problems
from bot.playground.server.blocks.rules import Bool, Choice, Problems, Shape, Str, problem

VIEW_BYTES = 250_000


class _AnyBlocks:
    """Blocks are checked with their surface's rules, after the rest."""

    def check(self, value: object, at: str) -> Problems:
        """See Rule."""
        if not isinstance(value, list):
            yield problem("must be an array", at)


_COMMON = {"private_metadata": Str(3000, least=0), "callback_id": Str(255, least=0), "external_id": Str(255, least=0)}
_SHAPES = {
    "modal": Shape(
        {"type": Choice(("modal",)), "title": plain(24), "blocks": _AnyBlocks()},
        {
            **_COMMON,
            "submit": plain(24),
            "close": plain(24),
            "clear_on_close": Bool(),
            "notify_on_close": Bool(),
            "submit_disabled": Bool(),
        },
    ),
    "home": Shape({"type": Choice(("home",)), "blocks": _AnyBlocks()}, _COMMON),
}


def view_problems(view: object, *, only: str | None = None) -> list[str]:
    """What is wrong with a view; `only` names the one type that may come here."""
    kind = view.get("type") if isinstance(view, dict) else None
    if not isinstance(view, dict) or kind not in _SHAPES or (only and kind != only):
        return [problem(f"must be a view of type {only or 'modal or home'}", "/view")]
    found = list(_SHAPES[kind].check(view, "/view"))
    blocks = view.get("blocks")
    found += block_problems(blocks, "modal" if kind == "modal" else "home") if isinstance(blocks, list) else []
    found += _missing_submit(view)
    if len(json.dumps(view)) > VIEW_BYTES:
        found.append(problem(f"must be less than {VIEW_BYTES} bytes", "/view"))
    return found


def _missing_submit(view: dict[str, object]) -> list[str]:
    blocks = view.get("blocks")
    inputs = [b for b in blocks if isinstance(b, dict) and b.get("type") == "input"] if isinstance(blocks, list) else []
    if view["type"] == "modal" and inputs and not view.get("submit"):
        return [problem("submit is required when an input block is within blocks", "/view")]
    return []
