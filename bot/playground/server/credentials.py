"""The tokens and the signing secret of the one installed app, and what each kind of token may call."""

from dataclasses import dataclass
from typing import Literal

from bot.playground.server.errors import SlackError

TokenKind = Literal["bot", "app"]
APP_SCOPES = ("connections:write",)


@dataclass(frozen=True, slots=True)
class Credentials:
    """Made up, and shaped so that an app can tell them apart: `xoxb-` for the bot, `xapp-` for Socket Mode."""

    bot: str
    app: str
    signing: str

    @classmethod
    def made_up(cls, app_id: str) -> "Credentials":
        """Credentials that no workspace of the real Slack would take."""
        return cls(bot=f"xoxb-playground-{app_id}", app=f"xapp-1-{app_id}-playground", signing=f"signing-{app_id}")

    def check(self, token: str | None, wanted: TokenKind) -> None:
        """Raise the error that Slack gives for no token, a foreign one, or one of the wrong kind."""
        if not token:
            raise SlackError("not_authed")
        kind = {self.bot: "bot", self.app: "app"}.get(token)
        if kind is None:
            raise SlackError("invalid_auth")
        if kind != wanted:
            raise SlackError("not_allowed_token_type")
