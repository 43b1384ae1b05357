"""The Home tab: what can be asked, and what is assumed."""

from typing import Any

from bot.blocks import elements
from bot.settings import Language, Settings
from bot.text.phrases import say
from knowledge.versions import DEFAULT

LANGUAGES = {"en": "English", "zh": "中文"}


def home(language: Language, settings: Settings) -> dict[str, Any]:
    """The view, for one reader."""
    examples = [f"• {elements.escape(line)}" for line in say(language, "short.help_points").splitlines()]
    return {
        "type": "home",
        "blocks": [
            elements.section(elements.escape(say(language, "slack.home"))),
            elements.section(
                "\n".join([elements.bold(elements.escape(say(language, "slack.home_examples"))), *examples])
            ),
            {"type": "divider"},
            elements.section(elements.bold(elements.escape(say(language, "slack.home_settings")))),
            *elements.fields(_assumed(language, settings)),
        ],
    }


def _assumed(language: Language, settings: Settings) -> list[tuple[str, str]]:
    defaults = settings.defaults
    spoken = LANGUAGES[defaults.language] if defaults.language else say(language, "slack.home_follows")
    return [
        (say(language, "slack.home_model"), defaults.model or say(language, "slack.home_none")),
        (say(language, "slack.home_version"), defaults.vllm_version or str(DEFAULT)),
        (say(language, "slack.home_language"), spoken),
        (say(language, "slack.home_timezone"), defaults.timezone),
    ]
