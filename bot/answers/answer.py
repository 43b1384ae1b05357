"""The answer object of the contract."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bot.sheet import Sheet
from bot.understand.understood import Understood
from knowledge.errors import Refusal
from knowledge.fit.estimate import Estimate

if TYPE_CHECKING:
    from knowledge.fit.observed import Observed


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One message's answer. `text` is complete on its own (plain text); `blocks` are Slack Block Kit dicts within Slack's limits.

    `sheet` is what text and blocks were made from, for fronts with other means. `refusal` is why there are no figures,
    `bug` the reference of a fault of ours. `started` is what a pasted start-up log observed, for no host yet.
    """

    understood: Understood
    assumed: dict[str, Any] = field(default_factory=dict)
    estimates: tuple[Estimate, ...] = ()
    entries: tuple[str, ...] = ()
    command: dict[str, Any] | None = None
    parts: tuple["Answer", ...] = ()
    text: str
    blocks: tuple[dict[str, Any], ...] = ()
    sheet: Sheet | None = None
    refusal: Refusal | None = None
    bug: str | None = None
    started: "Observed | None" = None
