"""What every method insists on: the right token, its scopes, its arguments, a body that can be read."""

import json
from dataclasses import replace
from typing import Any

import aiohttp
import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground.server import Manifest, Rule, SlackServer


async def post(server: SlackServer, method: str, **request: Any) -> Any:
    """A call without Slack's client, so that everything about it can be wrong."""
    headers = {"Authorization": f"Bearer {server.credentials.bot}"} | request.pop("headers", {})
    async with (
        aiohttp.ClientSession() as session,
        session.post(server.api_url + method, headers=headers, **request) as r,
    ):
        return await r.json()


async def test_auth_test_says_who_the_app_is(server: SlackServer, client: AsyncWebClient) -> None:
    answer = await client.auth_test()
    team = server.workspace.team
    assert (answer["user_id"], answer["bot_id"], answer["team_id"]) == (team.bot_user, team.bot_id, team.id)
    assert "chat:write" in answer.headers["X-OAuth-Scopes"].split(",")


@pytest.mark.parametrize(
    ("token", "error"),
    [("", "not_authed"), ("xoxb-somebody-else", "invalid_auth"), ("APP", "not_allowed_token_type")],
    ids=["no token", "a foreign token", "the app's token"],
)
async def test_a_bot_method_takes_the_bot_token_alone(server: SlackServer, token: str, error: str) -> None:
    given = server.credentials.app if token == "APP" else token
    headers = {"Authorization": f"Bearer {given}" if given else ""}
    assert (await post(server, "auth.test", headers=headers))["error"] == error


async def test_connections_are_opened_with_the_app_token_in_the_header_alone(
    server: SlackServer, client: AsyncWebClient, refused: Any
) -> None:
    opened = await client.apps_connections_open(app_token=server.credentials.app)
    assert opened["url"].startswith("ws://127.0.0.1")
    answer = await refused(client.apps_connections_open(app_token=server.credentials.bot))
    assert answer["error"] == "not_allowed_token_type"
    in_body = {"token": server.credentials.app}
    answer = await post(server, "apps.connections.open", data=in_body, headers={"Authorization": ""})
    assert answer["error"] == "not_authed"


async def test_socket_mode_must_be_switched_on(manifest: Manifest) -> None:
    async with SlackServer(replace(manifest, socket_mode=False)) as server:
        headers = {"Authorization": f"Bearer {server.credentials.app}"}
        assert (await post(server, "apps.connections.open", headers=headers))["error"] == "socket_mode_not_enabled"


async def test_a_scope_that_the_manifest_lacks_is_named(manifest: Manifest) -> None:
    async with SlackServer(replace(manifest, scopes=manifest.scopes - {"users:read"})) as server:
        answer = await post(server, "users.info", params={"user": server.workspace.user("alice").id})
    assert (answer["error"], answer["needed"]) == ("missing_scope", "users:read")
    assert [v.where for v in server.violations.of(Rule.REFUSED)] == ["users.info"]


async def test_an_unknown_method_is_refused(server: SlackServer) -> None:
    assert (await post(server, "chat.shout"))["error"] == "unknown_method"


async def test_a_missing_argument_is_named(server: SlackServer) -> None:
    answer = await post(server, "chat.postMessage", json={"text": "hi"})
    assert answer["error"] == "invalid_arguments"
    assert answer["response_metadata"]["messages"] == ["[ERROR] missing required field: channel"]


