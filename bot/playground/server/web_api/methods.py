"""Every method that the server knows, by name."""

from bot.playground.server.web_api import agents, auth, chat, conversations, files, reactions, streams, users, views
from bot.playground.server.web_api.method import Method

_FAMILIES = (agents, auth, chat, conversations, files, reactions, streams, users, views)

METHODS: dict[str, Method] = {method.name: method for family in _FAMILIES for method in family.METHODS}
