"""The answer object of the contract."""

from dataclasses import dataclass, field
from typing import Any

from bot.understand.understood import Understood
from knowledge.fit.estimate import Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One message's answer. `text` is complete on its own (plain text); `blocks` are Slack Block Kit dicts within Slack's limits."""

    understood: Understood
    assumed: dict[str, Any] = field(default_factory=dict)
    estimates: tuple[Estimate, ...] = ()
    entries: tuple[str, ...] = ()
    command: dict[str, Any] | None = None
    parts: tuple["Answer", ...] = ()
    text: str
    blocks: tuple[dict[str, Any], ...] = ()
