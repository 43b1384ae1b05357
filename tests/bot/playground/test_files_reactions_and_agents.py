"""Uploads and downloads, reactions, the agent view's status and prompts, streamed messages."""

from dataclasses import replace
from typing import Any

import aiohttp
import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground.server import Manifest, Rule, SlackServer


@pytest.fixture
def general(server: SlackServer) -> str:
    return server.workspace.channel("general").id


async def test_a_file_is_uploaded_and_shared_in_a_thread(
    server: SlackServer, client: AsyncWebClient, general: str
) -> None:
    question = server.people.say("general", "alice", "show me")
    answer = await client.files_upload_v2(
        channel=general, thread_ts=question.ts, filename="chart.png", content=b"\x89PNG", initial_comment="here"
    )
    (shared,) = server.observed.replies(question)
    assert answer["files"][0]["id"] == shared.files[0]["id"]
    assert (shared.text, shared.files[0]["name"]) == ("here", "chart.png")
    assert server.workspace.files[shared.files[0]["id"]].content == b"\x89PNG"
    assert (await client.files_info(file=shared.files[0]["id"]))["file"]["title"] == "chart.png"
    assert not list(server.violations)


async def upload(address: str, content: bytes, **request: Any) -> int:
    async with aiohttp.ClientSession() as session, session.post(address, data=content, **request) as answer:
        return answer.status


async def test_an_upload_holds_what_was_announced_and_is_taken_once(
    server: SlackServer, client: AsyncWebClient, refused: Any
) -> None:
    started = await client.files_getUploadURLExternal(filename="a.txt", length=3)
    unfinished = client.files_completeUploadExternal(files=[{"id": started["file_id"], "title": None}])
    assert (await refused(unfinished))["error"] == "file_not_found"
    assert await upload(started["upload_url"], b"four") == 400
    assert await upload(started["upload_url"], b"abc") == 200
    assert await upload(started["upload_url"], b"abc") == 404
    assert await upload(started["upload_url"] + "0", b"abc") == 404
    done = await client.files_completeUploadExternal(files=[{"id": started["file_id"], "title": "A"}])
    assert done["files"] == [{"id": started["file_id"], "title": "A"}]
    assert [violation.where for violation in server.violations] == [
        "files.completeUploadExternal",
        "files.completeUploadExternal",
        "upload",
    ]


async def test_a_multipart_upload_is_taken_apart(server: SlackServer, client: AsyncWebClient) -> None:
    started = await client.files_getUploadURLExternal(filename="a.txt", length=3)
    form = aiohttp.FormData()
    form.add_field("filename", b"abc", filename="a.txt")
    async with aiohttp.ClientSession() as session, session.post(started["upload_url"], data=form) as answer:
        assert answer.status == 200
    empty = aiohttp.FormData({"a": "b"})
    empty.add_field("c", "d", content_type="text/plain")
    started = await client.files_getUploadURLExternal(filename="a.txt", length=3)
    async with aiohttp.ClientSession() as session, session.post(started["upload_url"], data=empty) as answer:
        assert answer.status == 400


@pytest.mark.parametrize(
    ("method", "arguments", "error"),
    [
        ("files.getUploadURLExternal", {"filename": "a", "length": 0}, "invalid_arguments"),
        ("files.getUploadURLExternal", {"filename": "a"}, "invalid_arguments"),
        ("files.completeUploadExternal", {"files": [{"id": "F404"}]}, "file_not_found"),
        ("files.completeUploadExternal", {"files": []}, "invalid_arguments"),
        ("files.info", {"file": "F404"}, "file_not_found"),
    ],
)
async def test_a_file_call_is_refused(
    client: AsyncWebClient, refused: Any, method: str, arguments: dict[str, Any], error: str
) -> None:
    form = {name: str(value).replace("'", '"') for name, value in arguments.items()}
    assert (await refused(client.api_call(method, data=form)))["error"] == error


async def test_a_thread_takes_a_file_in_one_channel_only(
    server: SlackServer, client: AsyncWebClient, refused: Any, general: str
) -> None:
    question = server.people.say("general", "alice", "show me")
    started = await client.files_getUploadURLExternal(filename="a.txt", length=3)
    await upload(started["upload_url"], b"abc")
    files = [{"id": started["file_id"], "title": None}]
    two = [general, server.workspace.channel("gpu-ops").id]
    call = client.files_completeUploadExternal(files=files, channels=two, thread_ts=question.ts)
    assert (await refused(call))["error"] == "invalid_arguments"
    assert (await client.files_completeUploadExternal(files=files, channels=two))["ok"]
    assert server.workspace.files[started["file_id"]].shared == two


