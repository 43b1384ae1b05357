"""What people can see in the workspace, and waiting until they see it."""

from collections import Counter
from collections.abc import Callable
from typing import TypeVar

from bot.playground.server.changes import Changes
from bot.playground.server.state import Channel, Ephemeral, Message, View
from bot.playground.server.workspace import Workspace

T = TypeVar("T")
PATIENCE = 5.0
"""Seconds that a wait lasts unless it says otherwise."""


class Observed:
    """Looks (`replies`) and waits (`wait_for_replies`); every wait ends in `NotSeen` when its time is over."""

    def __init__(self, workspace: Workspace, changes: Changes) -> None:
        self._workspace, self._changes = workspace, changes

    def by_app(self, channel: str) -> list[Message]:
        """What the app wrote in a channel, in threads and outside, and did not delete."""
        messages = self._workspace.channel(channel).messages.values()
        return [message for message in messages if message.by_app and not message.deleted]

    def replies(self, message: Message) -> list[Message]:
        """The app's replies in the thread of `message`, or in the thread that it belongs to."""
        channel = self._workspace.channels[message.channel]
        return [reply for reply in channel.replies(message.thread_ts or message.ts) if reply.by_app]

    def answers(self, message: Message) -> list[Message]:
        """What the app wrote after `message` where it was written: its thread or, in a direct one, beside it."""
        channel = self._workspace.channels[message.channel]
        return [m for m in channel.messages.values() if _answers(channel, message, m)]

    def repeated_keys(self) -> list[str]:
        """Values of `metadata.event_payload.key` that more than one message carries: what was posted twice."""
        messages = (m for channel in self._workspace.channels.values() for m in channel.messages.values())
        keys = Counter(m.metadata["event_payload"].get("key") for m in messages if m.metadata and not m.deleted)
        return [key for key, count in keys.items() if key is not None and count > 1]

    def ephemerals(self, user: str) -> list[Ephemeral]:
        """What only this person sees."""
        user_id = self._workspace.user(user).id
        return [e for e in self._workspace.ephemerals if e.user == user_id and not e.deleted]

    def modal(self, user: str) -> View | None:
        """The modal that the person sees."""
        user_id = self._workspace.user(user).id
        return next((v for v in reversed(self._workspace.views.values()) if v.user == user_id), None)

    def home(self, user: str) -> View | None:
        """The person's Home tab, if the app published one."""
        return self._workspace.home_tabs.get(self._workspace.user(user).id)

    async def wait_for_answers(self, message: Message, count: int = 1, within: float = PATIENCE) -> list[Message]:
        """At least `count` answers to `message`."""
        return await self._at_least(count, lambda: self.answers(message), within, f"answers to `{message.text[:80]}`")

    async def wait_for_ephemerals(self, user: str, count: int = 1, within: float = PATIENCE) -> list[Ephemeral]:
        """At least `count` ephemeral messages for one person."""
        return await self._at_least(count, lambda: self.ephemerals(user), within, f"ephemeral messages for {user}")

    async def wait_for_modal(self, user: str, within: float = PATIENCE) -> View:
        """A modal on the person's screen."""
        return await self._changes.until(lambda: self.modal(user), within, f"a modal for {user}")

    async def wait_for_home(self, user: str, within: float = PATIENCE) -> View:
        """A published Home tab."""
        return await self._changes.until(lambda: self.home(user), within, f"a Home tab for {user}")

    async def wait_until(self, look: Callable[[], T | None], within: float = PATIENCE, what: str = "it") -> T:
        """The first truthy value of `look`."""
        return await self._changes.until(look, within, what)

    async def quiet(self, for_seconds: float = 0.2, within: float = PATIENCE) -> None:
        """Until nothing has happened for a while: no call, no delivery, no acknowledgement."""
        await self._changes.quiet(for_seconds, within)

    async def _at_least(self, count: int, look: Callable[[], list[T]], within: float, what: str) -> list[T]:
        return await self._changes.until(lambda: found if len(found := look()) >= count else None, within, what)


def _answers(channel: Channel, question: Message, candidate: Message) -> bool:
    if not candidate.by_app or candidate.deleted or candidate.ts <= question.ts:
        return False
    in_thread = candidate.thread_ts == (question.thread_ts or question.ts)
    beside = channel.kind == "im" and candidate.thread_ts is None and question.thread_ts is None
    return in_thread or beside
