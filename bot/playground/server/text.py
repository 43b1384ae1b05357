"""Slack's mrkdwn as far as escaping goes: which tokens a text holds, and which characters should have been escaped."""

import re
from collections.abc import Iterator
from typing import Any

from bot.playground.server.state import Json

_ANGLE = re.compile(r"<([^<>\n]*)>")
_KNOWN = re.compile(
    r"@[UW][A-Z0-9]+(\|[^<>]*)?"
    r"|#[CG][A-Z0-9]+(\|[^<>]*)?"
    r"|!(here|channel|everyone)(\|[^<>]*)?"
    r"|!subteam\^S[A-Z0-9]+(\|[^<>]*)?"
    r"|!date\^\d+\^[^<>|]+\|[^<>]+"
    r"|(https?://|mailto:|tel:)[^<>|\s]+(\|[^<>]+)?"
)
_BROADCAST = re.compile(r"<!(?:here|channel|everyone|subteam\^[^<>|]+)(?:\|[^<>]*)?>")
_MENTION = re.compile(r"<@([UW][A-Z0-9]+)(?:\|[^<>]*)?>")
_LABELLED_LINK = re.compile(r"<((?:https?://|mailto:)[^<>|\s]+\|[^<>]+)>")
_LOOSE_AMPERSAND = re.compile(r"&(?!amp;|lt;|gt;)")
_QUOTE_MARK = re.compile(r"^\s*>+ ?", re.MULTILINE)
_CODE = re.compile(r"```.*?```|`[^`\n]+`", re.DOTALL)
_MARKDOWN = re.compile(r"\*\*[^\s*][^*\n]*\*\*|^#{1,6} \S|\[[^\]\n]+\]\(https?://[^)\s]+\)", re.MULTILINE)
_DOUBLE = re.compile(r"&amp;(?:amp|lt|gt|quot|#\d+);")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
_ESCAPES = (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"))


def escape(text: str) -> str:
    """What Slack's composer makes of typed text: the three escapes, nothing else."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def unescape(text: str) -> str:
    """What a reader sees."""
    for entity, character in _ESCAPES:
        text = text.replace(entity, character)
    return text


def broadcasts(text: str) -> list[str]:
    """The tokens that notify many people."""
    return _BROADCAST.findall(text)


def mentions(text: str) -> list[str]:
    """The ids of the people mentioned."""
    return _MENTION.findall(text)


def labelled_links(text: str) -> list[str]:
    """Every `url|label`."""
    return _LABELLED_LINK.findall(text)


def heard_tokens(text: str) -> set[str]:
    """What of a person's text must not come back live: mentions and labelled links, whether live there or typed.

    Doubly escaped entities are among them: somebody who writes `&lt;` may be quoted.
    """
    plain = unescape(text)
    return {*mentions(plain), *labelled_links(plain), *double_escapes(text)}


def double_escapes(text: str) -> list[str]:
    """Entities whose own ampersand was escaped."""
    return _DOUBLE.findall(text)


def markdown_syntax(text: str) -> list[str]:
    """What is meant as Markdown and is none in mrkdwn, outside of code."""
    return _MARKDOWN.findall(_CODE.sub("", text))


def control_characters(text: str) -> list[str]:
    """Characters that nobody should be sent."""
    return _CONTROL.findall(text)


def unescaped(text: str) -> list[str]:
    """Short excerpts around each `&`, `<` or `>` that Slack would want escaped."""
    rest = _QUOTE_MARK.sub("", text)
    rest = _ANGLE.sub(lambda found: "" if _KNOWN.fullmatch(found[1]) else found[0], rest)
    places = [m.start() for m in re.finditer("[<>]", rest)] + [m.start() for m in _LOOSE_AMPERSAND.finditer(rest)]
    return [rest[max(0, place - 10) : place + 15] for place in sorted(places)]


def texts_in(value: object, kinds: frozenset[str]) -> Iterator[str]:
    """Every text of these kinds (`mrkdwn`, `markdown`) inside blocks or attachments."""
    if isinstance(value, list):
        for item in value:
            yield from texts_in(item, kinds)
    elif isinstance(value, dict):
        if value.get("type") in kinds and isinstance(value.get("text"), str):
            yield value["text"]
        for item in value.values():
            yield from texts_in(item, kinds)


def with_plain_text_escaped(value: Any) -> Any:
    """The same value with every `plain_text` escaped: the form in which interactions bring texts back."""
    if isinstance(value, list):
        return [with_plain_text_escaped(item) for item in value]
    if not isinstance(value, dict):
        return value
    copy = {name: with_plain_text_escaped(item) for name, item in value.items()}
    if value.get("type") == "plain_text" and isinstance(value.get("text"), str):
        copy["text"] = escape(value["text"])
    return copy


def rich_mentions(value: object) -> Iterator[Json]:
    """Every `broadcast`, `user` and `usergroup` element of rich text."""
    if isinstance(value, list):
        for item in value:
            yield from rich_mentions(item)
    elif isinstance(value, dict):
        if value.get("type") in {"broadcast", "usergroup"} or (value.get("type") == "user" and "user_id" in value):
            yield value
        for item in value.values():
            yield from rich_mentions(item)