async def test_an_attached_file_is_downloaded_with_the_bots_token(server: SlackServer) -> None:
    file = server.people.attach("alice", "vllm.log", b"ERROR out of memory")
    server.people.say("general", "alice", "why?", files=[file])

    async def fetch(token: str) -> str:
        headers = {"Authorization": f"Bearer {token}"}
        async with aiohttp.ClientSession() as session, session.get(file["url_private"], headers=headers) as answer:
            return await answer.text()

    assert await fetch(server.credentials.bot) == "ERROR out of memory"
    assert "Sign in" in await fetch("somebody")
    assert [(v.rule, v.where) for v in server.violations] == [(Rule.REFUSED, "download")]


async def test_a_reaction_is_added_once_and_taken_back(manifest: Manifest, client_for: Any, refused: Any) -> None:
    async with SlackServer(replace(manifest, scopes=manifest.scopes | {"reactions:write"})) as server:
        client = client_for(server)
        question = server.people.say("general", "alice", "hello")
        mark = {"channel": question.channel, "timestamp": question.ts}
        await client.reactions_add(name="eyes", **mark)
        assert question.reactions == {"eyes": [server.workspace.team.bot_user]}
        assert (await refused(client.reactions_add(name="eyes", **mark)))["error"] == "already_reacted"
        assert (await refused(client.reactions_add(name=":eyes:", **mark)))["error"] == "invalid_name"
        await client.reactions_remove(name="eyes", **mark)
        assert (await refused(client.reactions_remove(name="eyes", **mark)))["error"] == "no_reaction"


async def test_a_reaction_needs_its_scope(server: SlackServer, client: AsyncWebClient, refused: Any) -> None:
    question = server.people.say("general", "alice", "hello")
    call = client.reactions_add(name="eyes", channel=question.channel, timestamp=question.ts)
    assert (await refused(call))["needed"] == "reactions:write"


async def test_a_status_line_stays_until_the_answer_comes(server: SlackServer, client: AsyncWebClient) -> None:
    question = server.people.direct_message("alice", "hello")
    where = {"channel_id": question.channel, "thread_ts": question.ts}
    await client.assistant_threads_setStatus(status="is counting bytes", loading_messages=["one"], **where)
    thread = server.workspace.agent_thread(question.channel, question.ts)
    assert thread.status == "is counting bytes"
    await client.chat_postMessage(channel=question.channel, thread_ts=question.ts, text="it fits")
    assert (thread.status, thread.statuses) == ("", ["is counting bytes"])


async def test_titles_prompts_and_sessions(server: SlackServer, client: AsyncWebClient) -> None:
    question = server.people.direct_message("alice", "hello")
    where = {"channel_id": question.channel, "thread_ts": question.ts}
    prompts = [{"title": "Fit", "message": "Will it fit?"}] * 4
    await client.assistant_threads_setTitle(title="Fit of a 72B", **where)
    await client.assistant_threads_setSuggestedPrompts(channel_id=question.channel, prompts=prompts)
    await client.api_call("agents.sessions.setStatus", json={"status": "active", **where})
    thread = server.workspace.agent_thread(question.channel, question.ts)
    assert (thread.title, thread.prompts, thread.session) == ("Fit of a 72B", prompts, "active")


@pytest.mark.parametrize(
    ("method", "arguments", "error"),
    [
        ("assistant.threads.setStatus", {"status": "x", "thread_ts": "1712345678.000100"}, "invalid_thread_ts"),
        ("assistant.threads.setStatus", {"status": "x", "loading_messages": ["m"] * 11}, "invalid_arguments"),
        (
            "assistant.threads.setSuggestedPrompts",
            {"prompts": [{"title": "t", "message": "m"}] * 5},
            "invalid_arguments",
        ),
        ("assistant.threads.setSuggestedPrompts", {"prompts": [{"title": "t"}]}, "invalid_arguments"),
        ("agents.sessions.setStatus", {"status": "asleep"}, "invalid_arguments"),
        ("agents.sessions.setStatus", {"status": "active", "title": "t" * 201}, "invalid_arguments"),
    ],
    ids=["thread", "ten loading messages", "four prompts", "prompts have messages", "statuses", "title length"],
)
async def test_an_agent_call_is_refused(
    server: SlackServer, client: AsyncWebClient, refused: Any, method: str, arguments: dict[str, Any], error: str
) -> None:
    question = server.people.direct_message("alice", "hello")
    where = {"channel_id": question.channel, "thread_ts": question.ts}
    assert (await refused(client.api_call(method, json=where | arguments)))["error"] == error


