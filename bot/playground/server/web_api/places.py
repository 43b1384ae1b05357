"""Finding the channel or the person that a call names, with the errors that Slack gives when it may not."""

from bot.playground.server.errors import SlackError
from bot.playground.server.state import Channel, Message, User
from bot.playground.server.web_api.method import Backstage
from bot.playground.server.workspace import UnknownName

HISTORY_SCOPES = {"channel": "channels:history", "group": "groups:history", "im": "im:history"}
READ_SCOPES = {"channel": "channels:read", "group": "groups:read", "im": "im:read"}


def visible_channel(backstage: Backstage, channel_id: str) -> Channel:
    """A channel that the app can see: public ones, and those that it is a member of."""
    channel = backstage.workspace.channels.get(channel_id)
    bot = backstage.workspace.team.bot_user
    if channel is None or (channel.kind != "channel" and bot not in channel.members):
        raise SlackError("channel_not_found")
    return channel


def joined_channel(backstage: Backstage, channel_id: str) -> Channel:
    """A channel that the app is a member of."""
    channel = visible_channel(backstage, channel_id)
    if backstage.workspace.team.bot_user not in channel.members:
        raise SlackError("not_in_channel")
    return channel


def postable_channel(backstage: Backstage, name: str) -> Channel:
    """Where a post goes: a channel's id or `#name`, or a person's id for the conversation with them."""
    workspace = backstage.workspace
    if name in workspace.users and name != workspace.team.bot_user:
        return workspace.direct(name)
    if name.startswith("#"):
        try:
            name = workspace.channel(name).id
        except UnknownName:
            raise SlackError("channel_not_found") from None
    channel = visible_channel(backstage, name)
    if channel.archived:
        raise SlackError("is_archived")
    outside = workspace.team.bot_user not in channel.members
    if outside and "chat:write.public" not in backstage.manifest.scopes:
        raise SlackError("not_in_channel")
    return channel


def need_scope(backstage: Backstage, scopes: dict[str, str], channel: Channel) -> None:
    """Raise `missing_scope` unless the app has the one for this kind of channel."""
    needed, provided = scopes[channel.kind], backstage.manifest.scopes
    if needed not in provided:
        raise SlackError("missing_scope", needed=needed, provided=",".join(sorted(provided)))


def person(backstage: Backstage, user_id: str) -> User:
    """A user by id."""
    user = backstage.workspace.users.get(user_id)
    if user is None:
        raise SlackError("user_not_found")
    return user


def message_at(channel: Channel, ts: str) -> Message:
    """A message that is still there."""
    message = channel.messages.get(ts)
    if message is None or message.deleted:
        raise SlackError("message_not_found")
    return message
