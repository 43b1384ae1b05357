"""From the text of a Slack message to what its writer sees: links by their label, no mentions, no entities."""

import re

_TOKEN = re.compile(r"<(@[A-Z0-9]+|#[A-Z0-9]+|![^<>|]+|[a-z][a-z0-9+.-]*:[^<>|\s]+)(?:\|([^<>]*))?>")
_PERSON = re.compile(r"<@([A-Z0-9]+)(?:\|[^<>]*)?>")


def plain(text: str) -> str:
    """`text` without markup. Mentions of people and channels are left out: they are no part of a question."""
    shown = _TOKEN.sub(_shown, text)
    return shown.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&").strip()


def mentions(text: str) -> set[str]:
    """The ids of the people that a message mentions."""
    return set(_PERSON.findall(text))


def _shown(token: re.Match[str]) -> str:
    target, label = token[1], token[2] or ""
    match target[0]:
        case "@":
            return " "
        case "#":
            return f"#{label}" if label else " "
        case "!":
            return label if target.startswith(("!date", "!subteam")) else " "
        case _:
            return label or target
