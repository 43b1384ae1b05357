"""Faults: each one happens as often as it was planned, to what it was planned for, and to nothing else."""

from typing import Any

import aiohttp
import pytest
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.errors import SlackApiError
from slack_sdk.http_retry.builtin_async_handlers import AsyncRateLimitErrorRetryHandler
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground.server import Manifest, Rule, SlackServer
from bot.playground.server.faults import (
    CallFault,
    CutAfterSend,
    Delay,
    Drop,
    Duplicate,
    InvalidJson,
    LoseAck,
    RateLimited,
    Refuse,
    ServerError,
)


@pytest.fixture
def general(server: SlackServer) -> str:
    return server.workspace.channel("general").id


@pytest.mark.parametrize(
    ("fault", "status", "committed"),
    [
        (RateLimited(7), 429, False),
        (ServerError(503), 503, False),
        (ServerError(500, committed=True), 500, True),
        (Drop(), None, False),
        (Drop(committed=True), None, True),
        (InvalidJson(), 200, True),
        (Refuse("internal_error"), 200, False),
    ],
    ids=["429", "5xx", "committed, then 5xx", "dropped", "committed, then dropped", "invalid JSON", "refused"],
)
async def test_a_call_fails_once_and_then_works_again(
    server: SlackServer, client: AsyncWebClient, general: str, fault: CallFault, status: int | None, committed: bool
) -> None:
    server.faults.plan("chat.postMessage", fault)
    with pytest.raises((SlackApiError, aiohttp.ClientError)) as failed:
        await client.chat_postMessage(channel=general, text="first")
    if isinstance(failed.value, SlackApiError):
        response: Any = failed.value.response
        assert getattr(response, "status_code", status) == status
    else:
        assert status is None
    assert [message.text for message in server.observed.by_app("general")] == (["first"] if committed else [])
    await client.chat_postMessage(channel=general, text="second")
    assert server.observed.by_app("general")[-1].text == "second"
    assert [call.ok for call in server.web_api.calls][-1]
    assert not list(server.violations)


async def test_a_429_says_how_long_to_wait_and_slacks_client_does(
    server: SlackServer, client: AsyncWebClient, general: str
) -> None:
    client.retry_handlers.append(AsyncRateLimitErrorRetryHandler(max_retry_count=1))
    server.faults.plan("chat.postMessage", RateLimited(0))
    await client.chat_postMessage(channel=general, text="once")
    assert [call.status for call in server.web_api.calls] == [429, 200]
    assert len(server.observed.by_app("general")) == 1


async def test_the_default_client_posts_twice_when_a_committed_post_is_dropped(
    server: SlackServer, general: str
) -> None:
    careless = AsyncWebClient(token=server.credentials.bot, base_url=server.api_url)
    server.faults.plan("chat.postMessage", Drop(committed=True))
    await careless.chat_postMessage(channel=general, text="twice")
    assert [message.text for message in server.observed.by_app("general")] == ["twice", "twice"]


async def test_a_delayed_call_has_happened_before_its_answer_comes(
    server: SlackServer, client: AsyncWebClient, general: str
) -> None:
    server.faults.plan("chat.postMessage", Delay(0.05))
    await client.chat_postMessage(channel=general, text="late")
    assert len(server.observed.by_app("general")) == 1


async def test_a_fault_is_for_its_method_its_times_and_its_condition(
    server: SlackServer, client: AsyncWebClient, general: str, refused: Any
) -> None:
    planned = server.faults.plan("chat.postMessage", Refuse("fatal_error"), 2, lambda given: given["text"] == "bad")
    await client.auth_test()
    await client.chat_postMessage(channel=general, text="good")
    for _ in range(2):
        assert (await refused(client.chat_postMessage(channel=general, text="bad")))["error"] == "fatal_error"
    await client.chat_postMessage(channel=general, text="bad")
    assert planned.seen == 2
    server.faults.plan("chat.postMessage", Refuse())
    server.faults.clear()
    await client.chat_postMessage(channel=general, text="good")


@pytest.fixture
def heard(app: AsyncApp) -> list[str]:
    """The ids of the events that reach the app."""
    ids: list[str] = []

    @app.event("message")
    async def listen(body: dict[str, Any]) -> None:
        ids.append(body["event_id"])

    return ids


