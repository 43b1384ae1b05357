"""The door to files that people attach: fetched with the bot's token, from the workspace's own file host only."""

import asyncio
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

import aiohttp

from bot.slack.calls import CallFailed
from bot.slack.incoming import Attached

LARGEST = 10 * 2**20  # bytes of a file that are read
PIECE = 2**16  # bytes at a time
PATIENCE = 20.0  # seconds for one file


class Unreadable(Exception):
    """A file that cannot be read; `why` names the sentence: too_large, no_text, no_access."""

    def __init__(self, why: str, name: str) -> None:
        super().__init__(why, name)
        self.why, self.name = why, name


class Knows(Protocol):
    """What is needed of the Web API; `bot.slack.calls.Calls` has it."""

    async def file_address(self, file: str) -> str:
        """Where a file's content is."""


class Files:
    """Fetches files. `api` is the Web API's base, which says which host may get the token."""

    def __init__(self, calls: Knows, token: str, api: str) -> None:
        self._calls, self._token, self._api = calls, token, api

    async def fetch(self, file: Attached, folder: Path) -> Path:
        """The file's content in `folder`. Raises Unreadable."""
        if file.size > LARGEST:
            raise Unreadable("too_large", file.name)
        try:
            address = file.url or await self._calls.file_address(file.id)
        except CallFailed:
            raise Unreadable("no_access", file.name) from None
        if not own_host(address, self._api):
            raise Unreadable("no_access", file.name)
        try:
            content = await self._content(address, file.name)
        except (aiohttp.ClientError, TimeoutError, OSError):
            raise Unreadable("no_access", file.name) from None
        if b"\0" in content:
            raise Unreadable("no_text", file.name)
        path = folder / file.id
        await asyncio.to_thread(path.write_bytes, content)
        return path

    async def _content(self, address: str, name: str) -> bytes:
        """At most `LARGEST` bytes. No redirect is followed: Slack sends who lacks the scope to a page to log in on."""
        asked = {"Authorization": f"Bearer {self._token}"}
        limit = aiohttp.ClientTimeout(total=PATIENCE)
        async with (
            aiohttp.ClientSession(timeout=limit, trust_env=True) as session,
            session.get(address, headers=asked, allow_redirects=False) as answer,
        ):
            if answer.status != 200 or (answer.content_type == "text/html" and not name.endswith((".html", ".htm"))):
                raise Unreadable("no_access", name)
            content = bytearray()
            async for piece in answer.content.iter_chunked(PIECE):
                content += piece
                if len(content) > LARGEST:
                    raise Unreadable("too_large", name)
            return bytes(content)


def own_host(address: str, api: str) -> bool:
    """Whether the token may go there: to the API's own host, or to `files.` of it over TLS (files.slack.com for slack.com)."""
    asked, own = urlsplit(address), urlsplit(api)
    if (asked.scheme, asked.netloc) == (own.scheme, own.netloc):
        return True
    return asked.scheme == "https" and asked.netloc == f"files.{own.netloc.removeprefix('www.')}"
