"""HTTP mode: a small server that takes what Slack signs, and says whether the bot is well."""

import logging
from collections.abc import Callable

from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response, to_bolt_request
from slack_bolt.app.async_app import AsyncApp

from bot.slack.app import UNREADABLE

GOODBYE = 3.0  # seconds for requests that are under way when the bot stops
log = logging.getLogger(__name__)


class HttpMode:
    """Listens at `/slack/events`, where events, commands and interactions may all go, and at `/healthz`."""

    def __init__(self, app: AsyncApp, healthy: Callable[[], bool]) -> None:
        self._app, self._healthy = app, healthy
        self._runner = web.AppRunner(self._application(), access_log=None, shutdown_timeout=GOODBYE)

    async def start(self, host: str, port: int) -> int:
        """Listens; the port, which is a free one for 0. Raises OSError where it is taken."""
        await self._runner.setup()
        await web.TCPSite(self._runner, host, port).start()
        taken = int(self._runner.addresses[0][1])
        log.info("listening for Slack on %s:%d", host, taken)
        return taken

    async def close(self) -> None:
        """Finishes what is under way and stops listening."""
        await self._runner.cleanup()

    def _application(self) -> web.Application:
        application = web.Application()
        application.router.add_post("/slack/{what}", self._take)
        application.router.add_get("/healthz", self._health)
        return application

    async def _take(self, request: web.Request) -> web.Response:
        """Bolt checks the signature and that it is at most five minutes old."""
        try:
            asked = await to_bolt_request(request)
        except UNREADABLE as fault:
            log.warning("a request that cannot be read: %r", fault)
            return web.Response(status=400)
        return await to_aiohttp_response(await self._app.async_dispatch(asked))

    async def _health(self, request: web.Request) -> web.Response:
        well = self._healthy()
        return web.json_response({"ok": well}, status=200 if well else 503)