@pytest.mark.parametrize(
    ("fault", "times"),
    [(Duplicate(), 2), (Duplicate(3), 4), (LoseAck(), 2)],
    ids=["duplicate", "three duplicates", "a lost acknowledgement"],
)
async def test_an_event_is_delivered_more_than_once_under_one_id(
    server: SlackServer, app: AsyncApp, connect: Any, heard: list[str], fault: Any, times: int
) -> None:
    await connect(app)
    server.faults.plan("message.im", fault)
    server.people.direct_message("alice", "hello")
    await server.observed.wait_until(lambda: len(heard) == times)
    assert len(set(heard)) == 1
    server.people.direct_message("alice", "again")
    await server.observed.wait_until(lambda: len(heard) == times + 1)


async def test_an_event_on_a_connection_that_is_cut_comes_again_after_the_reconnect(
    server: SlackServer, app: AsyncApp, connect: Any, heard: list[str]
) -> None:
    await connect(app)
    server.faults.plan("message.im", CutAfterSend())
    server.people.direct_message("alice", "hello")
    (delivery,) = server.deliveries.all
    await server.observed.wait_until(lambda: delivery.finished)
    assert delivery.acked
    assert delivery.failures[0] == "connection_failed"
    assert len(set(heard)) == 1


async def test_a_command_can_be_doubled_too(server: SlackServer, app: AsyncApp, connect: Any) -> None:
    triggers = []

    @app.command("/vllm")
    async def answer(ack: Any, command: dict[str, Any]) -> None:
        await ack()
        triggers.append(command["trigger_id"])

    await connect(app)
    server.faults.plan("/vllm", Duplicate())
    await server.people.slash("general", "alice", "/vllm")
    assert len(triggers) == 2
    assert len(set(triggers)) == 1


@pytest.mark.parametrize(
    ("fault", "status", "shown"),
    [
        (RateLimited(3), 429, 0),
        (ServerError(502), 502, 0),
        (ServerError(502, committed=True), 502, 1),
        (Delay(0.01), 200, 1),
        (Drop(), None, 0),
        (Drop(committed=True), None, 1),
    ],
)
async def test_a_response_url_fails_as_planned(
    server: SlackServer, general: str, fault: CallFault, status: int | None, shown: int
) -> None:
    server.faults.plan("response_url", fault)
    url = server.response_urls.make(general, server.workspace.user("alice").id).address
    async with aiohttp.ClientSession() as session:
        if status is None:
            with pytest.raises(aiohttp.ClientError):
                await session.post(url, json={"text": "x"})
        else:
            async with session.post(url, json={"text": "x"}) as answer:
                assert answer.status == status
    assert len(server.observed.ephemerals("alice")) == shown


async def test_an_upload_fails_as_planned(server: SlackServer, client: AsyncWebClient) -> None:
    started = await client.files_getUploadURLExternal(filename="a.txt", length=3)
    server.faults.plan("upload", ServerError(500))
    async with aiohttp.ClientSession() as session:
        async with session.post(started["upload_url"], data=b"abc") as answer:
            assert answer.status == 500
        async with session.post(started["upload_url"], data=b"abc") as answer:
            assert answer.status == 200


async def test_posting_too_fast_is_recorded_or_refused(manifest: Manifest, client_for: Any, refused: Any) -> None:
    for enforced in (False, True):
        async with SlackServer(manifest, enforce_rates=enforced, clock=lambda: 1796098735.0) as server:
            client = client_for(server)
            general = server.workspace.channel("general").id
            for _ in range(10):
                await client.chat_postMessage(channel=general, text="x")
            assert not list(server.violations)
            call = client.chat_postMessage(channel=general, text="x")
            if enforced:
                answer = await refused(call)
                assert (answer["error"], answer.headers["Retry-After"]) == ("ratelimited", "1")
            else:
                await call
                assert [violation.rule for violation in server.violations] == [Rule.TOO_FAST]


async def test_a_tier_allows_its_calls_a_minute(manifest: Manifest, client_for: Any, refused: Any) -> None:
    now = [1796098735.0]
    async with SlackServer(manifest, enforce_rates=True, clock=lambda: now[0]) as server:
        client = client_for(server)
        for _ in range(20):
            await client.users_list()
        assert (await refused(client.users_list())).headers["Retry-After"] == "3"
        now[0] += 3
        assert (await client.users_list())["ok"]
        assert (await client.auth_test())["ok"]
