"""What holds where somebody asks: the channel's settings, and the language of a person who has written nothing yet."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from bot.settings import Channel, Language, Settings
from bot.slack.calls import CallFailed

NAMES_KEPT = 3600.0  # seconds until a channel's name is asked for again: channels get renamed
DIRECT = "D"


class Directory(Protocol):
    """What is needed of the Web API; `bot.slack.calls.Calls` has it."""

    async def channel_name(self, channel: str) -> str | None:
        """A channel's name."""

    async def locale(self, user: str) -> str:
        """A person's locale."""


@dataclass(frozen=True, slots=True)
class Place:
    """`language` is None where the message decides."""

    settings: Settings
    language: Language | None


class Places:
    """Finds a channel's section in the settings, by its id or by its name, which is asked for only where there are sections."""

    def __init__(self, settings: Settings, directory: Directory, clock: Callable[[], float]) -> None:
        self._settings, self._directory, self._clock = settings, directory, clock
        self._names: dict[str, tuple[float, str | None]] = {}

    async def of(self, channel: str) -> Place:
        """The settings that hold in a channel."""
        section = await self._section(channel)
        if section is None:
            return Place(self._settings, None)
        defaults = self._settings.defaults
        if section.model:
            defaults = defaults.model_copy(update={"model": section.model})
        return Place(self._settings.model_copy(update={"defaults": defaults}), section.language)

    async def spoken(self, channel: str, user: str) -> Language:
        """The language for a person who has written nothing: the channel's, the bot's, their own."""
        place = await self.of(channel)
        chosen = place.language or self._settings.defaults.language
        return chosen or await self._own(user)

    async def _own(self, user: str) -> Language:
        try:
            return "zh" if (await self._directory.locale(user)).startswith("zh") else "en"
        except CallFailed:
            return "en"

    async def _section(self, channel: str) -> Channel | None:
        sections = self._settings.channels
        if not sections or not channel or channel.startswith(DIRECT):
            return None
        return sections.get(channel) or sections.get(await self._name(channel) or "")

    async def _name(self, channel: str) -> str | None:
        kept_until, name = self._names.get(channel, (0.0, None))
        if self._clock() < kept_until:
            return name
        try:
            name = await self._directory.channel_name(channel)
        except CallFailed:  # unreachable or not a member: the last known name, and another try next time
            return name
        self._names[channel] = (self._clock() + NAMES_KEPT, name)
        return name
