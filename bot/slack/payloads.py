"""The parts of Slack's payloads that are read; whatever else they hold is let go. Malformed ones raise pydantic's ValidationError."""

from pydantic import BaseModel, ConfigDict


class Part(BaseModel):
    """Part of a payload."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class File(Part):
    """A file that a message came with; `url_private_download` is empty where Slack has yet to be asked for it."""

    id: str
    name: str = ""
    mimetype: str = ""
    size: int = 0
    url_private_download: str = ""


class Words(Part):
    """A message as it stands in another event."""

    ts: str
    text: str = ""
    user: str | None = None
    bot_id: str | None = None
    subtype: str | None = None
    thread_ts: str | None = None
    files: tuple[File, ...] = ()


class Event(Part):
    """An event of the kinds that the bot subscribes to."""

    type: str
    channel: str = ""
    channel_type: str = ""
    subtype: str | None = None
    ts: str = ""
    thread_ts: str | None = None
    user: str | None = None
    text: str = ""
    bot_id: str | None = None
    files: tuple[File, ...] = ()
    message: Words | None = None
    previous_message: Words | None = None
    deleted_ts: str | None = None
    tab: str | None = None


class Wrapped(Part):
    """The outside of every event."""

    event_id: str
    event: Event


class Slash(Part):
    """A slash command."""

    channel_id: str
    user_id: str
    text: str = ""
    response_url: str
    trigger_id: str


class Named(Part):
    """Something with an id."""

    id: str


class Option(Part):
    """What a menu was set to."""

    value: str


class Action(Part):
    """A press or a choice."""

    action_id: str = ""
    block_id: str = ""
    value: str | None = None
    selected_option: Option | None = None


class Place(Part):
    """Where it was pressed."""

    message_ts: str = ""
    thread_ts: str | None = None
    is_ephemeral: bool = False


class Shown(Part):
    """The message that a shortcut was used on."""

    ts: str = ""
    thread_ts: str | None = None
    text: str = ""
    files: tuple[File, ...] = ()


class Interaction(Part):
    """A press in a message or a view, or a shortcut."""

    type: str
    user: Named
    trigger_id: str = ""
    response_url: str = ""
    channel: Named | None = None
    container: Place = Place()
    actions: tuple[Action, ...] = ()
    callback_id: str = ""
    message: Shown | None = None
