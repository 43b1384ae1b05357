"""What the app hears of: messages, mentions, edits, deletions, files; and what it does not."""

from dataclasses import replace
from typing import Any

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground.server import Manifest, ManifestError, SlackServer
from bot.playground.server.workspace import UnknownName


async def test_a_message_reaches_the_app_where_it_is_a_member(server: SlackServer) -> None:
    server.people.say("general", "alice", "public")
    server.people.say("gpu-ops", "bob", "private")
    server.people.say("random", "bob", f"{server.mention} unheard")
    server.people.direct_message("bob", "direct")
    heard = [(d.name, d.payload["event"]["text"]) for d in server.deliveries.all]
    assert heard == [("message.channels", "public"), ("message.groups", "private"), ("message.im", "direct")]


async def test_a_mention_causes_two_events_with_two_ids(server: SlackServer) -> None:
    server.people.say("general", "alice", f"{server.mention} hello")
    message, mention = (delivery.payload for delivery in server.deliveries.all)
    assert (message["event"]["type"], mention["event"]["type"]) == ("message", "app_mention")
    assert message["event_id"] != mention["event_id"]
    assert mention["event"]["ts"] == message["event"]["ts"]


async def test_a_mention_in_a_direct_message_is_a_message_only(server: SlackServer) -> None:
    server.people.direct_message("alice", f"{server.mention} hello")
    assert [delivery.name for delivery in server.deliveries.all] == ["message.im"]


async def test_an_edit_shows_both_texts_and_mentions_again(server: SlackServer) -> None:
    question = server.people.say("general", "alice", "hello")
    server.people.edit(question, f"{server.mention} hello")
    _, changed, mention = (delivery.payload["event"] for delivery in server.deliveries.all)
    assert (changed["subtype"], changed["hidden"]) == ("message_changed", True)
    assert changed["previous_message"]["text"] == "hello"
    assert changed["message"]["edited"]["user"] == question.user
    assert (mention["type"], "edited" in mention) == ("app_mention", True)


async def test_a_preview_changes_a_message_without_editing_it(server: SlackServer) -> None:
    question = server.people.say("general", "alice", f"{server.mention} https://example.com")
    server.people.unfurl(question)
    changed = server.deliveries.all[-1].payload["event"]
    assert changed["subtype"] == "message_changed"
    assert changed["message"]["text"] == changed["previous_message"]["text"]
    assert "edited" not in changed["message"]


async def test_a_deletion_names_what_was_there(server: SlackServer) -> None:
    question = server.people.say("general", "alice", "hello")
    server.people.delete(question)
    deleted = server.deliveries.all[-1].payload["event"]
    assert (deleted["subtype"], deleted["deleted_ts"]) == ("message_deleted", question.ts)
    assert deleted["previous_message"]["text"] == "hello"


async def test_a_deleted_parent_of_a_thread_leaves_a_tombstone(server: SlackServer) -> None:
    question = server.people.say("general", "alice", "hello")
    server.people.say("general", "bob", "and?", thread_ts=question.ts)
    author = question.user
    server.people.delete(question)
    changed = server.deliveries.all[-1].payload["event"]
    assert changed["subtype"] == "message_changed"
    assert (changed["message"]["subtype"], changed["message"]["text"]) == ("tombstone", "This message was deleted.")
    assert changed["previous_message"]["user"] == author


async def test_the_app_hears_its_own_words(server: SlackServer, client: AsyncWebClient) -> None:
    question = server.people.say("general", "alice", "hello")
    await client.chat_postMessage(
        channel=question.channel, text=f"hi {server.mention}", thread_ts=question.ts, reply_broadcast=True
    )
    own = server.deliveries.all[-1].payload["event"]
    assert (own["type"], own["subtype"], own["bot_id"]) == ("message", "thread_broadcast", server.workspace.team.bot_id)
    assert own["parent_user_id"] == question.user


async def test_a_shared_file_comes_with_its_message(server: SlackServer) -> None:
    server.people.direct_message("alice", "why?", files=[server.people.attach("alice", "vllm.log", b"x")])
    event = server.deliveries.all[-1].payload["event"]
    assert (event["subtype"], event["files"][0]["name"]) == ("file_share", "vllm.log")


async def test_only_what_the_manifest_subscribes_to_is_delivered(manifest: Manifest) -> None:
    async with SlackServer(replace(manifest, events=frozenset({"app_mention"}))) as server:
        server.people.say("general", "alice", f"hello {server.mention}")
        assert [delivery.name for delivery in server.deliveries.all] == ["app_mention"]


@pytest.mark.parametrize(
    "impossible",
    [
        lambda server: server.people.say("random", "xiaoming", "not a member"),
        lambda server: server.people.say("nowhere", "alice", "x"),
    ],
    ids=["not a member", "no such channel"],
)
async def test_people_write_only_where_they_are(server: SlackServer, impossible: Any) -> None:
    with pytest.raises(UnknownName):
        impossible(server)


def test_a_read_only_messages_tab_keeps_people_from_writing(manifest: Manifest) -> None:
    with pytest.raises(UnknownName, match="write to the app"):
        SlackServer(replace(manifest, messages_tab=False)).people.direct_message("alice", "x")


BASE: dict[str, Any] = {"display_information": {"name": "App"}}


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        ({"settings": {"event_subscriptions": {"bot_events": ["app_mention"]}}}, "app_mentions:read"),
        ({"settings": {"event_subscriptions": {"bot_events": ["moon_landing"]}}}, "not an event"),
        ({"features": {"slash_commands": [{"command": "/x", "description": "x"}]}}, "commands"),
        (
            {"features": {"shortcuts": [{"callback_id": "x", "type": "global"}]}},
            "interactivity",
        ),
    ],
    ids=["an event without its scope", "an unknown event", "a command without its scope", "a shortcut"],
)
def test_a_manifest_that_cannot_work_is_refused(raw: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ManifestError, match=sentence):
        Manifest.read(BASE | raw)


def test_a_bare_manifest_is_named_after_the_app() -> None:
    bare = Manifest.read(BASE)
    assert (bare.bot_name, bare.scopes, bare.socket_mode, bare.messages_tab) == ("App", frozenset(), False, False)
