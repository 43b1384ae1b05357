"""Rich text: sections, lists, quotes, preformatted text and what stands in them."""

from collections.abc import Mapping

from bot.playground.server.blocks.rules import Bool, Choice, Items, Number, Rule, Shape, Str, Typed

_STYLE = Shape({}, {name: Bool() for name in ("bold", "code", "italic", "strike", "underline", "highlight")})
_STYLED: Mapping[str, Rule] = {"style": _STYLE}
_BORDER: Mapping[str, Rule] = {"border": Choice((0, 1))}

INLINE: Mapping[str, Shape] = {
    "broadcast": Shape({"range": Choice(("here", "channel", "everyone"))}, _STYLED),
    "channel": Shape({"channel_id": Str()}, _STYLED),
    "citation": Shape({"url": Str(), "text": Str()}, _STYLED),
    "color": Shape({"value": Str(pattern=r"#[0-9a-fA-F]{6}")}, _STYLED),
    "date": Shape({"timestamp": Number(0, whole=True), "format": Str()}, {**_STYLED, "url": Str(), "fallback": Str()}),
    "emoji": Shape({"name": Str()}, {**_STYLED, "unicode": Str(), "url": Str(), "skin_tone": Number(whole=True)}),
    "link": Shape({"url": Str()}, {**_STYLED, "text": Str(least=0), "unsafe": Bool()}),
    "tag": Shape({"text": Str()}, {**_STYLED, "color": Str()}),
    "team": Shape({"team_id": Str()}, _STYLED),
    "text": Shape({"text": Str()}, _STYLED),
    "user": Shape({"user_id": Str()}, _STYLED),
    "usergroup": Shape({"usergroup_id": Str()}, _STYLED),
}

SECTION = Shape({"elements": Items(Typed(INLINE), least=0)})

PARTS: Mapping[str, Shape] = {
    "rich_text_section": SECTION,
    "rich_text_list": Shape(
        {
            "elements": Items(Typed({"rich_text_section": SECTION}), least=0),
            "style": Choice(("bullet", "ordered")),
        },
        {**_BORDER, "indent": Number(0, 8, whole=True), "offset": Number(0, whole=True)},
    ),
    "rich_text_preformatted": Shape(
        {"elements": Items(Typed(INLINE, frozenset({"text", "link"})), least=0)}, {**_BORDER, "language": Str()}
    ),
    "rich_text_quote": Shape({"elements": Items(Typed(INLINE), least=0)}, _BORDER),
}

RICH_TEXT = Shape({"elements": Items(Typed(PARTS))}, {"block_id": Str(255)})
