"""Composition objects: texts, confirmations, options, filters, image sources."""

from bot.playground.server.blocks.rules import (
    Bool,
    Choice,
    Items,
    Shape,
    Str,
    Typed,
    one_of,
    some_of,
    unique,
)

TEXT_LIMIT = 3000
URL = Str(3000)
DATE = r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])"
TIME = r"([01]\d|2[0-3]):[0-5]\d"


def plain(most: int = TEXT_LIMIT) -> Typed:
    """A `plain_text` object of 1 to `most` characters."""
    return Typed({"plain_text": Shape({"text": Str(most)}, {"emoji": Bool()})})


def mrkdwn(most: int = TEXT_LIMIT) -> Typed:
    """A `mrkdwn` object of 1 to `most` characters."""
    return Typed({"mrkdwn": Shape({"text": Str(most)}, {"verbatim": Bool()})})


def either(most: int = TEXT_LIMIT) -> Typed:
    """A text object of either kind, of 1 to `most` characters."""
    return Typed({**plain(most).table, **mrkdwn(most).table})


CONFIRM = Shape(
    {"text": either(300)},
    {"title": plain(100), "confirm": plain(30), "deny": plain(30), "style": Choice(("primary", "danger"))},
)

_OPTION = {"value": Str(150, least=0)}
PLAIN_OPTION = Shape({"text": plain(75), **_OPTION}, {"description": plain(75)})
OVERFLOW_OPTION = Shape({"text": plain(75), **_OPTION}, {"description": plain(75), "url": URL})
MRKDWN_OPTION = Shape({"text": either(75), **_OPTION}, {"description": either(75)})
OPTION_GROUP = Shape({"label": plain(75), "options": Items(PLAIN_OPTION, 100)}, also=(unique("options", "value"),))

DISPATCH_CONFIG = Shape({}, {"trigger_actions_on": Items(Choice(("on_enter_pressed", "on_character_entered")), 2)})
CONVERSATION_FILTER = Shape(
    {},
    {
        "include": Items(Choice(("im", "mpim", "private", "public"))),
        "exclude_external_shared_channels": Bool(),
        "exclude_bot_users": Bool(),
    },
    (some_of("include", "exclude_external_shared_channels", "exclude_bot_users"),),
)
SLACK_FILE = Shape({}, {"id": Str(), "url": Str()}, (one_of("id", "url"),))
