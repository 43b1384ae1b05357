"""What the bot asks of the process that thinks, and what it gets back: a line of JSON each way."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from bot.settings import Language, Settings
from bot.sheet import Act


class Line(BaseModel):
    """One line."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Question(Line):
    """A message to answer, with `log` a log to diagnose, with `menu` an earlier question to answer again with another model or card.

    `files` are paths of logs to diagnose with the message beside them. `act` is a page to show, with `value`;
    `direct` says whether it may show what people asked in direct messages.

    `earlier` is what the thread's last question was understood as, in the store's form. `mark` is the key that the answer's
    blocks carry, `revision` how often the answer changed before.
    """

    number: int
    text: str = ""
    log: bool = False
    files: tuple[str, ...] = ()
    act: Act | None = None
    direct: bool = False
    earlier: str | None = None
    language: Language | None = None
    settings: Settings
    mark: str
    revision: int = 0
    menu: Literal["model", "gpu"] | None = None
    value: str = ""


class Chart(Line):
    """A picture to draw: `bar` is the child's input as JSON, `told` the same in words."""

    bar: str
    told: str


class Thought(Line):
    """The answer as a message (`text` and `blocks`), and what the thread's next message goes on from (`known`).

    `small_talk` says that it is a kind line without anything to know, `refused` that it says only why there is no answer.
    `started` is what a start-up log observed, as JSON; `charts` are only there where they were asked for.
    """

    number: int
    text: str
    blocks: list[dict[str, Any]]
    known: str
    language: Language
    small_talk: bool = False
    refused: bool = False
    started: str | None = None
    charts: tuple[Chart, ...] = ()
