"""What comes in is handed over and acknowledged, whatever happens; connections are replaced before they end."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.request.async_request import AsyncBoltRequest

from bot.playground.server import SlackServer, Timings, load_manifest
from bot.playground.server.faults import ServerError
from bot.slack import socket_mode
from bot.slack.app import Identity, build
from bot.slack.calls import Calls
from bot.slack.http_mode import HttpMode
from bot.slack.socket_mode import SocketMode

MANIFEST = load_manifest(Path(__file__).parents[3] / "deploy" / "slack-manifest.yaml")


class Desk:
    """Takes note; raises where it is told to."""

    def __init__(self) -> None:
        self.accepted: list[dict[str, Any]] = []
        self.broken = self.full = False

    def accept(self, body: dict[str, Any]) -> None:
        self.accepted.append(body)
        if self.broken:
            raise ZeroDivisionError
        if self.full:
            raise sqlite3.OperationalError("database or disk is full")


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.fixture
async def server() -> AsyncIterator[SlackServer]:
    async with SlackServer(MANIFEST, timings=Timings(retry_delays=(0.0,))) as server:
        yield server
        assert not list(server.violations), str(server.violations)


@pytest.fixture
async def calls(server: SlackServer) -> AsyncIterator[Calls]:
    calls = Calls(server.credentials.bot, server.api_url)
    yield calls
    await calls.close()


@pytest.fixture
def app(server: SlackServer, calls: Calls, desk: Desk) -> AsyncApp:
    team = server.workspace.team
    identity = Identity(team.name, team.id, "tuning-bot", team.bot_user, team.bot_id)
    return build(identity, calls, server.credentials.signing, desk)


@pytest.mark.parametrize(
    ("body", "handed_over"),
    [
        ({"type": "event_callback", "event": {"type": "app_mention"}}, True),
        ({"type": "event_callback", "event": {"type": "never_heard_of"}}, True),
        ({"command": "/other", "text": ""}, True),
        ({"type": "block_actions", "actions": [{"action_id": "x", "type": "button"}]}, True),
        ({"type": "message_action", "callback_id": "x"}, True),
        ({"type": "shortcut", "callback_id": "x"}, True),
        ({"type": "view_submission", "view": {"type": "modal", "callback_id": "x"}}, True),
        ({"type": "view_closed", "view": {"type": "modal", "callback_id": "x"}}, True),
        ({"type": "block_suggestion", "action_id": "x", "block_id": "b", "value": "q"}, False),
    ],
    ids=["event", "unknown event", "command", "press", "message shortcut", "shortcut", "modal", "closed modal", "menu"],
)
@pytest.mark.parametrize("broken", [False, True], ids=["", "by a broken desk"])
async def test_everything_is_acknowledged(
    app: AsyncApp, desk: Desk, body: dict[str, Any], handed_over: bool, broken: bool
) -> None:
    desk.broken = broken
    answer = await app.async_dispatch(AsyncBoltRequest(mode="socket_mode", body=body, headers={}))
    assert answer.status == 200
    assert desk.accepted == ([body] if handed_over else [])


async def test_what_could_not_be_kept_is_not_acknowledged(app: AsyncApp, desk: Desk) -> None:
    desk.full = True
    body = {"type": "event_callback", "event": {"type": "app_mention"}}
    assert (await app.async_dispatch(AsyncBoltRequest(body=body, mode="socket_mode", headers={}))).status == 503


async def test_what_the_bot_says_itself_is_not_handed_over(server: SlackServer, app: AsyncApp, desk: Desk) -> None:
    own = {"type": "message", "user": server.workspace.team.bot_user, "bot_id": server.workspace.team.bot_id}
    body = {"type": "event_callback", "event": own}
    assert (await app.async_dispatch(AsyncBoltRequest(mode="socket_mode", body=body, headers={}))).status == 200
    assert desk.accepted == []


@asynccontextmanager
async def connected(server: SlackServer, app: AsyncApp, calls: Calls) -> AsyncIterator[SocketMode]:
    socket = SocketMode(app, lambda: calls.socket_url(server.credentials.app), heartbeat=0.2)
    ready = asyncio.Event()
    running = asyncio.create_task(socket.run(ready.set))
    try:
        async with asyncio.timeout(5):
            await ready.wait()
        await server.observed.wait_until(lambda: server.socket_mode.connections)
        yield socket
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await socket.close()


async def test_a_connection_that_slack_forgets_to_close_is_closed(
    server: SlackServer, app: AsyncApp, calls: Calls, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(socket_mode, "GOODBYE", 0.05)
    async with connected(server, app, calls):
        (old,) = server.socket_mode.connections
        await server.socket_mode.warn()
        await server.observed.wait_until(lambda: set(server.socket_mode.connections) - {old})
        await server.observed.wait_until(lambda: old not in server.socket_mode.connections)
        assert len(server.socket_mode.connections) == 1


async def test_frames_that_are_no_envelopes_do_no_harm(
    server: SlackServer, app: AsyncApp, calls: Calls, desk: Desk
) -> None:
    async with connected(server, app, calls):
        (connection,) = server.socket_mode.connections
        for text in ('{"type": "new_kind"}', "{}"):
            await connection.socket.send_str(text)
        await connection.socket.send_bytes(b"\x00")
        server.people.direct_message("alice", "hello")
        await server.observed.wait_until(lambda: desk.accepted)
        assert server.socket_mode.connections == [connection]


async def test_a_frame_that_is_no_json_costs_the_connection_only(
    server: SlackServer, app: AsyncApp, calls: Calls, desk: Desk
) -> None:
    async with connected(server, app, calls):
        (connection,) = server.socket_mode.connections
        await connection.socket.send_str("<html>")
        await server.observed.wait_until(lambda: set(server.socket_mode.connections) - {connection})
        server.people.direct_message("alice", "hello")
        await server.observed.wait_until(lambda: desk.accepted)


async def test_a_menu_gets_its_options_with_the_acknowledgement(
    server: SlackServer, app: AsyncApp, calls: Calls
) -> None:
    async with connected(server, app, calls):
        menu = {"type": "external_select", "action_id": "x", "placeholder": {"type": "plain_text", "text": "?"}}
        channel = server.workspace.channel("general").id
        posted = await calls.post(channel, {"text": "t", "blocks": [{"type": "actions", "elements": [menu]}]})
        message = server.workspace.channel("general").messages[posted]
        assert await server.people.suggest("alice", message, "x", "q") == []


async def test_it_keeps_dialling(server: SlackServer, app: AsyncApp, calls: Calls) -> None:
    server.faults.plan("apps.connections.open", ServerError(503))
    async with connected(server, app, calls) as socket:
        assert socket.connected


async def test_the_ticket_of_a_link_that_fails_is_not_logged(
    server: SlackServer, app: AsyncApp, calls: Calls, caplog: pytest.LogCaptureFixture
) -> None:
    http = HttpMode(app, lambda: True)
    port = await http.start("127.0.0.1", 0)
    links = iter([f"ws://127.0.0.1:{port}/healthz?ticket=s3cret", await calls.socket_url(server.credentials.app)])

    async def link() -> str:
        return next(links)

    socket, ready = SocketMode(app, link), asyncio.Event()
    running = asyncio.create_task(socket.run(ready.set))
    async with asyncio.timeout(5):
        await ready.wait()
    running.cancel()
    await socket.close()
    await http.close()
    assert "WSServerHandshakeError" in caplog.text
    assert "s3cret" not in caplog.text


async def test_a_request_that_cannot_be_read_is_refused(
    app: AsyncApp, server: SlackServer, desk: Desk, signed_post: Callable[..., Any]
) -> None:
    http = HttpMode(app, lambda: False)
    port = await http.start("127.0.0.1", 0)
    assert await signed_post(port, {"type": "event_callback", "event": {"type": "message", "channel": 5}}) == 400
    assert await signed_post(port, {"type": "event_callback", "event": {"type": "app_mention"}}) == 200
    assert await signed_post(port, None) == 503
    await http.close()
    assert len(desk.accepted) == 1


@pytest.fixture
def signed_post(server: SlackServer) -> Callable[..., Any]:
    """Posts a signed body; asks for the health where there is none. The status."""
    import json
    import time

    import aiohttp

    from bot.playground.server.signing import SignedRequest

    async def post(port: int, body: dict[str, Any] | None) -> int:
        async with aiohttp.ClientSession() as session:
            if body is None:
                async with session.get(f"http://127.0.0.1:{port}/healthz") as answer:
                    return answer.status
            kind = {"Content-Type": "application/json"}
            signed = SignedRequest.make(server.credentials.signing, int(time.time()), json.dumps(body), kind)
            url = f"http://127.0.0.1:{port}/slack/events"
            async with session.post(url, data=signed.body.encode(), headers=signed.headers) as answer:
                return answer.status

    return post
