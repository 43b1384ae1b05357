"""The Web API's front: reads a request, checks token and scopes, carries out planned faults, writes the call down."""

import asyncio
import json
from dataclasses import dataclass, field

from aiohttp import web

from bot.playground.server.errors import STATE_OF_THE_WORLD, SlackError
from bot.playground.server.faults import CallFault, Delay, Drop, InvalidJson, RateLimited, Refuse, ServerError
from bot.playground.server.rates import Rates
from bot.playground.server.state import Json
from bot.playground.server.violations import Rule
from bot.playground.server.web_api.arguments import parse
from bot.playground.server.web_api.method import Backstage, Method

EVERYWHERE = frozenset({"token", "team_id"})
"""Arguments that every method takes: clients send `team_id` to all of them."""


@dataclass(slots=True)
class Call:
    """One call as it came in and what became of it; `status` is 0 when the connection was closed without a word."""

    method: str
    arguments: Json
    at: float
    fault: CallFault | None = None
    status: int = 200
    body: Json = field(default_factory=dict)

    @property
    def ok(self) -> bool:
        """Whether the caller was told that it worked."""
        return self.status == 200 and bool(self.body.get("ok"))


class WebApi:
    """Answers `/api/METHOD`."""

    def __init__(self, backstage: Backstage, methods: dict[str, Method], rates: Rates) -> None:
        self._backstage, self._methods, self._rates = backstage, methods, rates
        self.calls: list[Call] = []

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """The aiohttp handler."""
        name = request.match_info["method"]
        common = self._backstage.common
        arguments, warnings, broken = await self._read(request, name)
        call = Call(name, arguments, common.ids.clock())
        call.fault = common.faults.call(name, arguments)
        self.calls.append(call)
        try:
            return await self._answer(request, call, warnings, broken)
        finally:
            common.changes.happened()

    async def _answer(
        self, request: web.Request, call: Call, warnings: list[str], broken: SlackError | None
    ) -> web.StreamResponse:
        if (refused := _refusal(call)) is not None:
            return refused
        if isinstance(call.fault, Drop) and not call.fault.committed:
            return _close(request, call)
        wait = self._rates.wait_for(call.method, self._methods.get(call.method), call.arguments)
        if wait:
            return _limited(call, wait)
        call.body = self._carry_out(request, call, warnings, broken)
        return await self._reply(request, call)

    async def _reply(self, request: web.Request, call: Call) -> web.StreamResponse:
        match call.fault:
            case Drop():
                return _close(request, call)
            case Delay(seconds=seconds):
                await asyncio.sleep(seconds)
            case ServerError(status=status):
                call.status = status
                return web.Response(status=status, text="upstream request timeout")
            case InvalidJson(body=body):
                return web.Response(text=body, content_type="application/json")
            case _:
                pass
        headers = {"X-OAuth-Scopes": ",".join(sorted(self._backstage.manifest.scopes))}
        return web.json_response(call.body, headers=headers)

    def _carry_out(self, request: web.Request, call: Call, warnings: list[str], broken: SlackError | None) -> Json:
        try:
            if broken:
                raise broken
            body = {"ok": True, **self._run(request, call)}
        except SlackError as error:
            body = error.body()
            if error.code not in STATE_OF_THE_WORLD:
                detail = " ".join([error.code, *error.messages])
                self._backstage.common.violations.record(Rule.REFUSED, call.method, detail)
        if warnings:
            body["warning"] = ",".join(warnings)
            body.setdefault("response_metadata", {})["warnings"] = warnings
        return body

    def _run(self, request: web.Request, call: Call) -> Json:
        method = self._methods.get(call.method)
        if method is None:
            raise SlackError("unknown_method", req_method=call.method)
        scheme, _, bearer = request.headers.get("Authorization", "").partition(" ")
        in_header = bearer if scheme == "Bearer" else None
        in_body = call.arguments.pop("token", None) if method.token == "bot" else None  # noqa: S105  # a kind
        self._backstage.credentials.check(in_header or in_body, method.token)
        self._check_scopes(method)
        self._note_unknown(method, call)
        return method.run(self._backstage, parse(method.arguments, call.arguments))

    def _check_scopes(self, method: Method) -> None:
        provided = self._backstage.manifest.scopes
        missing = [scope for scope in method.scopes if scope not in provided]
        if missing:
            raise SlackError("missing_scope", needed=",".join(missing), provided=",".join(sorted(provided)))

    def _note_unknown(self, method: Method, call: Call) -> None:
        for name in call.arguments:
            if name not in method.arguments and name not in EVERYWHERE:
                self._backstage.common.violations.record(Rule.UNKNOWN_ARGUMENT, call.method, f"`{name}`")

    async def _read(self, request: web.Request, name: str) -> tuple[Json, list[str], SlackError | None]:
        """Arguments, warnings, and the error that a body deserves which cannot be read."""
        arguments: Json = dict(request.query)
        body = await request.text()
        if request.content_type == "application/json":
            return self._read_json(request, name, arguments, body)
        if body:
            if request.content_type not in {"application/x-www-form-urlencoded", "multipart/form-data"}:
                return arguments, [], SlackError("invalid_post_type")
            arguments |= dict(await request.post())
        return arguments, [], None

    def _read_json(
        self, request: web.Request, name: str, arguments: Json, body: str
    ) -> tuple[Json, list[str], SlackError | None]:
        warnings = [] if request.charset else ["missing_charset"]
        try:
            decoded = json.loads(body or "{}")
        except ValueError:
            return arguments, warnings, SlackError("invalid_json")
        if not isinstance(decoded, dict):
            return arguments, warnings, SlackError("json_not_object")
        method = self._methods.get(name)
        if method is None or method.accepts_json:
            arguments |= {key: value for key, value in decoded.items() if key != "token"}
        return arguments, warnings, None


def _refusal(call: Call) -> web.Response | None:
    """The answer of a fault that keeps the call from having any effect."""
    match call.fault:
        case RateLimited(retry_after=seconds):
            return _limited(call, seconds)
        case ServerError(status=status, committed=False):
            call.status = status
            return web.Response(status=status, text="upstream connect error")
        case Refuse(code=code):
            call.body = SlackError(code).body()
            return web.json_response(call.body)
        case _:
            return None


def _limited(call: Call, seconds: int) -> web.Response:
    call.status, call.body = 429, SlackError("ratelimited").body()
    return web.json_response(call.body, status=429, headers={"Retry-After": str(seconds)})


def _close(request: web.Request, call: Call) -> web.Response:
    """Abort the connection: the caller never learns what happened."""
    call.status = 0
    if request.transport is not None:
        request.transport.abort()
    return web.Response()