@pytest.mark.parametrize(
    ("arguments", "pointer"),
    [
        ({"channel": "C1", "text": True}, "/text"),
        ({"channel": "C1", "text": "x", "blocks": "[oops"}, "/blocks"),
        ({"channel": "C1", "text": "x", "blocks": {}}, "/blocks"),
        ({"channel": "C1", "text": "x", "metadata": []}, "/metadata"),
        ({"channel": "C1", "text": "x", "thread_ts": 1712345678.0001}, "/thread_ts"),
        ({"channel": "C1", "text": "x", "thread_ts": "yesterday"}, "/thread_ts"),
        ({"channel": "C1", "text": "x", "unfurl_links": "perhaps"}, "/unfurl_links"),
    ],
    ids=lambda value: value if isinstance(value, str) else next(reversed(value)),
)
async def test_an_argument_of_the_wrong_type_is_pointed_at(
    server: SlackServer, arguments: dict[str, Any], pointer: str
) -> None:
    answer = await post(server, "chat.postMessage", json=arguments)
    assert answer["error"] == "invalid_arguments"
    assert answer["response_metadata"]["messages"][0].endswith(f"[json-pointer:{pointer}]")


async def test_an_integer_is_an_integer(server: SlackServer) -> None:
    channel = server.workspace.channel("general").id
    answer = await post(server, "conversations.history", data={"channel": channel, "limit": "all"})
    assert answer["error"] == "invalid_arguments"
    assert (await post(server, "conversations.history", data={"channel": channel, "limit": "5"}))["ok"]


async def test_an_unknown_argument_is_let_pass_and_recorded(server: SlackServer, client: AsyncWebClient) -> None:
    assert (await client.auth_test(colour="blue"))["ok"]
    assert [v.detail for v in server.violations.of(Rule.UNKNOWN_ARGUMENT)] == ["`colour`"]


async def test_blocks_may_be_json_text_in_a_form(server: SlackServer) -> None:
    channel = server.workspace.channel("general").id
    form = {"channel": channel, "text": "x", "blocks": json.dumps([{"type": "divider"}])}
    assert (await post(server, "chat.postMessage", data=form))["ok"]


async def test_a_method_that_only_reads_sees_nothing_in_a_json_body(server: SlackServer) -> None:
    channel = server.workspace.channel("general").id
    assert (await post(server, "conversations.info", json={"channel": channel}))["error"] == "invalid_arguments"
    assert (await post(server, "conversations.info", params={"channel": channel}))["ok"]


@pytest.mark.parametrize(
    ("body", "content_type", "error"),
    [
        ("{oops", "application/json", "invalid_json"),
        ("[]", "application/json", "json_not_object"),
        ("hello", "text/plain", "invalid_post_type"),
    ],
)
async def test_a_body_that_cannot_be_read_is_refused(
    server: SlackServer, body: str, content_type: str, error: str
) -> None:
    answer = await post(server, "chat.postMessage", data=body, headers={"Content-Type": content_type})
    assert answer["error"] == error


async def test_json_without_a_charset_is_warned_about(server: SlackServer) -> None:
    answer = await post(server, "auth.test", data="{}", headers={"Content-Type": "application/json"})
    assert (answer["ok"], answer["warning"]) == (True, "missing_charset")


async def test_every_call_is_written_down(server: SlackServer, client: AsyncWebClient, refused: Any) -> None:
    await client.auth_test()
    await refused(client.chat_postMessage(channel="C404", text="lost"))
    (good, bad) = server.web_api.calls
    assert (good.method, good.ok) == ("auth.test", True)
    assert (bad.method, bad.ok, bad.arguments["text"], bad.body["error"]) == (
        "chat.postMessage",
        False,
        "lost",
        "channel_not_found",
    )


async def test_what_the_world_did_is_no_violation_and_what_the_app_did_is(
    server: SlackServer, client: AsyncWebClient, refused: Any
) -> None:
    await refused(client.chat_postMessage(channel="C404", text="the channel is gone"))
    assert not list(server.violations)
    empty = {"channel": server.workspace.channel("general").id}
    await refused(client.api_call("chat.postMessage", json=empty))
    assert [(v.rule, v.where, v.detail) for v in server.violations] == [(Rule.REFUSED, "chat.postMessage", "no_text")]
    assert str(server.violations) == "refused in chat.postMessage: no_text"
    server.violations.clear()
    assert len(server.violations) == 0
