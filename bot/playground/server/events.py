"""Events API payloads: what a change in the workspace looks like to the app."""

from typing import TYPE_CHECKING, Any

from bot.playground.server.state import Channel, Json, Message

if TYPE_CHECKING:
    from bot.playground.server.workspace import Team

TOMBSTONE = "This message was deleted."
"""The text that a deleted parent keeps while its thread still has replies."""

_SUBSCRIPTION = {"channel": "message.channels", "group": "message.groups", "im": "message.im"}


def subscription(event: Json) -> str:
    """The name under which a manifest subscribes to this event."""
    if event["type"] == "message":
        return _SUBSCRIPTION[event["channel_type"]]
    return str(event["type"])


def as_json(team: "Team", channel: Channel, message: Message, *, with_metadata: bool = False) -> Json:
    """A message as `conversations.history` and the events show it."""
    shown: Json = {"type": "message", "user": message.user, "ts": message.ts, "text": message.text, "team": team.id}
    optional: Json = {
        "subtype": "tombstone" if message.tombstone else message.subtype,
        "hidden": message.tombstone or None,
        "thread_ts": message.thread_ts,
        "client_msg_id": None if message.by_app else f"client-{message.ts}",
        "blocks": message.blocks,
        "attachments": message.attachments,
        "files": message.files,
        "metadata": message.metadata if with_metadata else None,
        "edited": {"user": message.user, "ts": message.edited_ts} if message.edited_ts else None,
        "reactions": [{"name": n, "users": u, "count": len(u)} for n, u in message.reactions.items()],
    }
    shown.update({name: value for name, value in optional.items() if value})
    if message.bot_id:
        shown |= {"bot_id": message.bot_id, "app_id": team.app_id, "bot_profile": _profile(team)}
    if not message.thread_ts and (replies := channel.replies(message.ts)):
        shown |= _thread_summary(message, replies)
    return shown


def _profile(team: "Team") -> Json:
    return {"id": team.bot_id, "app_id": team.app_id, "team_id": team.id, "deleted": False}


def _thread_summary(message: Message, replies: list[Message]) -> Json:
    users = list(dict.fromkeys(reply.user for reply in replies))
    return {
        "thread_ts": message.ts,
        "reply_count": len(replies),
        "reply_users": users,
        "reply_users_count": len(users),
        "latest_reply": replies[-1].ts,
    }


def posted(team: "Team", channel: Channel, message: Message) -> list[Json]:
    """A message event and, in a channel where the app is mentioned, an `app_mention` beside it."""
    if team.bot_user not in channel.members:
        return []
    shown = as_json(team, channel, message)
    if message.reply_broadcast:
        shown["subtype"] = "thread_broadcast"
    if message.thread_ts:
        parent = channel.messages.get(message.thread_ts)
        shown["parent_user_id"] = parent.user if parent else None
    place = {"channel": channel.id, "event_ts": message.ts}
    events: list[Json] = [shown | place | {"channel_type": channel.kind}]
    if mentions_app(team, channel, message):
        events.append({**shown, **place, "type": "app_mention"})
    return events


def mentions_app(team: "Team", channel: Channel, message: Message) -> bool:
    """Whether an `app_mention` is due: never in a direct conversation, never for the app's own words."""
    return channel.kind != "im" and not message.by_app and f"<@{team.bot_user}" in message.text


def changed(team: "Team", channel: Channel, message: Message, before: Json, event_ts: str) -> list[Json]:
    """`message_changed`; a mention in the new text also causes an `app_mention` that carries `edited`."""
    if team.bot_user not in channel.members:
        return []
    shown = as_json(team, channel, message)
    events: list[Json] = [
        {
            "type": "message",
            "subtype": "message_changed",
            "hidden": True,
            "message": shown,
            "previous_message": before,
            "channel": channel.id,
            "channel_type": channel.kind,
            "ts": event_ts,
            "event_ts": event_ts,
        }
    ]
    if message.edited_ts == event_ts and mentions_app(team, channel, message):
        events.append({**shown, "type": "app_mention", "channel": channel.id, "event_ts": event_ts})
    return events


def deleted(channel: Channel, before: Json, event_ts: str) -> list[Json]:
    """`message_deleted`."""
    event: dict[str, Any] = {
        "type": "message",
        "subtype": "message_deleted",
        "hidden": True,
        "deleted_ts": before["ts"],
        "previous_message": before,
        "channel": channel.id,
        "channel_type": channel.kind,
        "ts": event_ts,
        "event_ts": event_ts,
    }
    return [event]
