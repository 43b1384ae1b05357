"""HTTP mode: signed requests to a request URL, and a verifier that is not taken in by forgeries and replays."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.signature import SignatureVerifier
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground.server import Manifest, SlackServer, Timings
from bot.playground.server.faults import CutAfterSend

Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]
QUICK = Timings(ack=1.0, retry_delays=(0.0, 0.0, 0.0))


@asynccontextmanager
async def listening(answer: Answer) -> AsyncIterator[str]:
    """An address on loopback where `answer` answers."""
    app = web.Application()
    app.router.add_post("/slack/events", answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    address: Any = runner.addresses[0]
    try:
        yield f"http://127.0.0.1:{address[1]}/slack/events"
    finally:
        await runner.cleanup()


@asynccontextmanager
async def delivering(manifest: Manifest, answer: Answer) -> AsyncIterator[SlackServer]:
    async with listening(answer) as url, SlackServer(manifest, timings=QUICK, request_url=url) as server:
        yield server


class Listener:
    """Answers with what it was given, and keeps what it saw."""

    def __init__(self, status: int = 200, body: str = "", headers: dict[str, str] | None = None) -> None:
        self.status, self.body, self.headers = status, body, headers or {}
        self.seen: list[tuple[dict[str, str], str]] = []

    async def answer(self, request: web.Request) -> web.Response:
        self.seen.append((dict(request.headers), await request.text()))
        return web.Response(status=self.status, text=self.body, headers=self.headers)


async def test_every_kind_of_request_is_signed(manifest: Manifest) -> None:
    listener = Listener()
    async with delivering(manifest, listener.answer) as server:
        message = server.people.direct_message("alice", "hello 你好")
        await server.people.slash("general", "alice", "/vllm", "help & more")
        await server.people.shortcut("alice", "diagnose_log", message)
        await server.observed.wait_until(lambda: len(listener.seen) == 3)
        verifier = SignatureVerifier(server.credentials.signing)
    assert all(verifier.is_valid_request(body, headers) for headers, body in listener.seen)
    assert {headers["Content-Type"] for headers, _ in listener.seen} == {
        "application/json",
        "application/x-www-form-urlencoded",
    }
    assert all(delivery.acked for delivery in server.deliveries.all)


async def test_bolt_verifies_the_url_and_refuses_forgeries_and_stale_requests(manifest: Manifest) -> None:
    heard = []

    async def answer(request: web.Request) -> web.StreamResponse:
        response: web.StreamResponse = await bolt["handle"](request)
        return response

    bolt: dict[str, Any] = {}
    async with delivering(manifest, answer) as server:
        client = AsyncWebClient(token=server.credentials.bot, base_url=server.api_url)
        app = AsyncApp(client=client, signing_secret=server.credentials.signing)

        @app.event("message")
        async def listen(event: dict[str, Any]) -> None:
            heard.append(event["text"])

        bolt["handle"] = app.server(path="/slack/events").handle_post_requests
        assert await server.http.verify()
        server.people.direct_message("alice", "hello")
        await server.observed.wait_until(lambda: heard == ["hello"])
        (request,) = server.http.sent
        assert await server.http.resend(server.http.forged(request)) == 401
        assert await server.http.resend(server.http.stale(request)) == 401
        assert await server.http.resend(request) == 200
    assert heard == ["hello", "hello"]


@pytest.mark.parametrize(
    ("listener", "attempts", "reason"),
    [
        (Listener(200), 1, None),
        (Listener(500), 4, "http_error"),
        (Listener(302), 4, "http_error"),
        (Listener(500, headers={"X-Slack-No-Retry": "1"}), 1, "http_error"),
    ],
    ids=["acknowledged", "an error", "a redirect", "an error that asks for no retry"],
)
async def test_what_is_not_answered_with_200_comes_again(
    manifest: Manifest, listener: Listener, attempts: int, reason: str | None
) -> None:
    async with delivering(manifest, listener.answer) as server:
        server.people.direct_message("alice", "hello")
        (delivery,) = server.deliveries.all
        await server.observed.wait_until(lambda: delivery.finished)
    assert len(listener.seen) == attempts
    assert [headers.get("X-Slack-Retry-Num") for headers, _ in listener.seen] == [None, "1", "2", "3"][:attempts]
    assert set(delivery.failures) == ({reason} if reason else set())
    if attempts > 1:
        assert listener.seen[1][0]["X-Slack-Retry-Reason"] == reason


async def test_an_answer_that_takes_too_long_and_a_closed_door_are_failures(manifest: Manifest) -> None:
    never = asyncio.Event()

    async def sleep(request: web.Request) -> web.Response:
        await never.wait()
        return web.Response()

    async with delivering(manifest, sleep) as server:
        slow = await server.people.slash("general", "alice", "/vllm")
        never.set()
    assert slow.failures == ["timeout"]
    async with SlackServer(manifest, timings=QUICK, request_url="http://127.0.0.1:9/") as server:
        closed = await server.people.slash("general", "alice", "/vllm")
    assert closed.failures == ["connection_failed"]


@pytest.mark.parametrize(
    ("body", "text"),
    [("plain words", "plain words"), ('{"text": "from JSON"}', "from JSON"), ("[1]", None), (" ", None)],
)
async def test_the_answer_to_a_command_is_text_or_json(manifest: Manifest, body: str, text: str | None) -> None:
    async with delivering(manifest, Listener(body=body).answer) as server:
        await server.people.slash("general", "alice", "/vllm")
        assert [shown.text for shown in server.observed.ephemerals("alice")] == ([text] if text else [])


async def test_a_cut_request_comes_again(manifest: Manifest) -> None:
    listener = Listener()
    async with delivering(manifest, listener.answer) as server:
        server.faults.plan("message.im", CutAfterSend())
        server.people.direct_message("alice", "hello")
        (delivery,) = server.deliveries.all
        await server.observed.wait_until(lambda: delivery.finished)
    assert (len(listener.seen), delivery.failures) == (2, ["connection_failed"])


async def test_a_url_that_does_not_know_its_challenge_is_not_verified(manifest: Manifest) -> None:
    async with delivering(manifest, Listener(body="hello").answer) as server:
        assert not await server.http.verify()
