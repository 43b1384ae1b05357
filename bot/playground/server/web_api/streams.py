"""Streamed messages: `chat.startStream`, `appendStream` and `stopStream`."""

from bot.playground.server.blocks.layout import MOST_BLOCKS
from bot.playground.server.blocks.metadata import metadata_problems
from bot.playground.server.blocks.payload import block_problems
from bot.playground.server.blocks.rules import Choice, Items, Shape, Str, Typed
from bot.playground.server.content import MARKDOWN_TEXT_LIMIT, Content, Manners
from bot.playground.server.errors import SlackError
from bot.playground.server.state import Channel, Json, Message
from bot.playground.server.web_api.arguments import array, mapping, optional, required, text, timestamp
from bot.playground.server.web_api.method import Backstage, Method
from bot.playground.server.web_api.places import message_at, postable_channel, visible_channel

_SOURCES = Items(Typed({"url": Shape({"url": Str(), "text": Str()})}))
CHUNKS = Items(
    Typed(
        {
            "markdown_text": Shape({"text": Str(MARKDOWN_TEXT_LIMIT)}),
            "plan_update": Shape({"title": Str(256)}),
            "task_update": Shape(
                {
                    "id": Str(),
                    "title": Str(256),
                    "status": Choice(("pending", "in_progress", "complete", "error")),
                },
                {"details": Str(256), "output": Str(256), "sources": _SOURCES},
            ),
            "blocks": Shape({"blocks": Items(Shape({"type": Str()}), MOST_BLOCKS["message"])}),
        }
    )
)
DISPLAY = ("timeline", "plan")


def _added(given: Json) -> str:
    """The text that this call adds; raises for wrong chunks and for too much text at once."""
    chunks = given.get("chunks", [])
    if chunks and "markdown_text" in given:
        raise SlackError("markdown_text_conflict")
    if problems := list(CHUNKS.check(chunks, "/chunks")) if chunks else []:
        raise SlackError("invalid_arguments", *problems)
    parts = [chunk["text"] for chunk in chunks if chunk["type"] == "markdown_text"]
    added: str = given.get("markdown_text", "") + "".join(parts)
    if len(added) > MARKDOWN_TEXT_LIMIT:
        raise SlackError("msg_too_long")
    return added


def _start(backstage: Backstage, given: Json) -> Json:
    channel = postable_channel(backstage, given["channel"])
    parent = channel.messages.get(given["thread_ts"])
    if parent is None or parent.deleted:
        raise SlackError("invalid_thread_ts")
    if channel.kind != "im":
        for name in ("recipient_user_id", "recipient_team_id"):
            if name not in given:
                raise SlackError(f"missing_{name}")
    if given.get("task_display_mode", DISPLAY[0]) not in DISPLAY:
        raise SlackError("invalid_arguments", f"must be one of {', '.join(DISPLAY)} [json-pointer:/task_display_mode]")
    team = backstage.workspace.team
    ts = backstage.common.ids.timestamp()
    message = Message(channel.id, ts, team.bot_user, _added(given), thread_ts=parent.thread_ts or parent.ts)
    message.bot_id, message.streaming = team.bot_id, True
    backstage.workspace.post(message)
    return {"channel": channel.id, "ts": ts}


def _streaming(backstage: Backstage, given: Json) -> tuple[Channel, Message]:
    channel = visible_channel(backstage, given["channel"])
    message = message_at(channel, given["ts"])
    if not message.streaming:
        raise SlackError("message_not_in_streaming_state")
    return channel, message


def _append(backstage: Backstage, given: Json) -> Json:
    channel, message = _streaming(backstage, given)
    if not given.get("markdown_text") and not given.get("chunks"):
        raise SlackError("no_text")
    message.text += _added(given)
    return {"channel": channel.id, "ts": message.ts}


def _stop(backstage: Backstage, given: Json) -> Json:
    channel, message = _streaming(backstage, given)
    blocks, metadata = given.get("blocks", []), given.get("metadata")
    if problems := block_problems(blocks, "message"):
        raise SlackError("invalid_blocks", *problems)
    if metadata is not None and (problems := metadata_problems(metadata)):
        raise SlackError("invalid_metadata_format", *problems)
    message.blocks, message.metadata, message.streaming = blocks, metadata, False
    whole = message.text + _added(given)
    shown = Content("-", [{"type": "markdown", "text": whole}, *blocks])
    Manners(backstage.common, backstage.workspace).look_at(shown, "chat.stopStream", channel, message.thread_ts)
    backstage.workspace.change(message, text=whole, edited=False)
    return {"channel": channel.id, "ts": message.ts}


STREAM = {"channel": required(text), "markdown_text": optional(text), "chunks": optional(array)}

METHODS = (
    Method(
        "chat.startStream",
        _start,
        {
            **STREAM,
            "thread_ts": required(timestamp),
            "recipient_user_id": optional(text),
            "recipient_team_id": optional(text),
            "task_display_mode": optional(text),
        },
        ("chat:write",),
        tier=2,
    ),
    Method("chat.appendStream", _append, {**STREAM, "ts": required(timestamp)}, ("chat:write",), tier=4),
    Method(
        "chat.stopStream",
        _stop,
        {
            **STREAM,
            "ts": required(timestamp),
            "blocks": optional(array),
            "metadata": optional(mapping),
            "session_status": optional(text),
        },
        ("chat:write",),
        tier=2,
    ),
)
