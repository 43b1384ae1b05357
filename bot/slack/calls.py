"""The door to Slack's Web API: every call ends as a result or as one of four exceptions that say what is known about it.

NotSent         it never left, or Slack says that nothing happened: it may be sent again
Later           Slack wants it later
Unclear         it may have happened or not: look before saying it again
Refused         Slack will not do it
"""

import asyncio
import logging
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit
from urllib.request import proxy_bypass

import aiohttp
from slack_sdk.errors import SlackApiError, SlackRequestError
from slack_sdk.http_retry.async_handler import AsyncRetryHandler
from slack_sdk.http_retry.builtin_async_handlers import AsyncRateLimitErrorRetryHandler
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse
from slack_sdk.webhook.async_client import AsyncWebhookClient

PATIENCE = 10  # seconds for one call
CATASTROPHE = frozenset(
    # “some aspect of the operation may have succeeded”, says the reference of every method
    ["internal_error", "fatal_error", "service_unavailable", "request_timeout", "team_added_to_org"]
)
PAGE, MOST_PAGES = 200, 10  # messages of a page, and pages of a thread that are looked through for a lost post
LONGEST_ALT = 1000  # characters of a picture's description
LOCAL = frozenset(["localhost", "127.0.0.1", "::1"])
log = logging.getLogger(__name__)


class CallFailed(Exception):
    """A call without a result."""


class NotSent(CallFailed):
    """Nothing happened."""


class Unclear(CallFailed):
    """It may have happened."""


class Later(CallFailed):
    """Nothing happened; Slack takes it after `seconds`."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


class Refused(CallFailed):
    """Nothing happened; `code` is Slack's word for why."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def proxied(client: Any, url: str) -> Any:
    """The client, without the environment's proxy where `NO_PROXY` names the host or the host is this machine.

    slack_sdk 3.48 takes `HTTPS_PROXY` and `HTTP_PROXY` and looks at nothing else.
    """
    host = urlsplit(url).hostname or ""
    if host in LOCAL or proxy_bypass(host):
        client.proxy = None
    return client


