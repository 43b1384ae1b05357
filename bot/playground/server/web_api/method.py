"""A Web API method as data: its name, token, scopes, arguments, content types and rate."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from bot.playground.server.common import Common
from bot.playground.server.credentials import Credentials, TokenKind
from bot.playground.server.manifest import Manifest
from bot.playground.server.people import People
from bot.playground.server.responses import ResponseUrls
from bot.playground.server.socket_mode import SocketMode
from bot.playground.server.state import Json
from bot.playground.server.web_api.arguments import Argument
from bot.playground.server.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Backstage:
    """Everything that a method may look at or change."""

    common: Common
    manifest: Manifest
    credentials: Credentials
    workspace: Workspace
    socket_mode: SocketMode
    people: People
    response_urls: ResponseUrls


@dataclass(frozen=True, slots=True)
class Method:
    """`scopes` are all needed; what depends on the kind of channel is checked by the method itself."""

    name: str
    run: Callable[[Backstage, Json], Json]
    arguments: Mapping[str, Argument] = field(default_factory=dict)
    scopes: tuple[str, ...] = ()
    token: TokenKind = "bot"  # noqa: S105  # a kind of token, not one
    accepts_json: bool = True
    """Methods that only read take a query or a form, and see no arguments in a JSON body."""
    tier: int = 3
    """Slack's rate tier; 0 is the special rate of posting, one a second and channel."""
