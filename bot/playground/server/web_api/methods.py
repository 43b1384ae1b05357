"""Every method that the server knows, by name."""

from bot.playground.server.web_api import auth, chat
from bot.playground.server.web_api.method import Method

METHODS: dict[str, Method] = {method.name: method for family in (auth, chat) for method in family.METHODS}
