"""The control API and the server as a process: everything that a test in the same process can do, over HTTP."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground.server import SlackServer

DEADLINE = 20


class Remote:
    """Speaks to a control API."""

    def __init__(self, base: str) -> None:
        self.base = base

    async def call(self, name: str, **given: Any) -> Any:
        return (await self.status_and_answer(name, json=given))[1]["result"]

    async def status_and_answer(self, name: str, **request: Any) -> tuple[int, Any]:
        url = f"{self.base}/control/{name}"
        async with aiohttp.ClientSession() as session, session.post(url, **request) as answer:
            return answer.status, await answer.json()


@pytest.fixture
def remote(server: SlackServer) -> Remote:
    return Remote(server.address.http)


@pytest.fixture
async def bolt(app: AsyncApp, connect: Any) -> AsyncApp:
    """An app that answers everything with the word for it."""
    button = {"type": "button", "action_id": "go", "text": {"type": "plain_text", "text": "Go"}}
    text = {"type": "plain_text_input", "action_id": "text"}
    label = {"type": "plain_text", "text": "x"}
    modal = {
        "type": "modal",
        "title": label,
        "submit": label,
        "blocks": [{"type": "input", "label": label, "element": text}],
    }

    @app.event("message")
    async def message(event: dict[str, Any], client: AsyncWebClient) -> None:
        if event.get("subtype") or event.get("bot_id"):
            return
        blocks = [{"type": "actions", "elements": [button]}]
        await client.chat_postMessage(channel=event["channel"], thread_ts=event["ts"], text="answer", blocks=blocks)

    @app.command("/vllm")
    async def command(ack: Any, body: dict[str, Any], client: AsyncWebClient) -> None:
        await ack("ephemeral")
        await client.views_open(trigger_id=body["trigger_id"], view=modal)

    async def acknowledge(ack: Any) -> None:
        await ack()

    async def nothing() -> None:
        return None

    app.action("go")(acknowledge)
    app.view("")(acknowledge)
    app.shortcut("diagnose_log")(acknowledge)
    app.event("app_home_opened")(nothing)
    app.event("app_mention")(nothing)
    await connect(app)
    return app


async def test_a_conversation_is_held_over_http(remote: Remote, bolt: AsyncApp) -> None:
    files = [{"name": "vllm.log", "content": "ERROR"}]
    question = await remote.call("say", channel="general", user="alice", text="hello", files=files)
    at = {"channel": question["channel"], "ts": question["ts"]}
    assert question["files"][0]["name"] == "vllm.log"
    await remote.call("edit", text="hello again", **at)
    direct = await remote.call("direct_message", user="bob", text="hello")
    (answer,) = await remote.call("wait_for_answers", channel=direct["channel"], ts=direct["ts"], within=3)
    clicked = await remote.call("click", user="bob", channel=answer["channel"], ts=answer["ts"], action_id="go")
    assert clicked["failures"] == []
    stale = {"type": "button", "action_id": "go", "block_id": "b"}
    assert (await remote.call("act", user="bob", channel=answer["channel"], ts=answer["ts"], action=stale))["finished"]
    assert (await remote.call("shortcut", user="alice", callback_id="diagnose_log", **at))["finished"]
    await remote.call("open_home", user="alice", tab="messages")
    await remote.call("delete", **at)
    await remote.call("quiet")
    assert await remote.call("violations") == []
    assert len(await remote.call("calls")) >= 1
    assert {delivery["kind"] for delivery in await remote.call("deliveries")} == {"events_api", "interactive"}


async def test_a_command_a_modal_and_an_ephemeral_message(remote: Remote, bolt: AsyncApp) -> None:
    await remote.call("slash", channel="general", user="alice", command="/vllm", text="x")
    (shown,) = await remote.call("wait_for_ephemerals", user="alice")
    assert shown["text"] == "ephemeral"
    (view,) = (await remote.call("state"))["views"].values()
    assert (await remote.call("submit", view=view["id"], values={"text": "words"}))["finished"]
    assert (await remote.call("state"))["views"] == {}
    stale = {"type": "button", "action_id": "go", "block_id": "b"}
    assert (await remote.call("act", user="alice", ephemeral=shown["ts"], action=stale))["finished"]


async def test_faults_disconnects_and_cuts_are_ordered_over_http(remote: Remote, bolt: AsyncApp) -> None:
    await remote.call("fault", target="chat.postMessage", kind="refuse", times=99, **{"with": {"code": "fatal_error"}})
    await remote.call("disconnect")
    await remote.call("cut")
    direct = await remote.call("direct_message", user="bob", text="hello")
    status, answer = await remote.status_and_answer(
        "wait_for_answers", json={"channel": direct["channel"], "ts": direct["ts"], "within": 0.05}
    )
    assert (status, answer["ok"]) == (408, False)
    assert {call["body"].get("error") for call in await remote.call("calls")} <= {"fatal_error", None}


@pytest.mark.parametrize(
    ("name", "request_body", "status", "words"),
    [
        ("shout", {}, 404, "wait_for_answers"),
        ("say", {"data": "{oops"}, 400, "Expecting"),
        ("say", {"json": {"channel": "general", "user": "alice"}}, 400, "`text` is missing"),
        ("say", {"json": {"channel": "nowhere", "user": "alice", "text": "x"}}, 400, "no channel `nowhere`"),
        ("edit", {"json": {"channel": "general", "ts": "1.2", "text": "x"}}, 400, "`1.2`"),
        ("click", {"json": {"view": "V404", "user": "alice", "action_id": "a"}}, 400, "not_found"),
        ("fault", {"json": {"target": "x", "kind": "delay", "with": {"hours": 1}}}, 400, "hours"),
    ],
)
async def test_a_wrong_request_is_told_what_is_wrong(
    remote: Remote, name: str, request_body: dict[str, Any], status: int, words: str
) -> None:
    got, answer = await remote.status_and_answer(name, **request_body)
    assert (got, answer["ok"]) == (status, False)
    assert words in answer["error"]


@pytest.fixture
async def process(tmp_path: Path) -> AsyncIterator[asyncio.subprocess.Process]:
    described = {"people": [{"name": "zoe"}], "rooms": [{"name": "lab", "members": ["zoe"]}]}
    workspace = tmp_path / "workspace.json"
    workspace.write_text(json.dumps(described))
    command = [sys.executable, "-m", "bot.playground.server", "--workspace", str(workspace)]
    started = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    yield started
    if started.returncode is None:
        started.kill()
        await started.wait()


async def test_the_server_runs_as_a_process_until_it_is_told_to_stop(process: Any) -> None:
    async with asyncio.timeout(DEADLINE):
        environment = json.loads(await process.stdout.readline())
        client = AsyncWebClient(token=environment["SLACK_BOT_TOKEN"], base_url=environment["SLACK_API_URL"])
        assert (await client.auth_test())["ok"]
        remote = Remote(environment["SLACK_API_URL"].removesuffix("/api/"))
        state = await remote.call("state")
        assert [channel["name"] for channel in state["channels"].values()] == ["lab"]
        process.terminate()
        assert await process.wait() == 0
