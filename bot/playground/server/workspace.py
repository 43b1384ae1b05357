"""The workspace itself: people, channels, messages, files and views, and the events that changing them causes."""

from collections.abc import Callable
from dataclasses import dataclass

from bot.playground.server import events
from bot.playground.server.changes import Changes
from bot.playground.server.description import Described
from bot.playground.server.identified import identified
from bot.playground.server.ids import Ids
from bot.playground.server.state import (
    AgentThread,
    Channel,
    ChannelKind,
    Ephemeral,
    Json,
    Message,
    SharedFile,
    User,
    View,
)


@dataclass(frozen=True, slots=True)
class Team:
    """Who and where the app is."""

    id: str
    name: str
    domain: str
    app_id: str
    bot_id: str
    bot_user: str


class UnknownName(LookupError):
    """A person or a channel that the workspace does not have."""


class Workspace:
    """Every change goes through here, so that it is announced to the app and wakes whoever waits."""

    def __init__(self, described: Described, bot_name: str, ids: Ids, changes: Changes) -> None:
        self.ids = ids
        self.changes = changes
        self.announce: Callable[[Json], None] = lambda event: None
        self.users: dict[str, User] = {}
        self.channels: dict[str, Channel] = {}
        self.files: dict[str, SharedFile] = {}
        self.views: dict[str, View] = {}
        self.home_tabs: dict[str, View] = {}
        self.agent_threads: dict[tuple[str, str], AgentThread] = {}
        self.ephemerals: list[Ephemeral] = []
        self.heard: set[str] = set()
        bot = self._add_user(User(ids.take("U"), bot_name, bot_name, is_bot=True))
        self.team = Team(ids.take("T"), described.team, described.domain, ids.take("A"), ids.take("B"), bot.id)
        self._populate(described)

    def _populate(self, described: Described) -> None:
        for person in described.people:
            real_name = person.real_name or person.name
            self._add_user(
                User(self.ids.take("U"), person.name, real_name, person.locale, person.tz, is_guest=person.is_guest)
            )
        for room in described.rooms:
            members = {self.user(name).id for name in room.members} | ({self.team.bot_user} if room.bot else set())
            kind: ChannelKind = "group" if room.private else "channel"
            self._add_channel(Channel(self.ids.take("C"), room.name, kind, members, archived=room.archived))

    def _add_user(self, user: User) -> User:
        self.users[user.id] = user
        return user

    def _add_channel(self, channel: Channel) -> Channel:
        channel.created = int(self.ids.clock())
        self.channels[channel.id] = channel
        return channel

    def user(self, name: str) -> User:
        """By id or name."""
        for user in self.users.values():
            if name in (user.id, user.name):
                return user
        raise UnknownName(f"there is no user `{name}`")

    def channel(self, name: str) -> Channel:
        """By id or name, with or without `#`; a direct conversation is found by its id."""
        if name in self.channels:
            return self.channels[name]
        for channel in self.channels.values():
            if channel.kind != "im" and channel.name == name.removeprefix("#"):
                return channel
        raise UnknownName(f"there is no channel `{name}`")

    def direct(self, name: str) -> Channel:
        """The conversation of one person with the app, opened on first use."""
        user = self.user(name)
        for channel in self.channels.values():
            if channel.kind == "im" and user.id in channel.members:
                return channel
        return self._add_channel(Channel(self.ids.take("D"), user.name, "im", {user.id, self.team.bot_user}))

    def agent_thread(self, channel: str, thread_ts: str) -> AgentThread:
        """What the app shows about this thread."""
        return self.agent_threads.setdefault((channel, thread_ts), AgentThread())

    def post(self, message: Message) -> Message:
        """Add a message and announce it; the app's own takes the status line of its thread away."""
        channel = self.channels[message.channel]
        message.revisions.append(message.text)
        message.blocks = identified(message.blocks, self.ids)
        channel.messages[message.ts] = message
        if message.by_app and message.thread_ts:
            self.agent_thread(channel.id, message.thread_ts).status = ""
        self._announce(events.posted(self.team, channel, message))
        return message

    def change(self, message: Message, *, text: str, edited: bool = True) -> Message:
        """Give a message another text (its other parts are set by the caller) and announce the change."""
        channel = self.channels[message.channel]
        before = events.as_json(self.team, channel, message)
        before["text"] = message.text
        message.text, message.blocks = text, identified(message.blocks, self.ids)
        message.revisions.append(text)
        stamp = self.ids.timestamp()
        message.edited_ts = stamp if edited else message.edited_ts
        self._announce(events.changed(self.team, channel, message, before, stamp))
        return message

    def delete(self, message: Message) -> None:
        """Remove a message; a parent with replies leaves a tombstone, as in Slack."""
        channel = self.channels[message.channel]
        before = events.as_json(self.team, channel, message)
        if message.thread_ts is None and channel.replies(message.ts):
            message.tombstone, message.text, message.blocks, message.user = True, events.TOMBSTONE, [], "USLACKBOT"
            self._announce(events.changed(self.team, channel, message, before, self.ids.timestamp()))
            return
        message.deleted = True
        self._announce(events.deleted(channel, before, self.ids.timestamp()))

    def whisper(self, ephemeral: Ephemeral) -> Ephemeral:
        """Add an ephemeral message; no event is caused."""
        ephemeral.blocks = identified(ephemeral.blocks, self.ids)
        self.ephemerals.append(ephemeral)
        self.changes.happened()
        return ephemeral

    def _announce(self, caused: list[Json]) -> None:
        for event in caused:
            self.announce(event)
        self.changes.happened()
