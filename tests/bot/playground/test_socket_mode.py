"""Socket Mode: links, hello, envelopes, acknowledgements, retries, disconnects, cut connections."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground.server import NotSeen, Rule, SlackServer


class Wire:
    """A client that does only what a test tells it to."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.socket = socket

    async def next(self) -> Any:
        return json.loads((await self.socket.receive(timeout=5)).data)

    async def ack(self, envelope: Any, **more: Any) -> None:
        await self.socket.send_str(json.dumps({"envelope_id": envelope["envelope_id"], **more}))


@asynccontextmanager
async def wire(server: SlackServer, query: str = "") -> AsyncIterator[Wire]:
    """A connection of its own, after its hello."""
    async with aiohttp.ClientSession() as session, session.ws_connect(server.socket_mode.link() + query) as socket:
        yield Wire(socket)


@asynccontextmanager
async def greeted(server: SlackServer) -> AsyncIterator[Wire]:
    async with wire(server) as line:
        assert (await line.next())["type"] == "hello"
        yield line


async def test_a_link_is_good_for_one_connection(server: SlackServer) -> None:
    link = server.socket_mode.link()
    async with aiohttp.ClientSession() as session, session.ws_connect(link):
        with pytest.raises(aiohttp.WSServerHandshakeError) as second:
            await session.ws_connect(link)
    assert second.value.status == 410


async def test_a_ping_is_answered(server: SlackServer) -> None:
    link = server.socket_mode.link()
    async with aiohttp.ClientSession() as session, session.ws_connect(link, autoping=False) as socket:
        await socket.receive()
        await socket.ping(b"there?")
        answer = await socket.receive(timeout=5)
    assert (answer.type, bytes(answer.data)) == (aiohttp.WSMsgType.PONG, b"there?")


@pytest.mark.parametrize(("query", "seconds"), [("", 18060), ("&debug_reconnects=true", 360)])
async def test_hello_says_how_many_connections_there_are_and_how_long_they_live(
    server: SlackServer, query: str, seconds: int
) -> None:
    async with wire(server), wire(server, query) as second:
        hello = await second.next()
    assert (hello["type"], hello["num_connections"]) == ("hello", 2)
    assert hello["debug_info"]["approximate_connection_time"] == seconds


async def test_an_eleventh_connection_is_sent_away(server: SlackServer) -> None:
    async with aiohttp.ClientSession() as session:
        sockets = [await session.ws_connect(server.socket_mode.link()) for _ in range(11)]
        eleventh = Wire(sockets[-1])
        assert (await eleventh.next())["reason"] == "too_many_websockets"
        assert len(server.socket_mode.connections) == 10


async def test_an_event_is_delivered_once_and_its_latency_is_written_down(server: SlackServer) -> None:
    async with greeted(server) as line:
        server.people.direct_message("alice", "hello")
        envelope = await line.next()
        assert (envelope["type"], envelope["retry_attempt"], envelope["accepts_response_payload"]) == (
            "events_api",
            0,
            False,
        )
        event = envelope["payload"]["event"]
        assert (event["type"], event["channel_type"], event["text"]) == ("message", "im", "hello")
        await line.ack(envelope)
        (delivery,) = server.deliveries.all
        await server.observed.wait_until(lambda: delivery.finished)
    assert delivery.acked
    assert len(delivery.latencies) == 1
    assert delivery.event_id == envelope["payload"]["event_id"]
    assert not list(server.violations)


async def test_envelopes_are_spread_over_the_connections(server: SlackServer) -> None:
    async with greeted(server) as first, greeted(server) as second:
        for _ in range(2):
            server.people.direct_message("alice", "hello")
        for line in (first, second):
            await line.ack(await line.next())
        await server.observed.wait_until(lambda: all(d.finished for d in server.deliveries.all))
    assert not list(server.violations)


async def test_what_nobody_acknowledges_comes_three_times_more_with_the_same_event_id(impatient: SlackServer) -> None:
    async with greeted(impatient) as line:
        impatient.people.direct_message("alice", "hello")
        envelopes = [await line.next() for _ in range(4)]
        (delivery,) = impatient.deliveries.all
        await impatient.observed.wait_until(lambda: delivery.finished)
    assert [envelope["retry_attempt"] for envelope in envelopes] == [0, 1, 2, 3]
    assert [envelope["retry_reason"] for envelope in envelopes] == ["", "timeout", "timeout", "timeout"]
    assert len({envelope["payload"]["event_id"] for envelope in envelopes}) == 1
    assert len({envelope["envelope_id"] for envelope in envelopes}) == 4
    assert not delivery.acked
    assert [violation.rule for violation in impatient.violations] == [Rule.NO_ACK] * 4


async def test_a_late_acknowledgement_is_recorded(impatient: SlackServer) -> None:
    async with greeted(impatient) as line:
        impatient.people.direct_message("alice", "hello")
        first = await line.next()
        await line.ack(await line.next())
        await line.ack(first)
        await impatient.observed.wait_until(lambda: impatient.violations.of(Rule.LATE_ACK))
    assert {violation.rule for violation in impatient.violations} == {Rule.NO_ACK, Rule.LATE_ACK}


@pytest.mark.parametrize(
    ("sent", "rule"),
    [
        ('{"envelope_id": "who"}', Rule.UNKNOWN_ENVELOPE),
        ("not json", Rule.BAD_ACK),
        ("[]", Rule.BAD_ACK),
        ('{"payload": {}}', Rule.BAD_ACK),
    ],
)
async def test_a_senseless_acknowledgement_is_recorded(server: SlackServer, sent: str, rule: Rule) -> None:
    async with greeted(server) as line:
        await line.socket.send_bytes(b"ignored")
        await line.socket.send_str(sent)
        server.people.direct_message("alice", "hello")
        await line.ack(await line.next())
        await server.observed.wait_until(lambda: all(d.finished for d in server.deliveries.all))
    assert [violation.rule for violation in server.violations] == [rule]


