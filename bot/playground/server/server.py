"""The Slack-compatible server: all parts put together, started on loopback and stopped again."""

import time
from collections.abc import Callable
from types import TracebackType
from typing import Any

from aiohttp import web

from bot.playground.server.changes import Changes
from bot.playground.server.common import Address, Common
from bot.playground.server.control import Control, Rooms
from bot.playground.server.credentials import Credentials
from bot.playground.server.deliveries import Deliveries
from bot.playground.server.description import DEFAULT, Described
from bot.playground.server.endpoints import Endpoints
from bot.playground.server.faults import Faults
from bot.playground.server.http_delivery import HttpDelivery
from bot.playground.server.ids import Ids
from bot.playground.server.manifest import Manifest
from bot.playground.server.observed import Observed
from bot.playground.server.people import People
from bot.playground.server.rates import Rates
from bot.playground.server.responses import ResponseUrls
from bot.playground.server.socket_mode import SocketMode
from bot.playground.server.timings import DOCUMENTED, Timings
from bot.playground.server.violations import Violations
from bot.playground.server.web_api.front import WebApi
from bot.playground.server.web_api.method import Backstage
from bot.playground.server.web_api.methods import METHODS
from bot.playground.server.workspace import Workspace


class SlackServer:
    """`async with SlackServer(manifest) as server:` gives an app `server.api_url` and `server.credentials`.

    `described` is the workspace, `timings` the documented waits, `request_url` delivers over HTTP instead of Socket
    Mode, `enforce_rates` answers 429 by Slack's tiers, and `clock` is the time that messages, triggers and response
    URLs carry.
    """

    def __init__(
        self,
        manifest: Manifest,
        described: Described = DEFAULT,
        *,
        timings: Timings = DOCUMENTED,
        request_url: str | None = None,
        enforce_rates: bool = False,
        clock: Callable[[], float] = time.time,
    ) -> None:
        ids, self.changes, self.violations, self.faults = Ids(clock), Changes(), Violations(clock), Faults()
        self.address = Address()
        common = Common(ids, timings, self.changes, self.violations, self.faults, self.address)
        self.workspace = Workspace(described, manifest.bot_name, ids, self.changes)
        team = self.workspace.team
        self.credentials = Credentials.made_up(team.app_id)
        self.socket_mode = SocketMode(common, team.app_id)
        self.response_urls = ResponseUrls(common, self.workspace)
        self.http = HttpDelivery(common, self.credentials.signing, request_url or "")
        transport = self.http if request_url else self.socket_mode
        self.deliveries = Deliveries(team, manifest, common, transport)
        self.workspace.announce = self.deliveries.event
        self.people = People(common, manifest, self.workspace, self.deliveries, self.response_urls)
        self.observed = Observed(self.workspace, self.changes)
        backstage = Backstage(
            common, manifest, self.credentials, self.workspace, self.socket_mode, self.people, self.response_urls
        )
        self.web_api = WebApi(backstage, METHODS, Rates(clock, self.violations, enforced=enforce_rates))
        self._endpoints = Endpoints(backstage)
        self.control = Control(
            Rooms(
                self.workspace,
                self.people,
                self.observed,
                self.deliveries,
                self.socket_mode,
                self.faults,
                self.violations,
                self.web_api,
            )
        )
        self._runner: web.AppRunner | None = None

    @property
    def mention(self) -> str:
        """What people write to address the app."""
        return f"<@{self.workspace.team.bot_user}>"

    @property
    def api_url(self) -> str:
        """The base of the Web API, with its trailing slash: what `SLACK_API_URL` is set to."""
        return f"{self.address.http}/api/"

    @property
    def environment(self) -> dict[str, str]:
        """The variables that connect an app to this server."""
        return {
            "SLACK_API_URL": self.api_url,
            "SLACK_BOT_TOKEN": self.credentials.bot,
            "SLACK_APP_TOKEN": self.credentials.app,
            "SLACK_SIGNING_SECRET": self.credentials.signing,
        }

    def application(self) -> web.Application:
        """The routes."""
        app = web.Application(client_max_size=2**26)
        app.router.add_route("*", "/api/{method}", self.web_api.handle)
        app.router.add_post("/control/{name}", self.control.handle)
        app.router.add_get("/link", self.socket_mode.handle)
        app.router.add_post("/response/{key}", self._endpoints.respond)
        app.router.add_post("/upload/{file}", self._endpoints.upload)
        app.router.add_get("/files/{file}/{name}", self._endpoints.download)
        return app

    async def start(self, port: int = 0, host: str = "127.0.0.1") -> None:
        """Listen; port 0 takes a free one."""
        self._runner = web.AppRunner(self.application(), shutdown_timeout=1.0)
        await self._runner.setup()
        site = web.TCPSite(self._runner, host, port)
        await site.start()
        address: Any = self._runner.addresses[0]
        self.address.http = f"http://{host}:{address[1]}"

    async def stop(self) -> None:
        """Stop delivering, close every connection, stop listening."""
        await self.deliveries.stop()
        await self.http.stop()
        await self.socket_mode.stop()
        if self._runner is not None:
            await self._runner.cleanup()

    async def __aenter__(self) -> "SlackServer":
        await self.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()
