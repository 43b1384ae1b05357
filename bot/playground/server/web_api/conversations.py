"""`conversations.*`: looking at channels and at what was written in them."""

from bot.playground.server import events
from bot.playground.server.errors import SlackError
from bot.playground.server.state import Channel, Json, Message
from bot.playground.server.web_api.arguments import flag, names, optional, required, text, timestamp
from bot.playground.server.web_api.method import Backstage, Method
from bot.playground.server.web_api.pages import PAGED, page
from bot.playground.server.web_api.places import (
    HISTORY_SCOPES,
    READ_SCOPES,
    joined_channel,
    need_scope,
    person,
    visible_channel,
)

RANGE = {
    **PAGED,
    "latest": optional(timestamp),
    "oldest": optional(timestamp),
    "inclusive": optional(flag),
    "include_all_metadata": optional(flag),
}
TYPES = {"public_channel": "channel", "private_channel": "group", "im": "im"}


def channel_json(backstage: Backstage, channel: Channel) -> Json:
    """A channel as the methods show it."""
    bot = backstage.workspace.team.bot_user
    shown: Json = {
        "id": channel.id,
        "created": channel.created,
        "is_archived": channel.archived,
        "is_channel": channel.kind == "channel",
        "is_group": channel.kind == "group",
        "is_im": channel.kind == "im",
        "is_mpim": False,
        "is_private": channel.kind != "channel",
        "context_team_id": backstage.workspace.team.id,
    }
    if channel.kind == "im":
        return shown | {"user": next(member for member in channel.members if member != bot)}
    return shown | {"name": channel.name, "name_normalized": channel.name, "is_member": bot in channel.members}


def _info(backstage: Backstage, given: Json) -> Json:
    channel = visible_channel(backstage, given["channel"])
    need_scope(backstage, READ_SCOPES, channel)
    shown = channel_json(backstage, channel)
    if given.get("include_num_members"):
        shown["num_members"] = len(channel.members)
    return {"channel": shown}


def _open(backstage: Backstage, given: Json) -> Json:
    if "channel" in given:
        channel = visible_channel(backstage, given["channel"])
    else:
        users = given.get("users", [])
        if not users:
            raise SlackError("users_list_not_supplied")
        if len(users) > 1:
            raise SlackError("missing_scope", needed="mpim:write")
        channel = backstage.workspace.direct(person(backstage, users[0]).id)
    return {"channel": channel_json(backstage, channel) if given.get("return_im") else {"id": channel.id}}


def _in_range(messages: list[Message], given: Json) -> list[Message]:
    latest, oldest, inclusive = given.get("latest"), given.get("oldest"), given.get("inclusive", False)
    return [
        message
        for message in messages
        if (latest is None or message.ts < latest or (inclusive and message.ts == latest))
        and (oldest is None or message.ts > oldest or (inclusive and message.ts == oldest))
    ]


def _shown(backstage: Backstage, channel: Channel, messages: list[Message], given: Json) -> Json:
    found, metadata = page(messages, given)
    whole = given.get("include_all_metadata", False)
    team = backstage.workspace.team
    return {
        "messages": [events.as_json(team, channel, message, with_metadata=whole) for message in found],
        "has_more": bool(metadata["next_cursor"]),
        "response_metadata": metadata,
    }


def _readable(backstage: Backstage, given: Json) -> Channel:
    channel = joined_channel(backstage, given["channel"])
    need_scope(backstage, HISTORY_SCOPES, channel)
    return channel


def _history(backstage: Backstage, given: Json) -> Json:
    channel = _readable(backstage, given)
    newest_first = list(reversed(_in_range(channel.top_level(), given)))
    return _shown(backstage, channel, newest_first, given)


def _replies(backstage: Backstage, given: Json) -> Json:
    channel = _readable(backstage, given)
    asked = channel.messages.get(given["ts"])
    if asked is None or asked.deleted:
        raise SlackError("thread_not_found")
    if asked.thread_ts:
        return _shown(backstage, channel, [asked], given)
    parent, *replies = channel.thread(asked.ts)
    return _shown(backstage, channel, [parent, *_in_range(replies, given)], given)


def _of_types(backstage: Backstage, given: Json) -> list[Channel]:
    types = given.get("types", ["public_channel"])
    kinds = {TYPES[name] for name in types if name in TYPES}
    if set(types) - TYPES.keys() - {"mpim"}:
        raise SlackError("invalid_types")
    for kind in sorted(kinds):
        need_scope(backstage, READ_SCOPES, Channel("", "", kind, set()))  # type: ignore[arg-type]  # from TYPES
    skip_archived = given.get("exclude_archived", False)
    return [c for c in backstage.workspace.channels.values() if c.kind in kinds and not (skip_archived and c.archived)]


def _list(backstage: Backstage, given: Json) -> Json:
    bot = backstage.workspace.team.bot_user
    visible = [c for c in _of_types(backstage, given) if c.kind == "channel" or bot in c.members]
    found, metadata = page(visible, given)
    return {"channels": [channel_json(backstage, c) for c in found], "response_metadata": metadata}


def _users_conversations(backstage: Backstage, given: Json) -> Json:
    bot = backstage.workspace.team.bot_user
    user = person(backstage, given.get("user", bot)).id
    shared = [c for c in _of_types(backstage, given) if user in c.members and (c.kind == "channel" or bot in c.members)]
    found, metadata = page(shared, given)
    return {"channels": [channel_json(backstage, c) for c in found], "response_metadata": metadata}


def _members(backstage: Backstage, given: Json) -> Json:
    channel = visible_channel(backstage, given["channel"])
    need_scope(backstage, READ_SCOPES, channel)
    found, metadata = page(sorted(channel.members), given)
    return {"members": found, "response_metadata": metadata}


LIST = {**PAGED, "exclude_archived": optional(flag), "types": optional(names)}

METHODS = (
    Method(
        "conversations.info",
        _info,
        {"channel": required(text), "include_locale": optional(flag), "include_num_members": optional(flag)},
        accepts_json=False,
    ),
    Method(
        "conversations.open",
        _open,
        {
            "channel": optional(text),
            "users": optional(names),
            "return_im": optional(flag),
            "prevent_creation": optional(flag),
        },
        ("im:write",),
    ),
    Method("conversations.history", _history, {**RANGE, "channel": required(text)}, accepts_json=False),
    Method(
        "conversations.replies",
        _replies,
        {**RANGE, "channel": required(text), "ts": required(timestamp)},
        accepts_json=False,
    ),
    Method("conversations.list", _list, LIST, accepts_json=False, tier=2),
    Method("conversations.members", _members, {**PAGED, "channel": required(text)}, accepts_json=False, tier=4),
    Method("users.conversations", _users_conversations, {**LIST, "user": optional(text)}, accepts_json=False),
)