async def test_the_agent_view_must_be_in_the_manifest(manifest: Manifest, client_for: Any, refused: Any) -> None:
    for change, error in (({"agent_view": False}, "not_enabled"), ({"scopes": frozenset()}, "missing_scope")):
        bare = replace(manifest, **({"events": frozenset(), "commands": frozenset()} | change))
        async with SlackServer(bare) as server:
            question = server.people.direct_message("alice", "hello")
            call = client_for(server).assistant_threads_setStatus(
                channel_id=question.channel, thread_ts=question.ts, status="x"
            )
            assert (await refused(call))["error"] == error


async def test_a_streamed_message_grows_and_is_finished(server: SlackServer, client: AsyncWebClient) -> None:
    question = server.people.direct_message("alice", "hello")
    channel = server.workspace.channel(question.channel)
    started = await client.chat_startStream(channel=channel.id, thread_ts=question.ts, markdown_text="It ")
    at = {"channel": channel.id, "ts": started["ts"]}
    await client.chat_appendStream(markdown_text="fi", **at)
    await client.chat_appendStream(chunks=[{"type": "markdown_text", "text": "ts"}], **at)
    metadata = {"event_type": "answer", "event_payload": {"key": "k"}}
    await client.chat_stopStream(markdown_text=".", blocks=[{"type": "divider"}], metadata=metadata, **at)
    message = channel.messages[started["ts"]]
    assert (message.text, message.metadata, message.streaming) == ("It fits.", metadata, False)
    assert not list(server.violations)


@pytest.mark.parametrize(
    ("method", "arguments", "error"),
    [
        ("chat.startStream", {"thread_ts": "1712345678.000100"}, "invalid_thread_ts"),
        ("chat.startStream", {"task_display_mode": "sideways"}, "invalid_arguments"),
        ("chat.startStream", {"markdown_text": "x" * 12_001}, "msg_too_long"),
        (
            "chat.startStream",
            {"markdown_text": "x", "chunks": [{"type": "markdown_text", "text": "x"}]},
            "markdown_text_conflict",
        ),
        ("chat.startStream", {"chunks": [{"type": "plan_update", "title": "x" * 257}]}, "invalid_arguments"),
        ("chat.appendStream", {"markdown_text": ""}, "no_text"),
        ("chat.stopStream", {"blocks": [{"type": "div"}]}, "invalid_blocks"),
        ("chat.stopStream", {"metadata": {}}, "invalid_metadata_format"),
        ("chat.appendStream", {"ts": "QUESTION", "markdown_text": "x"}, "message_not_in_streaming_state"),
    ],
    ids=[
        "an unknown thread",
        "display mode",
        "12,000 characters",
        "text or chunks",
        "chunk fields",
        "something to append",
        "blocks",
        "metadata",
        "only what is streaming",
    ],
)
async def test_a_stream_call_is_refused(
    server: SlackServer, client: AsyncWebClient, refused: Any, method: str, arguments: dict[str, Any], error: str
) -> None:
    question = server.people.direct_message("alice", "hello")
    started = await client.chat_startStream(channel=question.channel, thread_ts=question.ts)
    base = {"channel": question.channel}
    base |= {"thread_ts": question.ts} if method == "chat.startStream" else {"ts": started["ts"]}
    given = {name: question.ts if value == "QUESTION" else value for name, value in arguments.items()}
    assert (await refused(client.api_call(method, json=base | given)))["error"] == error


async def test_a_stream_in_a_channel_names_its_recipient(
    server: SlackServer, client: AsyncWebClient, refused: Any, general: str
) -> None:
    question = server.people.say("general", "alice", "hello")
    call = client.chat_startStream(channel=general, thread_ts=question.ts)
    assert (await refused(call))["error"] == "missing_recipient_user_id"
    recipient: dict[str, Any] = {"recipient_user_id": question.user, "recipient_team_id": server.workspace.team.id}
    assert (await client.chat_startStream(channel=general, thread_ts=question.ts, **recipient))["ok"]
