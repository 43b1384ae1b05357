"""`reactions.add` and `reactions.remove`."""

import re

from bot.playground.server.errors import SlackError
from bot.playground.server.state import Json, Message
from bot.playground.server.web_api.arguments import required, text, timestamp
from bot.playground.server.web_api.method import Backstage, Method
from bot.playground.server.web_api.places import joined_channel, message_at

EMOJI = re.compile(r"[a-z0-9_+'\-]+(::skin-tone-[2-6])?")
ARGUMENTS = {"channel": required(text), "name": required(text), "timestamp": required(timestamp)}


def _target(backstage: Backstage, given: Json) -> tuple[Message, str]:
    message = message_at(joined_channel(backstage, given["channel"]), given["timestamp"])
    if not EMOJI.fullmatch(given["name"]):
        raise SlackError("invalid_name")
    return message, backstage.workspace.team.bot_user


def _add(backstage: Backstage, given: Json) -> Json:
    message, bot = _target(backstage, given)
    users = message.reactions.setdefault(given["name"], [])
    if bot in users:
        raise SlackError("already_reacted")
    users.append(bot)
    return {}


def _remove(backstage: Backstage, given: Json) -> Json:
    message, bot = _target(backstage, given)
    if bot not in message.reactions.get(given["name"], []):
        raise SlackError("no_reaction")
    message.reactions[given["name"]].remove(bot)
    return {}


METHODS = (
    Method("reactions.add", _add, ARGUMENTS, ("reactions:write",)),
    Method("reactions.remove", _remove, ARGUMENTS, ("reactions:write",), tier=2),
)
