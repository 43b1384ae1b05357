"""What comes in from Slack, as the little that the bot acts on. It is kept in the store as JSON until it is done."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from bot.sheet import Act


class Work(BaseModel):
    """One thing to do."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Attached(Work):
    """A file to read: `url` is where it is, empty where Slack has yet to be asked for that."""

    id: str
    name: str
    size: int
    url: str


class Message(Work):
    """A message: `thread` is its thread's first message, None when it is in none; `text` is what the reader sees.

    `direct` says that it was written to the bot alone, `addressed` that it mentions the bot, `to_others` that it mentions people.
    """

    channel: str
    ts: str
    thread: str | None
    user: str
    text: str
    direct: bool
    addressed: bool
    to_others: bool
    files: tuple[Attached, ...] = ()


class Asked(Message):
    """A message that may be a question."""

    kind: Literal["asked"] = "asked"


class Edited(Message):
    """A message whose text is another one now."""

    kind: Literal["edited"] = "edited"


class Deleted(Work):
    """A message that is gone; `concerns` says that it was written to the bot."""

    kind: Literal["deleted"] = "deleted"
    channel: str
    ts: str
    thread: str | None
    concerns: bool


class Reached(Work):
    """Where a command or a click came from; `respond` is its response URL, empty in a view, which has none."""

    channel: str
    user: str
    respond: str


class Commanded(Reached):
    """`/vllm` and what follows it."""

    kind: Literal["commanded"] = "commanded"
    text: str
    trigger: str


class Picked(Reached):
    """A menu's choice under the answer to `question`, which is the message at `ts`, or an ephemeral one."""

    kind: Literal["picked"] = "picked"
    question: str
    menu: Literal["model", "gpu"]
    value: str
    ts: str
    ephemeral: bool


class Rated(Reached):
    """A thumb under the answer to `question`; `thread` is where the answer stands."""

    kind: Literal["rated"] = "rated"
    question: str
    value: Literal["helpful", "not-helpful"]
    thread: str | None


class Pressed(Reached):
    """Something that is not, or no longer, there to be pressed."""

    kind: Literal["pressed"] = "pressed"
    thread: str | None


class Shortcut(Reached):
    """“Diagnose this log” in a message's menu."""

    kind: Literal["shortcut"] = "shortcut"
    text: str
    thread: str | None
    files: tuple[Attached, ...] = ()


class Acted(Reached):
    """A button: what it does, and with what. `question` is the one under whose answer it stands, which is the message at `ts`."""

    kind: Literal["acted"] = "acted"
    act: Act
    value: str
    question: str
    ts: str
    thread: str | None
    ephemeral: bool


class Explained(Reached):
    """Why the answer to `question` did not help."""

    kind: Literal["explained"] = "explained"
    question: str
    reason: str


class HomeOpened(Work):
    """Somebody looks at the Home tab."""

    kind: Literal["home"] = "home"
    user: str


Said = Asked | Edited | Deleted
Done = Commanded | Picked | Rated | Explained | Acted | Pressed | Shortcut | HomeOpened
Incoming = Said | Done
INCOMING: TypeAdapter[Incoming] = TypeAdapter(Annotated[Incoming, Field(discriminator="kind")])
