"""What the handlers of the Slack front work with."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from bot.slack.incoming import Attached
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


class Fetches(Protocol):
    """What fetches attached files; `bot.slack.files.Files` has it."""

    async def fetch(self, file: Attached, folder: Path) -> Path:
        """The file's content. Raises Unreadable."""


class Uploads(Protocol):
    """What is needed of the Web API; `bot.slack.calls.Calls` has it."""

    async def upload(self, name: str, content: bytes, told: str) -> str:
        """The id of a file that nobody sees yet."""

    async def share(self, channel: str, thread: str, files: Mapping[str, str]) -> None:
        """Shows files, their titles by id, in a thread."""


@dataclass(frozen=True, slots=True)
class Means:
    """The store, the settings by place, what thinks, the Home tab's door, and the files' (None: files are not read).

    `uploads` puts pictures into threads (None: there are none); `observed` is the file in which starts are kept, None beside the store."""

    store: Store
    places: Places
    thinking: Thinks
    homes: Homes
    files: Fetches | None = None
    uploads: Uploads | None = None
    observed: Path | None = None
