"""A channel's settings hold in it; a person who has written nothing is answered in their own language."""

from typing import Any

import pytest

from bot.settings import Channel, Defaults, Language, Settings
from bot.slack.calls import Refused, Unclear
from bot.slack.places import NAMES_KEPT, Places


class Directory:
    """Names and locales, and how often they were asked for."""

    def __init__(self, **names: str) -> None:
        self.names, self.asked, self.reachable = names, 0, True

    async def channel_name(self, channel: str) -> str | None:
        self.asked += 1
        if not self.reachable:
            raise Unclear
        return self.names.get(channel)

    async def locale(self, user: str) -> str:
        if user == "U404":
            raise Refused("user_not_found")
        return {"UZH": "zh-CN", "UDE": "de-DE"}.get(user, "")


SETTINGS = Settings(
    defaults=Defaults(model="qwen2.5 72b"),
    channels={"serving": Channel(model="llama 3.3 70b", language="zh"), "C9": Channel(language="en")},
)


@pytest.mark.parametrize(
    ("channel", "model", "language"),
    [
        ("C1", "llama 3.3 70b", "zh"),
        ("C9", "qwen2.5 72b", "en"),
        ("C2", "qwen2.5 72b", None),
        ("D1", "qwen2.5 72b", None),
        ("", "qwen2.5 72b", None),
    ],
    ids=["by name", "by id", "another channel", "a direct conversation", "nowhere"],
)
async def test_a_channels_settings_hold_in_it(clock: Any, channel: str, model: str, language: Language | None) -> None:
    place = await Places(SETTINGS, Directory(C1="serving", C2="other"), clock).of(channel)
    assert (place.settings.defaults.model, place.language) == (model, language)


async def test_a_name_is_asked_for_once_an_hour(clock: Any) -> None:
    directory = Directory(C1="serving")
    places = Places(SETTINGS, directory, clock)
    for _ in range(3):
        await places.of("C1")
    assert directory.asked == 1
    clock.now += NAMES_KEPT
    directory.names["C1"] = "renamed"
    assert (await places.of("C1")).language is None


async def test_a_name_that_cannot_be_asked_for_is_the_last_one_known(clock: Any) -> None:
    directory = Directory(C1="serving")
    places = Places(SETTINGS, directory, clock)
    await places.of("C1")
    clock.now += NAMES_KEPT
    directory.reachable = False
    assert (await places.of("C1")).language == "zh"
    assert (await places.of("C2")).language is None


async def test_nothing_is_asked_where_no_channel_has_settings(clock: Any) -> None:
    directory = Directory()
    await Places(Settings(), directory, clock).of("C1")
    assert directory.asked == 0


@pytest.mark.parametrize(
    ("settings", "channel", "user", "language"),
    [
        (SETTINGS, "C1", "UDE", "zh"),
        (Settings(defaults=Defaults(language="zh")), "C1", "UDE", "zh"),
        (Settings(), "C1", "UZH", "zh"),
        (Settings(), "C1", "UDE", "en"),
        (Settings(), "C1", "U404", "en"),
    ],
    ids=["the channel's", "the bot's", "their own", "none of ours", "unknown"],
)
async def test_the_language_for_who_has_written_nothing(
    clock: Any, settings: Settings, channel: str, user: str, language: Language
) -> None:
    assert await Places(settings, Directory(C1="serving"), clock).spoken(channel, user) == language
