"""The listener of `serve` that agents dial: claim, renew, finish, over a Unix socket, or TCP with a token for each host."""

import hmac
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from aiohttp import web
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from knowledge.errors import Refusal
from runners.dispatch.embedded import Embedded
from runners.dispatch.link import UNIX, Fenced, Turned
from runners.dispatch.orders import Progress

LARGEST = 32 * 2**20  # bytes of a result: a long run's course
LONGEST_WAIT_S = 60.0
CLOSE_S = 1.0  # for calls that are under way
TOKEN = "TUNING_BOT_AGENT_TOKEN"  # noqa: S105 - a variable's name
SOCKET = "agents.sock"


class Asked(BaseModel):
    """What every call says: the host that the agent answers for, and which agent it is."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    host: str = Field(min_length=1, max_length=100)
    instance: str = Field(min_length=1, max_length=100)


class AskedForWork(Asked):
    """`running` are the attempts that it has."""

    running: frozenset[str] = frozenset()
    wait_s: float = Field(default=0.0, ge=0)


class Renewed(Asked):
    """An attempt goes on."""

    key: str
    token: int
    progress: Progress


class Finished(Renewed):
    """An attempt has ended."""

    result: dict[str, Any]


Call = TypeVar("Call", bound=Asked)


class Listener:
    """The routes, and where they are heard. `tokens` None: the place itself is protected (a socket that only this user can open)."""

    def __init__(self, embedded: Embedded, tokens: Mapping[str, str] | None = None) -> None:
        self._embedded, self._tokens = embedded, tokens
        self._runner: web.AppRunner | None = None
        self.app = web.Application(client_max_size=LARGEST)
        self.app.add_routes(
            [
                web.post("/agents/claim", self._claim),
                web.post("/agents/renew", self._renew),
                web.post("/agents/finish", self._finish),
            ]
        )

    async def start(self, where: str) -> str:
        """Listens at `unix:PATH` or `HOST:PORT`: where that is. Raises Refusal when it cannot."""
        self._runner = web.AppRunner(self.app, access_log=None, shutdown_timeout=CLOSE_S)
        await self._runner.setup()
        before = os.umask(0o177)  # the socket is this user's alone from the moment that it is there
        try:
            await _site(self._runner, where).start()
        except OSError as fault:
            await self._runner.cleanup()
            error = f"Agents cannot be heard at `{where}`: {fault.strerror}."
            raise Refusal("port-taken", error, "Set another `listen` under `[agents]`.", where=where) from None
        finally:
            os.umask(before)
        if where.startswith(UNIX):
            return where
        host, port = self._runner.addresses[0][:2]
        return f"http://{host}:{port}"

    async def close(self) -> None:
        """Stops listening; an agent that waits for work is let go."""
        if self._runner is not None:
            await self._runner.cleanup()

    async def _claim(self, request: web.Request) -> web.Response:
        asked = await self._checked(request, AskedForWork)
        claim = await self._embedded.wait_for_work(asked.host, asked.running, min(asked.wait_s, LONGEST_WAIT_S))
        if claim is None:
            return web.json_response({"order": None})
        return web.json_response({"order": claim.order.model_dump(mode="json"), "token": claim.token})

    async def _renew(self, request: web.Request) -> web.Response:
        told = await self._checked(request, Renewed)
        try:
            return web.json_response({"cancel": self._embedded.renew(told.key, told.token, told.progress)})
        except Fenced:
            raise _answer(web.HTTPGone, "Another attempt counts.") from None

    async def _finish(self, request: web.Request) -> web.Response:
        told = await self._checked(request, Finished)
        try:
            self._embedded.finish(told.key, told.token, told.progress, told.result)
        except Fenced:
            raise _answer(web.HTTPGone, "Another attempt counts.") from None
        return web.json_response({})

    async def _checked(self, request: web.Request, kind: type[Call]) -> Call:
        """The call, of an agent that may make it."""
        try:
            call = kind.model_validate(await request.json())
        except (ValidationError, ValueError):
            raise _answer(web.HTTPBadRequest, "This is not what an agent says.") from None
        if self._tokens is not None:
            said = request.headers.get("Authorization", "").removeprefix("Bearer ")
            if not hmac.compare_digest(said.encode(), self._tokens.get(call.host, "").encode()) or not said:
                raise _answer(web.HTTPUnauthorized, f"The token is not that of `{call.host}`.")
        try:
            self._embedded.admit(call.host, call.instance)
        except Turned as turned:
            raise _answer(web.HTTPConflict, str(turned)) from None
        return call


def tokens(environment: Mapping[str, str]) -> dict[str, str]:
    """The hosts' tokens, written `h100=…,a100=…` in one variable. Refuses a listener on TCP without any."""
    pairs = [pair.partition("=") for pair in environment.get(TOKEN, "").replace(",", " ").split()]
    found = {host: token for host, _, token in pairs if token}
    if not found:
        error = f"`{TOKEN}` names no host's token, and agents would be heard over TCP."
        raise Refusal("no-agent-tokens", error, f"Set it to `HOST=TOKEN` for each host, as `{TOKEN}=h100=…,a100=…`.")
    return found


def _site(runner: web.AppRunner, where: str) -> web.BaseSite:
    if where.startswith(UNIX):
        path = Path(where.removeprefix(UNIX))
        path.unlink(missing_ok=True)  # of a bot that was killed; the store's lock says that none lives
        return web.UnixSite(runner, str(path))
    host, _, port = where.rpartition(":")
    return web.TCPSite(runner, host or "127.0.0.1", int(port))


def _answer(kind: type[web.HTTPException], error: str) -> web.HTTPException:
    return kind(text=json.dumps({"error": error}), content_type="application/json")
