"""What the handlers of the Slack front work with."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from bot.slack.places import Places
from bot.slack.thought import Question, Thought
from bot.store.store import Store


class Thinks(Protocol):
    """What answers; `bot.slack.thinking.Thinking` is a process of its own."""

    async def about(self, question: Question) -> Thought:
        """The answer. Raises Thoughtless where none comes."""


class Homes(Protocol):
    """What is needed of the Web API; `bot.slack.calls.Calls` has it."""

    async def publish_home(self, user: str, view: Mapping[str, Any]) -> None:
        """Shows a person's Home tab."""


@dataclass(frozen=True, slots=True)
class Means:
    """The store, the settings by place, what thinks, and the Home tab's door."""

    store: Store
    places: Places
    thinking: Thinks
    homes: Homes
