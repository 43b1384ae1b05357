"""Response URLs: what an answer does to the conversation, and how often and how long a URL is good."""

from typing import Any

import aiohttp
import pytest

from bot.playground.server import Rule, SlackServer
from bot.playground.server.responses import ResponseUrl


@pytest.fixture
def url(server: SlackServer) -> ResponseUrl:
    """One for a command that Alice typed."""
    return server.response_urls.make(server.workspace.channel("general").id, server.workspace.user("alice").id)


async def respond(url: ResponseUrl, **request: Any) -> tuple[int, str]:
    async with aiohttp.ClientSession() as session, session.post(url.address, **request) as answer:
        return answer.status, await answer.text()


async def test_an_answer_is_for_the_asker_or_for_the_channel(server: SlackServer, url: ResponseUrl) -> None:
    assert await respond(url, json={"text": "for you"}) == (200, "ok")
    assert await respond(url, json={"text": "for all", "response_type": "in_channel"}) == (200, "ok")
    assert [shown.text for shown in server.observed.ephemerals("alice")] == ["for you"]
    assert [shown.text for shown in server.observed.by_app("general")] == ["for all"]
    assert not list(server.violations)


async def test_the_clicked_message_is_replaced_or_deleted(server: SlackServer, client: Any) -> None:
    channel = server.workspace.channel("general")
    alice = server.workspace.user("alice").id
    posted = await client.chat_postMessage(channel=channel.id, text="old")
    message = channel.messages[posted["ts"]]
    url = server.response_urls.make(channel.id, alice, message)
    await respond(url, json={"text": "new", "replace_original": True})
    assert message.text == "new"
    await respond(url, json={"delete_original": True})
    assert message.deleted


async def test_an_ephemeral_message_is_replaced_or_deleted_only_here(server: SlackServer, url: ResponseUrl) -> None:
    await respond(url, json={"text": "old"})
    (shown,) = server.observed.ephemerals("alice")
    again = server.response_urls.make(shown.channel, shown.user, shown)
    await respond(again, json={"text": "new", "replace_original": True})
    assert shown.text == "new"
    await respond(again, json={"delete_original": True})
    assert server.observed.ephemerals("alice") == []
    await respond(url, json={"delete_original": True})


async def test_a_url_is_good_for_five_answers(server: SlackServer, url: ResponseUrl) -> None:
    answers = [await respond(url, json={"text": "x"}) for _ in range(6)]
    assert [status for status, _ in answers] == [200] * 5 + [404]
    assert "used_url" in answers[5][1]
    assert [violation.rule for violation in server.violations] == [Rule.REFUSED]


async def test_a_url_is_good_for_thirty_minutes(server: SlackServer, url: ResponseUrl, clock: Any) -> None:
    clock.forward(1799)
    assert (await respond(url, json={"text": "x"}))[0] == 200
    clock.forward(2)
    status, body = await respond(url, json={"text": "x"})
    assert (status, "expired_url" in body) == (404, True)


@pytest.mark.parametrize(
    ("request_body", "error"),
    [
        ({"data": "not json"}, "invalid_payload"),
        ({"json": ["x"]}, "invalid_payload"),
        ({"json": {"text": ""}}, "no_text"),
        ({"json": {"text": "x", "blocks": [{"type": "div"}]}}, "invalid_blocks"),
        ({"json": {"text": "x", "replace_original": "maybe"}}, "invalid_arguments"),
    ],
)
async def test_a_senseless_answer_is_refused(url: ResponseUrl, request_body: dict[str, Any], error: str) -> None:
    status, body = await respond(url, **request_body)
    assert (status, error in body) == (400, True)


async def test_a_made_up_url_leads_nowhere(server: SlackServer, url: ResponseUrl) -> None:
    url.address += "0"
    assert (await respond(url, json={"text": "x"}))[0] == 404
    assert len(server.violations) == 1
