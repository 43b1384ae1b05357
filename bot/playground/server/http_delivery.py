"""HTTP delivery: signed requests to the app's request URL, with retry headers and the URL's verification."""

import asyncio
import json
from urllib.parse import urlencode

import aiohttp

from bot.playground.server.common import Common
from bot.playground.server.deliveries import NotDelivered, Parcel
from bot.playground.server.signing import SignedRequest
from bot.playground.server.state import Json

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
JSON_BODY = {"Content-Type": "application/json"}
RAN_OUT = 600
"""Seconds by which a stale request is dated back: twice what Slack's own verifier tolerates."""


class HttpDelivery:
    """The Transport of an app that listens at `request_url` instead of connecting by Socket Mode."""

    def __init__(self, common: Common, secret: str, request_url: str) -> None:
        self._common, self._secret, self.request_url = common, secret, request_url
        self._session: aiohttp.ClientSession | None = None
        self.sent: list[SignedRequest] = []

    async def send(self, parcel: Parcel) -> Json:
        """Send one signed request and read its acknowledgement; raises NotDelivered."""
        request = self._sign(_body(parcel), _headers(parcel))
        self.sent.append(request)
        try:
            async with asyncio.timeout(self._common.timings.ack):
                status, body, no_retry = await self._post(request)
        except TimeoutError:
            raise NotDelivered("timeout") from None
        except aiohttp.ClientError:
            raise NotDelivered("connection_failed") from None
        if parcel.cut:
            raise NotDelivered("connection_failed")
        if status != 200:
            raise NotDelivered("http_error", retry=not no_retry)
        return _answer(body)

    async def resend(self, request: SignedRequest) -> int:
        """Send a request again exactly as it was: a replay. The status of the answer."""
        status, _, _ = await self._post(request)
        return status

    def forged(self, request: SignedRequest) -> SignedRequest:
        """The same request signed with a secret that somebody guessed."""
        stamp = int(request.headers["X-Slack-Request-Timestamp"])
        return SignedRequest.make("guessed", stamp, request.body, dict(request.headers))

    def stale(self, request: SignedRequest) -> SignedRequest:
        """The same request, correctly signed, from ten minutes ago."""
        stamp = int(request.headers["X-Slack-Request-Timestamp"]) - RAN_OUT
        return SignedRequest.make(self._secret, stamp, request.body, dict(request.headers))

    async def verify(self) -> bool:
        """Whether the request URL answers a `url_verification` with its challenge."""
        challenge = self._common.ids.uuid()
        question = {"type": "url_verification", "token": "playground-verification", "challenge": challenge}
        status, body, _ = await self._post(self._sign(json.dumps(question), JSON_BODY))
        return status == 200 and challenge in body

    def _sign(self, body: str, headers: dict[str, str]) -> SignedRequest:
        return SignedRequest.make(self._secret, int(self._common.ids.clock()), body, headers)

    async def _post(self, request: SignedRequest) -> tuple[int, str, bool]:
        if self._session is None:
            self._session = aiohttp.ClientSession()
        async with self._session.post(
            self.request_url, data=request.body.encode(), headers=request.headers, allow_redirects=False
        ) as answer:
            return answer.status, await answer.text(), answer.headers.get("X-Slack-No-Retry") == "1"

    async def stop(self) -> None:
        """Close what is open."""
        if self._session is not None:
            await self._session.close()


def _body(parcel: Parcel) -> str:
    match parcel.kind:
        case "events_api":
            return json.dumps(parcel.payload)
        case "slash_commands":
            return urlencode(parcel.payload)
        case "interactive":
            return urlencode({"payload": json.dumps(parcel.payload)})


def _headers(parcel: Parcel) -> dict[str, str]:
    if parcel.kind != "events_api":
        return FORM
    if not parcel.retry:
        return JSON_BODY
    return {**JSON_BODY, "X-Slack-Retry-Num": str(parcel.retry), "X-Slack-Retry-Reason": parcel.retry_reason}


def _answer(body: str) -> Json:
    """The payload of an acknowledgement: JSON, or plain text that is shown as a message."""
    if not body.strip():
        return {}
    try:
        decoded = json.loads(body)
    except ValueError:
        return {"text": body}
    return decoded if isinstance(decoded, dict) else {}