async def test_acknowledging_twice_and_answering_an_event_are_recorded(server: SlackServer) -> None:
    async with greeted(server) as line:
        server.people.direct_message("alice", "hello")
        envelope = await line.next()
        await line.ack(envelope, payload={"text": "hi"})
        await line.ack(envelope)
        await server.observed.wait_until(lambda: server.violations.of(Rule.DOUBLE_ACK))
    assert {violation.rule for violation in server.violations} == {Rule.UNWANTED_PAYLOAD, Rule.DOUBLE_ACK}


async def test_a_slash_command_takes_its_answer_in_the_acknowledgement(server: SlackServer) -> None:
    async with greeted(server) as line:
        typing = asyncio.ensure_future(server.people.slash("general", "alice", "/vllm", "help"))
        envelope = await line.next()
        payload = envelope["payload"]
        assert (envelope["type"], envelope["accepts_response_payload"]) == ("slash_commands", True)
        assert (payload["command"], payload["text"], payload["is_enterprise_install"]) == ("/vllm", "help", "false")
        await line.ack(envelope, payload={"text": "hi", "response_type": "in_channel"})
        delivery = await typing
    assert delivery.acked
    (shown,) = server.observed.by_app("general")
    assert shown.text == "hi"


async def test_an_answer_that_slack_would_not_take_is_recorded(server: SlackServer) -> None:
    async with greeted(server) as line:
        typing = asyncio.ensure_future(server.people.slash("general", "alice", "/vllm"))
        await line.ack(await line.next(), payload={"text": " "})
        await typing
    assert [violation.rule for violation in server.violations] == [Rule.BAD_ACK]


async def test_without_a_connection_a_command_fails_and_an_event_waits(
    server: SlackServer, app: AsyncApp, connect: Any
) -> None:
    delivery = await server.people.slash("general", "alice", "/vllm")
    assert (delivery.acked, delivery.failures) == (False, ["connection_failed"])
    server.people.direct_message("alice", "hello")

    @app.event("message")
    async def heard() -> None:
        return None

    await connect(app)
    event = server.deliveries.all[-1]
    await server.observed.wait_until(lambda: event.acked)
    assert not list(server.violations)


async def test_an_event_that_nobody_ever_takes_is_given_up(impatient: SlackServer) -> None:
    impatient.people.direct_message("alice", "hello")
    (delivery,) = impatient.deliveries.all
    await impatient.observed.wait_until(lambda: delivery.finished)
    assert delivery.failures == ["connection_failed"] * 4


@pytest.mark.parametrize("reason", ["refresh_requested", "link_disabled"])
async def test_a_disconnect_lets_open_envelopes_be_acknowledged(server: SlackServer, reason: str) -> None:
    async with greeted(server) as line:
        server.people.direct_message("alice", "hello")
        envelope = await line.next()
        leaving = asyncio.ensure_future(server.socket_mode.disconnect(reason))
        assert await line.next() == {"type": "disconnect", "reason": reason, "debug_info": {"host": "playground"}}
        await line.ack(envelope)
        assert (await line.socket.receive()).type == aiohttp.WSMsgType.CLOSE
        await leaving
    (delivery,) = server.deliveries.all
    assert delivery.acked
    assert not delivery.failures


async def test_a_warning_comes_ahead_of_a_disconnect(server: SlackServer) -> None:
    async with greeted(server) as line:
        await server.socket_mode.warn()
        assert (await line.next())["reason"] == "warning"
        assert not line.socket.closed


@pytest.mark.parametrize("how", ["disconnect", "cut"])
async def test_bolt_reconnects_and_hears_what_came_in_between(
    server: SlackServer, app: AsyncApp, connect: Any, how: str
) -> None:
    heard: list[str] = []

    @app.event("message")
    async def listen(event: dict[str, Any]) -> None:
        heard.append(event["text"])

    await connect(app)
    (before,) = server.socket_mode.connections
    if how == "cut":
        server.socket_mode.cut()
    else:
        await server.socket_mode.disconnect()
    await server.observed.wait_until(lambda: before not in server.socket_mode.connections)
    server.people.direct_message("alice", "still there?")
    await server.observed.wait_until(lambda: heard == ["still there?"])
    await server.observed.wait_until(lambda: len(server.socket_mode.connections) == 1)


async def test_an_envelope_on_a_cut_connection_comes_again(server: SlackServer) -> None:
    async with greeted(server) as line:
        server.people.direct_message("alice", "hello")
        await line.next()
        server.socket_mode.cut()
        (delivery,) = server.deliveries.all
        await server.observed.wait_until(lambda: delivery.failures == ["connection_failed"])
    async with greeted(server) as line:
        envelope = await line.next()
        await line.ack(envelope)
        await server.observed.wait_until(lambda: delivery.finished)
    assert (envelope["retry_attempt"], envelope["retry_reason"]) == (1, "connection_failed")


async def test_waiting_for_what_never_comes_ends(server: SlackServer, client: AsyncWebClient) -> None:
    question = server.people.say("general", "alice", "anybody?")
    with pytest.raises(NotSeen, match="answers to `anybody\\?`"):
        await server.observed.wait_for_answers(question, within=0.01)
    chatter = asyncio.ensure_future(_keep_calling(client))
    with pytest.raises(NotSeen, match="quiet"):
        await server.observed.quiet(0.2, within=0.3)
    chatter.cancel()


async def _keep_calling(client: AsyncWebClient) -> None:
    while True:
        await client.auth_test()
