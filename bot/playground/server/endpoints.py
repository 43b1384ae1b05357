"""The addresses outside the Web API that an app uses: response URLs, uploads and downloads of files."""

import asyncio
import json

from aiohttp import web

from bot.playground.server.errors import STATE_OF_THE_WORLD, SlackError
from bot.playground.server.faults import Delay, Drop, RateLimited, ServerError
from bot.playground.server.state import Json
from bot.playground.server.violations import Rule
from bot.playground.server.web_api.method import Backstage


class Endpoints:
    """The handlers, with their faults `response_url` and `upload`."""

    def __init__(self, backstage: Backstage) -> None:
        self._backstage, self._common, self._workspace = backstage, backstage.common, backstage.workspace

    async def respond(self, request: web.Request) -> web.Response:
        """POST to a response URL: JSON in, `ok` out; 404 with an error when the URL is used up."""
        fault = self._common.faults.call("response_url", {})
        if (failed := _failed(request, fault)) is not None:
            return failed
        answer = self._responded(request.match_info["key"], await request.text())
        return await _spoiled(request, fault, answer)

    def _responded(self, key: str, body: str) -> web.Response:
        try:
            self._backstage.response_urls.respond(key, _decoded(body))
        except SlackError as error:
            return self._refused(error)
        return web.Response(text="ok")

    def _refused(self, error: SlackError) -> web.Response:
        if error.code not in STATE_OF_THE_WORLD:
            self._common.violations.record(Rule.REFUSED, "response_url", " ".join([error.code, *error.messages]))
        status = 404 if error.code in {"used_url", "expired_url", "invalid_url"} else 400
        return web.json_response(error.body(), status=status)

    async def upload(self, request: web.Request) -> web.Response:
        """POST the bytes of a file to the URL that `files.getUploadURLExternal` gave."""
        fault = self._common.faults.call("upload", {})
        if (failed := _failed(request, fault)) is not None:
            return failed
        file = self._workspace.files.get(request.match_info["file"])
        content = await _uploaded(request)
        if file is None or file.content is not None:
            return web.Response(status=404, text="no such upload")
        if len(content) != file.length:
            detail = f"`{file.name}` was announced with {file.length} bytes and came with {len(content)}"
            self._common.violations.record(Rule.REFUSED, "upload", detail)
            return web.Response(status=400, text=detail)
        file.content = content
        self._common.changes.happened()
        return await _spoiled(request, fault, web.Response(text=f"OK - {len(content)}"))

    async def download(self, request: web.Request) -> web.Response:
        """A file's bytes, for the bot's token and with `files:read`; anything else gets a login page, as in Slack."""
        token = request.headers.get("Authorization", "").removeprefix("Bearer ")
        file = self._workspace.files.get(request.match_info["file"])
        allowed = token == self._backstage.credentials.bot and "files:read" in self._backstage.manifest.scopes
        if not allowed or file is None or file.content is None:
            self._common.violations.record(Rule.REFUSED, "download", request.match_info["name"])
            return web.Response(text="<html>Sign in</html>", content_type="text/html")
        return web.Response(body=file.content, content_type="text/plain")


def _decoded(body: str) -> Json:
    try:
        given = json.loads(body)
    except ValueError:
        given = None
    if not isinstance(given, dict):
        raise SlackError("invalid_payload")
    return given


async def _uploaded(request: web.Request) -> bytes:
    """The raw body, or the first part of a multipart form."""
    if not request.content_type.startswith("multipart/"):
        return await request.read()
    for part in (await request.post()).values():
        if isinstance(part, web.FileField):
            return part.file.read()
    return b""


def _failed(request: web.Request, fault: object) -> web.Response | None:
    match fault:
        case RateLimited(retry_after=seconds):
            return web.Response(status=429, headers={"Retry-After": str(seconds)})
        case ServerError(status=status, committed=False):
            return web.Response(status=status)
        case Drop(committed=False):
            return _closed(request)
        case _:
            return None


async def _spoiled(request: web.Request, fault: object, answer: web.Response) -> web.Response:
    match fault:
        case Delay(seconds=seconds):
            await asyncio.sleep(seconds)
        case ServerError(status=status):
            return web.Response(status=status)
        case Drop():
            return _closed(request)
        case _:
            pass
    return answer


def _closed(request: web.Request) -> web.Response:
    if request.transport is not None:
        request.transport.abort()
    return web.Response()
