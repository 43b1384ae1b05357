"""`chat.postMessage`, `update`, `delete`, `postEphemeral` and `getPermalink`."""

import re

from bot.playground.server import events
from bot.playground.server.content import UPDATE_TEXT_LIMIT, Content, Manners, read_content
from bot.playground.server.errors import SlackError
from bot.playground.server.state import Channel, Ephemeral, Json, Message
from bot.playground.server.violations import Rule
from bot.playground.server.web_api.arguments import array, flag, mapping, optional, required, text, timestamp
from bot.playground.server.web_api.method import Backstage, Method
from bot.playground.server.web_api.places import joined_channel, message_at, person, postable_channel, visible_channel

PLAIN_BROADCAST = re.compile(r"@(channel|here|everyone)\b")
CONTENT = {
    "text": optional(text),
    "blocks": optional(array),
    "attachments": optional(array),
    "markdown_text": optional(text),
    "link_names": optional(flag),
    "parse": optional(text),
    "as_user": optional(flag),
}
LOOKS = {"icon_emoji": optional(text), "icon_url": optional(text), "username": optional(text)}
POST = {
    **CONTENT,
    **LOOKS,
    "channel": required(text),
    "thread_ts": optional(timestamp),
    "reply_broadcast": optional(flag),
    "unfurl_links": optional(flag),
    "unfurl_media": optional(flag),
    "mrkdwn": optional(flag),
    "metadata": optional(mapping),
}
UPDATE = {
    **CONTENT,
    "channel": required(text),
    "ts": required(timestamp),
    "file_ids": optional(text),
    "reply_broadcast": optional(flag),
    "metadata": optional(mapping),
}
EPHEMERAL = {
    **CONTENT,
    **LOOKS,
    "channel": required(text),
    "user": required(text),
    "thread_ts": optional(timestamp),
}


def thread_of(backstage: Backstage, channel: Channel, ts: str | None, where: str) -> str | None:
    """The thread that a post goes to: None, with a violation, when `ts` is no parent in this channel."""
    if ts is None:
        return None
    record = backstage.common.violations.record
    parent = channel.messages.get(ts)
    if parent is None or parent.deleted:
        record(Rule.UNKNOWN_THREAD, where, f"`{ts}` is no message in `{channel.name}`: posted at top level")
        return None
    if parent.thread_ts:
        record(Rule.REPLY_AS_THREAD, where, f"`{ts}` is a reply to `{parent.thread_ts}`")
        return parent.thread_ts
    return ts


def _check_looks(backstage: Backstage, given: Json) -> None:
    scopes = backstage.manifest.scopes
    if LOOKS.keys() & given.keys() and "chat:write.customize" not in scopes:
        raise SlackError("missing_scope", needed="chat:write.customize", provided=",".join(sorted(scopes)))


def _post(backstage: Backstage, given: Json) -> Json:
    _check_looks(backstage, given)
    channel = postable_channel(backstage, given["channel"])
    content = read_content(given)
    thread_ts = thread_of(backstage, channel, given.get("thread_ts"), "chat.postMessage")
    Manners(backstage.common, backstage.workspace).look_at(content, "chat.postMessage", channel, thread_ts)
    _note_unfurls(backstage, content, given)
    _note_names(backstage, content, given)
    message = _message(backstage, channel, content)
    message.thread_ts = thread_ts
    message.reply_broadcast = bool(thread_ts and given.get("reply_broadcast"))
    message.unfurl_links, message.unfurl_media = given.get("unfurl_links"), given.get("unfurl_media")
    backstage.workspace.post(message)
    return {"channel": channel.id, "ts": message.ts, "message": _shown(backstage, channel, message)}


def _message(backstage: Backstage, channel: Channel, content: Content) -> Message:
    team = backstage.workspace.team
    message = Message(channel.id, backstage.common.ids.timestamp(), team.bot_user, content.text, bot_id=team.bot_id)
    message.blocks, message.attachments, message.metadata = content.blocks, content.attachments, content.metadata
    return message


def _shown(backstage: Backstage, channel: Channel, message: Message) -> Json:
    return events.as_json(backstage.workspace.team, channel, message, with_metadata=True)


def _note_unfurls(backstage: Backstage, content: Content, given: Json) -> None:
    switched_off = given.get("unfurl_links") is False and given.get("unfurl_media") is False
    if "://" in f"{content.text}{content.blocks}" and not switched_off:
        backstage.common.violations.record(Rule.UNFURL, "chat.postMessage", "a link, and unfurls not switched off")