class Calls:
    """The calls that the bot makes. Give it back with `close`."""

    def __init__(self, token: str, api: str) -> None:
        self._session = aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=PATIENCE))
        values: dict[str, Any] = {"token": token, "base_url": api, "timeout": PATIENCE, "session": self._session}
        self.client: AsyncWebClient = proxied(AsyncWebClient(**values, retry_handlers=[]), api)
        waits: list[AsyncRetryHandler] = [AsyncRateLimitErrorRetryHandler(max_retry_count=2)]
        self.patient: AsyncWebClient = proxied(AsyncWebClient(**values, retry_handlers=waits), api)

    async def close(self) -> None:
        """Closes every connection."""
        await self._session.close()

    async def post(self, channel: str, body: Mapping[str, Any]) -> str:
        """Posts a message: its timestamp."""
        answer = await self._call("chat.postMessage", {"channel": channel, **body})
        return str(answer["ts"])

    async def update(self, channel: str, body: Mapping[str, Any]) -> None:
        """Changes the message at `ts`. Doing it twice is doing it once."""
        await self._call("chat.update", {"channel": channel, **body})

    async def delete(self, channel: str, body: Mapping[str, Any]) -> None:
        """Deletes the message at `ts`."""
        await self._call("chat.delete", {"channel": channel, **body})

    async def respond(self, url: str, body: Mapping[str, Any]) -> None:
        """Answers through a response URL. A connection of its own: one that was idle may be dead and would leave it unclear."""
        hook = proxied(AsyncWebhookClient(url, timeout=PATIENCE, retry_handlers=[]), url)
        try:
            answer = await hook.send_dict(dict(body))
        except Exception as fault:
            raise _failure(fault) from fault
        if answer.status_code == 429:
            raise Later(_seconds(answer.headers))
        if answer.status_code >= 500:  # it cannot be looked up; servers that fail have as a rule done nothing
            raise NotSent
        if answer.status_code != 200:
            raise Refused(f"http {answer.status_code}")

    async def find(self, channel: str, thread: str | None, after: str | None, key: str) -> str | None:
        """The timestamp of the message that carries `key`, in a thread or beside, later than `after`; None when there is none."""
        method = "conversations.replies" if thread else "conversations.history"
        asked: dict[str, Any] = {"channel": channel, "limit": PAGE, "include_all_metadata": True}
        asked |= {name: value for name, value in (("ts", thread), ("oldest", after)) if value}
        for _ in range(MOST_PAGES):
            answer = await self._call(method, asked, reading=True)
            for message in answer.get("messages", []):
                if (message.get("metadata") or {}).get("event_payload", {}).get("key") == key:
                    return str(message["ts"])
            cursor = (answer.get("response_metadata") or {}).get("next_cursor")
            if not cursor:
                return None
            asked["cursor"] = cursor
        return None

    async def publish_home(self, user: str, view: Mapping[str, Any]) -> None:
        """Shows a person's Home tab."""
        await self._call("views.publish", {"user_id": user, "view": dict(view)}, client=self.patient)

    async def upload(self, name: str, content: bytes, told: str) -> str:
        """The id of a file that nobody sees until it is shared; `told` is for who does not see pictures."""
        asked = {"filename": name, "length": len(content), "alt_txt": told[:LONGEST_ALT]}
        answer = await self._call("files.getUploadURLExternal", asked, reading=True, client=self.patient)
        url = str(answer["upload_url"])
        try:
            async with self._session.post(url, data=content, proxy=self._proxy(url)) as done:
                if done.status != 200:
                    raise Refused(f"http {done.status}")
        except (aiohttp.ClientError, TimeoutError, OSError) as fault:
            raise NotSent from fault  # nothing is to be seen of it
        return str(answer["file_id"])

    def _proxy(self, url: str) -> str | None:
        """The proxy on the way to an address that is not the API's own."""
        host = urlsplit(url).hostname or ""
        return None if host in LOCAL or proxy_bypass(host) else self.client.proxy

    async def share(self, channel: str, thread: str, files: Mapping[str, str]) -> None:
        """Shows uploaded files, their titles by id, in a thread. It may be tried once only."""
        listed = [{"id": file, "title": title} for file, title in files.items()]
        asked = {"files": listed, "channel_id": channel, "thread_ts": thread}
        await self._call("files.completeUploadExternal", asked)

    async def file_address(self, file: str) -> str:
        """Where a file's content is, for those that a message only names."""
        answer = await self._call("files.info", {"file": file}, reading=True, client=self.patient)
        return str(answer["file"].get("url_private_download") or answer["file"].get("url_private") or "")

    async def channel_name(self, channel: str) -> str | None:
        """A channel's name, None where it has none."""
        answer = await self._call("conversations.info", {"channel": channel}, reading=True, client=self.patient)
        name = answer["channel"].get("name")
        return str(name) if name else None

    async def channels(self) -> dict[str, str]:
        """The channels that the bot is in: names by id."""
        asked: dict[str, Any] = {"types": "public_channel,private_channel", "exclude_archived": True, "limit": PAGE}
        found: dict[str, str] = {}
        for _ in range(MOST_PAGES):
            answer = await self._call("users.conversations", asked, reading=True, client=self.patient)
            found |= {str(channel["id"]): str(channel.get("name", "")) for channel in answer.get("channels", [])}
            cursor = (answer.get("response_metadata") or {}).get("next_cursor")
            if not cursor:
                break
            asked["cursor"] = cursor
        return found

    async def locale(self, user: str) -> str:
        """A person's locale, as `zh-CN`; empty when Slack does not say."""
        asked = {"user": user, "include_locale": True}
        answer = await self._call("users.info", asked, reading=True, client=self.patient)
        return str(answer["user"].get("locale") or "")

    async def who(self) -> dict[str, Any]:
        """`auth.test`: who the bot is, with the scopes of its token as `scopes`."""
        answer = await self._answer("auth.test", {}, False, self.patient)
        scopes = {name.lower(): value for name, value in answer.headers.items()}.get("x-oauth-scopes", "")
        return {**_data(answer), "scopes": scopes}

    async def socket_url(self, app_token: str) -> str:
        """A fresh link for Socket Mode; each may be dialled once."""
        try:
            answer = await self.client.apps_connections_open(app_token=app_token)
        except Exception as fault:
            raise _failure(fault) from fault
        return str(answer["url"])

    async def _call(
        self, method: str, asked: Mapping[str, Any], *, reading: bool = False, client: AsyncWebClient | None = None
    ) -> dict[str, Any]:
        return _data(await self._answer(method, asked, reading, client or self.client))

    async def _answer(
        self, method: str, asked: Mapping[str, Any], reading: bool, client: AsyncWebClient
    ) -> AsyncSlackResponse:
        """Methods that only read take a query and see nothing of a JSON body."""
        try:
            if reading:
                return await client.api_call(method, http_verb="GET", params=dict(asked))
            return await client.api_call(method, json=dict(asked))
        except Exception as fault:
            log.info("%s failed: %s", method, type(fault).__name__)
            raise _failure(fault) from fault


def _data(answer: AsyncSlackResponse) -> dict[str, Any]:
    return answer.data if isinstance(answer.data, dict) else {}


def _failure(fault: Exception) -> Exception:
    """What is known after `fault`; a fault of another kind is a bug and stays what it is."""
    match fault:
        case SlackApiError():
            return _of_answer(fault.response)
        case aiohttp.ClientConnectorError():
            return NotSent()
        case aiohttp.ClientError() | asyncio.TimeoutError() | OSError() | SlackRequestError():
            return Unclear()
        case _:
            return fault


def _of_answer(answer: Any) -> CallFailed:
    data = answer.data if isinstance(answer, AsyncSlackResponse) and isinstance(answer.data, dict) else {}
    code = str(data.get("error", ""))
    if code == "ratelimited" or getattr(answer, "status_code", 0) == 429:
        return Later(_seconds(answer.headers))
    if not code or code in CATASTROPHE:
        return Unclear()
    return Refused(code)


def _seconds(headers: Mapping[str, Any]) -> float:
    """`Retry-After`; a missing or odd one is a second."""
    stated = {name.lower(): value for name, value in headers.items()}.get("retry-after")
    try:
        return max(float(str(stated)), 0.1)
    except ValueError:
        return 1.0
