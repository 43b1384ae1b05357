"""What a workspace consists of: plain mutable records, as Slack would keep them."""

from dataclasses import dataclass, field
from typing import Any, Literal

Json = dict[str, Any]
ChannelKind = Literal["channel", "group", "im"]


@dataclass(slots=True)
class User:
    """A person, or the bot's own user."""

    id: str
    name: str
    real_name: str
    locale: str = "en-US"
    tz: str = "Etc/UTC"
    is_bot: bool = False
    is_guest: bool = False


@dataclass(slots=True)
class Message:
    """One message; `thread_ts` is None at top level, `user` is the bot's user id for the app's own."""

    channel: str
    ts: str
    user: str
    text: str
    blocks: list[Json] = field(default_factory=list)
    attachments: list[Json] = field(default_factory=list)
    files: list[Json] = field(default_factory=list)
    thread_ts: str | None = None
    metadata: Json | None = None
    bot_id: str | None = None
    subtype: str | None = None
    edited_ts: str | None = None
    reply_broadcast: bool = False
    unfurl_links: bool | None = None
    unfurl_media: bool | None = None
    reactions: dict[str, list[str]] = field(default_factory=dict)
    deleted: bool = False
    tombstone: bool = False
    streaming: bool = False
    selected: Json = field(default_factory=dict)
    revisions: list[str] = field(default_factory=list)

    @property
    def by_app(self) -> bool:
        """Whether the app wrote it."""
        return self.bot_id is not None


@dataclass(slots=True)
class Ephemeral:
    """A message that only `user` sees; `via` is how it came: `chat.postEphemeral`, `response_url` or `ack`."""

    channel: str
    user: str
    ts: str
    text: str
    blocks: list[Json]
    via: str
    thread_ts: str | None = None
    attachments: list[Json] = field(default_factory=list)
    deleted: bool = False
    selected: Json = field(default_factory=dict)


@dataclass(slots=True)
class Channel:
    """A public channel, a private one (`group`) or a direct conversation of one person with the app (`im`)."""

    id: str
    name: str
    kind: ChannelKind
    members: set[str]
    archived: bool = False
    created: int = 0
    messages: dict[str, Message] = field(default_factory=dict)

    def thread(self, ts: str) -> list[Message]:
        """The parent and its replies, oldest first, without what was deleted."""
        return [m for m in self.messages.values() if not m.deleted and ts in {m.ts, m.thread_ts}]

    def replies(self, ts: str) -> list[Message]:
        """The replies alone."""
        return [m for m in self.thread(ts) if m.ts != ts]

    def top_level(self) -> list[Message]:
        """What the channel itself shows: no replies but those that were broadcast."""
        return [m for m in self.messages.values() if not m.deleted and (not m.thread_ts or m.reply_broadcast)]


@dataclass(slots=True)
class SharedFile:
    """A file on its way (`shared` is empty) or shared somewhere."""

    id: str
    name: str
    title: str
    length: int
    user: str
    content: bytes | None = None
    shared: list[str] = field(default_factory=list)
    complete: bool = False


@dataclass(slots=True)
class AgentThread:
    """What an app shows about a thread besides messages: its status line, title and suggested prompts."""

    status: str = ""
    title: str = ""
    prompts: list[Json] = field(default_factory=list)
    session: str = ""
    statuses: list[str] = field(default_factory=list)


@dataclass(slots=True)
class View:
    """A modal or a Home tab that one person sees; `body` is what the app sent."""

    id: str
    user: str
    body: Json
    hash: str
    root_id: str
    previous_id: str | None = None
    errors: dict[str, str] = field(default_factory=dict)

    @property
    def type(self) -> str:
        """`modal` or `home`."""
        return str(self.body["type"])
