"""What holds where somebody asks: the channel's settings, and the language of a person who has written nothing yet."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from pydantic import ValidationError

from bot.settings import Channel, Language, Settings
from bot.slack.calls import CallFailed
from bot.store.channel_defaults import ChannelDefault

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
    """`language` is None where the message decides; `broadcast` says whether a job's last line is shown in the channel too, `chart` whether answers get a memory chart unasked."""

    settings: Settings
    language: Language | None
    broadcast: bool = True
    chart: bool = False


def nothing_said(_channel: str) -> Mapping[str, ChannelDefault]:
    """Where nobody changes anything in chat."""
    return {}


class Places:
    """Finds a channel's section in the settings, by its id or by its name, which is asked for only where there are sections.

    What was `said` in the channel stands over it.
    """

    def __init__(
        self,
        settings: Settings,
        directory: Directory,
        clock: Callable[[], float],
        said: Callable[[str], Mapping[str, ChannelDefault]] = nothing_said,
    ) -> None:
        self.settings, self._directory, self._clock, self._said = settings, directory, clock, said
        self._names: dict[str, tuple[float, str | None]] = {}

    async def of(self, channel: str) -> Place:
        """What holds in a channel."""
        section = _over(await self.section(channel), self._said(channel))
        if section is None:
            return Place(self.settings, None)
        own = {"model": section.model, "vllm_version": section.vllm_version}
        defaults = self.settings.defaults.model_copy(update={name: value for name, value in own.items() if value})
        settings = self.settings.model_copy(update={"defaults": defaults})
        return Place(settings, section.language, section.broadcast, section.chart)

    async def spoken(self, channel: str, user: str) -> Language:
        """The language for a person who has written nothing: the channel's, the bot's, their own."""
        place = await self.of(channel)
        chosen = place.language or self.settings.defaults.language
        return chosen or await self._own(user)

    async def _own(self, user: str) -> Language:
        try:
            return "zh" if (await self._directory.locale(user)).startswith("zh") else "en"
        except CallFailed:
            return "en"

    async def section(self, channel: str) -> Channel | None:
        """What the file says about a channel."""
        sections = self.settings.channels
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


def _over(section: Channel | None, said: Mapping[str, ChannelDefault]) -> Channel | None:
    """The file's section with what was said over it; what an older bot kept and this one cannot use is left out."""
    if not said:
        return section
    kept = (section or Channel()).model_dump(exclude_unset=True)
    try:
        return Channel.model_validate(kept | {name: default.value for name, default in said.items()})
    except ValidationError:
        return section
