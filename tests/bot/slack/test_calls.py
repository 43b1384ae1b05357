"""Every call to Slack ends as a result, or says what is known about what happened."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from bot.playground.server import SlackServer, load_manifest
from bot.playground.server.faults import Delay, Drop, InvalidJson, RateLimited, Refuse, ServerError
from bot.slack import calls as door
from bot.slack.calls import Calls, Later, NotSent, Refused, Unclear, proxied

MANIFEST = Path(__file__).parents[3] / "deploy" / "slack-manifest.yaml"


@pytest.fixture
async def server() -> AsyncIterator[SlackServer]:
    async with SlackServer(load_manifest(MANIFEST)) as server:
        yield server


@pytest.fixture
async def calls(server: SlackServer) -> AsyncIterator[Calls]:
    calls = Calls(server.credentials.bot, server.api_url)
    yield calls
    await calls.close()


def general(server: SlackServer) -> str:
    return server.workspace.channel("general").id


@pytest.mark.parametrize(
    ("fault", "known"),
    [
        (RateLimited(3), Later),
        (ServerError(503), Unclear),
        (ServerError(500, committed=True), Unclear),
        (Drop(), Unclear),
        (Drop(committed=True), Unclear),
        (InvalidJson(), Unclear),
        (Refuse("internal_error"), Unclear),
        (Refuse("is_archived"), Refused),
        (Refuse("ratelimited"), Later),
    ],
    ids=["429", "503", "500", "dropped", "posted and dropped", "no JSON", "a catastrophe", "refused", "rate limited"],
)
async def test_what_is_known_after_a_failed_post(server: SlackServer, calls: Calls, fault: Any, known: Any) -> None:
    server.faults.plan("chat.postMessage", fault)
    with pytest.raises(known) as failed:
        await calls.post(general(server), {"text": "hello"})
    if isinstance(failed.value, Later):
        assert failed.value.seconds == (3.0 if isinstance(fault, RateLimited) else 1.0)
    if isinstance(failed.value, Refused):
        assert failed.value.code == "is_archived"


async def test_an_answer_that_comes_too_late_is_unclear(server: SlackServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "PATIENCE", 0.1)
    calls = Calls(server.credentials.bot, server.api_url)
    server.faults.plan("chat.postMessage", Delay(1.0))
    with pytest.raises(Unclear):
        await calls.post(general(server), {"text": "hello"})
    await calls.close()


async def test_nothing_happened_where_nobody_listens() -> None:
    calls = Calls("xoxb-1", "http://127.0.0.1:1/api/")
    with pytest.raises(NotSent):
        await calls.post("C1", {"text": "hello"})
    await calls.close()


@pytest.mark.parametrize(
    ("fault", "known"),
    [(RateLimited(3), Later), (ServerError(503), NotSent), (Drop(committed=True), Unclear)],
    ids=["429", "503", "shown and dropped"],
)
async def test_what_is_known_after_a_failed_response(server: SlackServer, calls: Calls, fault: Any, known: Any) -> None:
    url = server.response_urls.make(general(server), server.workspace.user("bob").id).address
    server.faults.plan("response_url", fault)
    with pytest.raises(known):
        await calls.respond(url, {"text": "hello"})


async def test_a_response_url_works_until_slack_says_no(server: SlackServer, calls: Calls) -> None:
    url = server.response_urls.make(general(server), server.workspace.user("bob").id).address
    for _ in range(5):
        await calls.respond(url, {"text": "hello"})
    with pytest.raises(Refused, match="http 404"):
        await calls.respond(url, {"text": "hello"})


@pytest.mark.parametrize("in_thread", [True, False], ids=["in a thread", "beside"])
async def test_a_lost_post_is_found_by_its_key_on_any_page(
    server: SlackServer, calls: Calls, monkeypatch: pytest.MonkeyPatch, in_thread: bool
) -> None:
    monkeypatch.setattr(door, "PAGE", 2)
    question = server.people.say("general", "alice", "fits?")
    thread = question.ts if in_thread else None
    body: dict[str, Any] = {"text": "yes"} | ({"thread_ts": thread} if thread else {})
    keyed = {"event_type": "tuning_bot_answer", "event_payload": {"key": "answer:1"}}
    posted = await calls.post(general(server), body | {"metadata": keyed})
    for _ in range(4):
        await calls.post(general(server), body)
    assert await calls.find(general(server), thread, question.ts, "answer:1") == posted
    assert await calls.find(general(server), thread, question.ts, "answer:2") is None


async def test_a_search_for_a_lost_post_ends(
    server: SlackServer, calls: Calls, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door, "PAGE", 1)
    monkeypatch.setattr(door, "MOST_PAGES", 2)
    for _ in range(4):
        await calls.post(general(server), {"text": "yes"})
    assert await calls.find(general(server), None, None, "answer:1") is None


async def test_names_and_languages(server: SlackServer, calls: Calls, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "PAGE", 1)
    assert await calls.channel_name(general(server)) == "general"
    assert await calls.locale(server.workspace.user("xiaoming").id) == "zh-CN"
    assert set((await calls.channels()).values()) == {"general", "serving-zh", "gpu-ops"}
    monkeypatch.setattr(door, "MOST_PAGES", 2)
    assert len(await calls.channels()) == 2


async def test_who_the_bot_is_and_what_it_may(server: SlackServer, calls: Calls) -> None:
    who = await calls.who()
    assert who["user"] == "tuning-bot"
    assert "chat:write" in who["scopes"].split(",")


async def test_links_for_socket_mode(server: SlackServer, calls: Calls) -> None:
    assert (await calls.socket_url(server.credentials.app)).startswith("ws://127.0.0.1:")
    with pytest.raises(Refused):
        await calls.socket_url("xapp-wrong")
    server.violations.clear()


async def test_a_bug_stays_a_bug(calls: Calls) -> None:
    with pytest.raises(TypeError):
        await calls.post("C1", {"text": object()})


@pytest.mark.parametrize(
    ("url", "no_proxy", "kept"),
    [
        ("https://slack.com/api/", "", "http://proxy:3128"),
        ("https://slack.com/api/", "slack.com", None),
        ("http://127.0.0.1:8080/api/", "", None),
        ("http://localhost/api/", "", None),
    ],
    ids=["through the proxy", "excepted", "this machine", "this machine by name"],
)
def test_the_proxy_is_for_what_is_not_here(
    monkeypatch: pytest.MonkeyPatch, url: str, no_proxy: str, kept: str | None
) -> None:
    class Client:
        proxy: str | None = "http://proxy:3128"

    monkeypatch.setenv("NO_PROXY", no_proxy)
    monkeypatch.setenv("no_proxy", no_proxy)
    assert proxied(Client(), url).proxy == kept