def _note_names(backstage: Backstage, content: Content, given: Json) -> None:
    """With `link_names` or `parse=full` a plain `@channel` notifies everybody too."""
    linked = given.get("link_names") or given.get("parse") == "full"
    if linked and (named := PLAIN_BROADCAST.search(content.text)):
        backstage.common.violations.record(Rule.BROADCAST, "chat.postMessage", f"`{named[0]}` with names linked")


def _own_message(backstage: Backstage, channel: Channel, ts: str, refusal: str) -> Message:
    message = message_at(channel, ts)
    if message.bot_id != backstage.workspace.team.bot_id:
        raise SlackError(refusal)
    return message


def _update(backstage: Backstage, given: Json) -> Json:
    """What is not sent stays as it was, the blocks too: an empty array removes them."""
    channel = visible_channel(backstage, given["channel"])
    message = _own_message(backstage, channel, given["ts"], "cant_update_message")
    if channel.archived:
        raise SlackError("is_archived")
    if not given.keys() & {"text", "markdown_text", "blocks", "attachments"}:
        raise SlackError("no_text")
    if message.blocks and given.keys() & {"text", "markdown_text"} and "blocks" not in given:
        backstage.common.violations.record(Rule.STALE_BLOCKS, "chat.update", "new text under the old blocks")
    kept = {"text": message.text, "blocks": message.blocks, "attachments": message.attachments}
    if "markdown_text" in given:
        kept = {"attachments": message.attachments}
    content = read_content({**kept, **given}, text_limit=UPDATE_TEXT_LIMIT)
    Manners(backstage.common, backstage.workspace).look_at(content, "chat.update", channel, message.thread_ts)
    message.blocks, message.attachments = content.blocks, content.attachments
    message.metadata = content.metadata or message.metadata
    message.reply_broadcast = message.reply_broadcast or bool(message.thread_ts and given.get("reply_broadcast"))
    backstage.workspace.change(message, text=content.text)
    shown = _shown(backstage, channel, message)
    return {"channel": channel.id, "ts": message.ts, "text": message.text, "message": shown}


def _delete(backstage: Backstage, given: Json) -> Json:
    channel = visible_channel(backstage, given["channel"])
    message = _own_message(backstage, channel, given["ts"], "cant_delete_message")
    backstage.workspace.delete(message)
    return {"channel": channel.id, "ts": message.ts}


def _post_ephemeral(backstage: Backstage, given: Json) -> Json:
    _check_looks(backstage, given)
    channel = postable_channel(backstage, given["channel"])
    user = person(backstage, given["user"])
    if user.id not in channel.members:
        raise SlackError("user_not_in_channel")
    content = read_content(given)
    thread_ts = thread_of(backstage, channel, given.get("thread_ts"), "chat.postEphemeral")
    Manners(backstage.common, backstage.workspace).look_at(content, "chat.postEphemeral", channel, thread_ts)
    ts = backstage.common.ids.timestamp()
    ephemeral = Ephemeral(channel.id, user.id, ts, content.text, content.blocks, "chat.postEphemeral", thread_ts)
    ephemeral.attachments = content.attachments
    backstage.workspace.whisper(ephemeral)
    return {"message_ts": ts}


def _permalink(backstage: Backstage, given: Json) -> Json:
    channel = joined_channel(backstage, given["channel"])
    message = message_at(channel, given["message_ts"])
    link = f"https://{backstage.workspace.team.domain}.slack.com/archives/{channel.id}/p{message.ts.replace('.', '')}"
    if message.thread_ts:
        link += f"?thread_ts={message.thread_ts}&cid={channel.id}"
    return {"channel": channel.id, "permalink": link}


METHODS = (
    Method("chat.postMessage", _post, POST, ("chat:write",), tier=0),
    Method("chat.update", _update, UPDATE, ("chat:write",)),
    Method(
        "chat.delete",
        _delete,
        {"channel": required(text), "ts": required(timestamp), "as_user": optional(flag)},
        ("chat:write",),
    ),
    Method("chat.postEphemeral", _post_ephemeral, EPHEMERAL, ("chat:write",), tier=4),
    Method(
        "chat.getPermalink",
        _permalink,
        {"channel": required(text), "message_ts": required(timestamp)},
        accepts_json=False,
    ),
)
