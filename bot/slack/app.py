"""The Bolt app: it verifies and sorts what Slack sends, and hands everything to the desk before acknowledging it."""

import logging
import re
from dataclasses import dataclass
from typing import Any, Protocol

from slack_bolt.app.async_app import AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_bolt.context.ack.async_ack import AsyncAck
from slack_bolt.context.async_context import AsyncBoltContext
from slack_bolt.response import BoltResponse

from bot.bugs import report
from bot.slack.calls import Calls
from bot.store.store import StoreFault

UNREADABLE = (TypeError, ValueError, KeyError, AttributeError)
"""What Bolt raises for payloads that Slack would not send, before it looks at who sent them."""
ANY = re.compile(".*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Identity:
    """Who the bot is in the workspace: what `auth.test` says."""

    team: str
    team_id: str
    name: str
    user_id: str
    bot_id: str


class Accepts(Protocol):
    """What is needed of the desk."""

    def accept(self, body: dict[str, Any]) -> None:
        """Keeps what a payload asks for."""


def build(identity: Identity, calls: Calls, signing_secret: str, desk: Accepts) -> AsyncApp:
    """An app whose listeners accept and acknowledge, and do nothing else; those that nobody waits for are acknowledged too.

    The listeners run before the response (`process_before_response`): Bolt then has no need to poll for their ack,
    which costs 10 ms, and what is acknowledged is in the store.
    """

    async def authorize(context: AsyncBoltContext, enterprise_id: str, team_id: str, user_id: str) -> AuthorizeResult:
        return AuthorizeResult(
            enterprise_id=enterprise_id,
            team_id=identity.team_id,
            bot_user_id=identity.user_id,
            bot_id=identity.bot_id,
            bot_token=calls.client.token,
        )

    async def take(body: dict[str, Any], ack: AsyncAck) -> BoltResponse:
        try:
            desk.accept(body)
        except StoreFault as fault:  # it was not kept: without an acknowledgement Slack sends it again
            report(fault)
            return BoltResponse(status=503)
        except Exception as fault:  # noqa: BLE001 - a listener that raises loses its acknowledgement
            report(fault)
        return await ack()

    async def offer_nothing(ack: AsyncAck) -> None:
        await ack(options=[])

    logger = logging.getLogger("bot.slack.bolt")
    logger.setLevel(logging.ERROR)  # it warns that a token in the environment is not used
    app = AsyncApp(
        client=calls.client,
        authorize=authorize,
        signing_secret=signing_secret,
        process_before_response=True,
        attaching_function_token_enabled=False,
        attaching_conversation_kwargs_enabled=False,
        logger=logger,
    )
    app.event(ANY)(take)
    app.command(ANY)(take)
    app.action(ANY)(take)
    app.shortcut(ANY)(take)
    app.options(ANY)(offer_nothing)
    app.view(ANY)(take)
    app.view_closed(ANY)(take)
    return app
