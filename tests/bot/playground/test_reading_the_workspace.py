"""`conversations.*`, `users.*`: what an app can read, page by page, and what its scopes keep from it."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from pydantic import ValidationError
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground.server import Described, Manifest, Person, Room, SlackServer
from bot.playground.server.workspace import UnknownName

METADATA = {"event_type": "answer", "event_payload": {"key": "k1"}}


@pytest.fixture
def general(server: SlackServer) -> str:
    return server.workspace.channel("general").id


async def test_a_channel_is_described(server: SlackServer, client: AsyncWebClient, refused: Any, general: str) -> None:
    shown = (await client.conversations_info(channel=general, include_num_members=True))["channel"]
    assert (shown["name"], shown["is_private"], shown["is_member"], shown["num_members"]) == ("general", False, True, 4)
    direct = server.workspace.direct("alice")
    assert (await refused(client.conversations_info(channel=direct.id)))["needed"] == "im:read"


async def test_what_the_bot_was_not_invited_to_is_hidden_or_closed(
    server: SlackServer, client: AsyncWebClient, refused: Any
) -> None:
    public = server.workspace.channel("random").id
    assert not (await client.conversations_info(channel=public))["channel"]["is_member"]
    assert (await refused(client.conversations_history(channel=public)))["error"] == "not_in_channel"
    private = server.workspace.channel("gpu-ops")
    private.members.discard(server.workspace.team.bot_user)
    assert (await refused(client.conversations_info(channel=private.id)))["error"] == "channel_not_found"


async def test_channels_are_listed_by_type(server: SlackServer, client: AsyncWebClient, refused: Any) -> None:
    async def names(**asked: Any) -> list[str]:
        return [channel["name"] for channel in (await client.conversations_list(**asked))["channels"]]

    assert await names() == ["general", "serving-zh", "random", "old-project"]
    assert await names(types="public_channel,private_channel", exclude_archived=True) == [
        "general",
        "serving-zh",
        "gpu-ops",
        "random",
    ]
    assert (await refused(client.conversations_list(types="secret")))["error"] == "invalid_types"
    assert (await refused(client.conversations_list(types="im")))["needed"] == "im:read"


async def test_the_channels_that_a_person_and_the_bot_share(server: SlackServer, client: AsyncWebClient) -> None:
    mine = await client.users_conversations(types="public_channel,private_channel", exclude_archived=True)
    assert [channel["name"] for channel in mine["channels"]] == ["general", "serving-zh", "gpu-ops"]
    theirs = await client.users_conversations(user=server.workspace.user("xiaoming").id)
    assert [channel["name"] for channel in theirs["channels"]] == ["general", "serving-zh"]


async def test_members_come_in_pages(server: SlackServer, client: AsyncWebClient, general: str, refused: Any) -> None:
    first = await client.conversations_members(channel=general, limit=3)
    cursor = first["response_metadata"]["next_cursor"]
    rest = await client.conversations_members(channel=general, limit=3, cursor=cursor)
    assert set(first["members"]) | set(rest["members"]) == server.workspace.channel("general").members
    assert rest["response_metadata"]["next_cursor"] == ""
    assert (await refused(client.conversations_members(channel=general, cursor="??")))["error"] == "invalid_cursor"
    assert (await refused(client.conversations_members(channel=general, limit=0)))["error"] == "invalid_limit"


async def test_history_shows_the_newest_first_and_metadata_on_request(
    server: SlackServer, client: AsyncWebClient, general: str
) -> None:
    old = server.people.say("general", "alice", "old")
    await client.chat_postMessage(channel=general, text="new", metadata=METADATA)
    bare = (await client.conversations_history(channel=general))["messages"]
    assert [message["text"] for message in bare] == ["new", "old"]
    assert "metadata" not in bare[0]
    whole = (await client.conversations_history(channel=general, include_all_metadata=True))["messages"]
    assert whole[0]["metadata"] == METADATA
    since = await client.conversations_history(channel=general, oldest=old.ts)
    assert [message["text"] for message in since["messages"]] == ["new"]
    until = await client.conversations_history(channel=general, latest=old.ts, inclusive=True)
    assert [message["text"] for message in until["messages"]] == ["old"]


async def test_history_leaves_replies_to_their_thread(
    server: SlackServer, client: AsyncWebClient, general: str
) -> None:
    question = server.people.say("general", "alice", "hello")
    reply = server.people.say("general", "bob", "and?", thread_ts=question.ts)
    await client.chat_postMessage(channel=general, text="answer", thread_ts=question.ts, metadata=METADATA)
    (shown,) = (await client.conversations_history(channel=general))["messages"]
    assert (shown["reply_count"], shown["reply_users_count"]) == (2, 2)
    thread = await client.conversations_replies(channel=general, ts=question.ts, include_all_metadata=True)
    assert [message["text"] for message in thread["messages"]] == ["hello", "and?", "answer"]
    assert thread["messages"][2]["metadata"] == METADATA
    (alone,) = (await client.conversations_replies(channel=general, ts=reply.ts))["messages"]
    assert alone["text"] == "and?"


async def test_a_thread_that_was_deleted_is_not_found(
    server: SlackServer, client: AsyncWebClient, general: str, refused: Any
) -> None:
    question = server.people.say("general", "alice", "hello")
    server.people.delete(question)
    assert (await refused(client.conversations_replies(channel=general, ts=question.ts)))["error"] == "thread_not_found"


async def test_a_private_history_needs_its_own_scope(manifest: Manifest, refused: Any, client_for: Any) -> None:
    scopes = manifest.scopes - {"groups:history"}
    async with SlackServer(replace(manifest, scopes=scopes, events=frozenset())) as server:
        client = client_for(server)
        private = server.workspace.channel("gpu-ops").id
        assert (await client.conversations_history(channel=server.workspace.channel("general").id))["ok"]
        assert (await refused(client.conversations_history(channel=private)))["needed"] == "groups:history"


async def test_a_direct_conversation_is_opened_for_one_person(
    server: SlackServer, client: AsyncWebClient, refused: Any
) -> None:
    alice, bob = server.workspace.user("alice").id, server.workspace.user("bob").id
    opened = (await client.conversations_open(users=[alice]))["channel"]["id"]
    again = (await client.conversations_open(channel=opened, return_im=True))["channel"]
    assert (again["id"], again["user"]) == (opened, alice)
    assert (await refused(client.conversations_open(users=[alice, bob])))["needed"] == "mpim:write"
    assert (await refused(client.conversations_open(users="U404")))["error"] == "user_not_found"
    assert (await refused(client.conversations_open(users="")))["error"] == "users_list_not_supplied"


async def test_a_person_has_a_language_and_a_time_zone(
    server: SlackServer, client: AsyncWebClient, refused: Any
) -> None:
    xiaoming = server.workspace.user("xiaoming").id
    shown = (await client.users_info(user=xiaoming, include_locale=True))["user"]
    assert (shown["locale"], shown["tz"]) == ("zh-CN", "Asia/Shanghai")
    assert "locale" not in (await client.users_info(user=xiaoming))["user"]
    assert (await refused(client.users_info(user="U404")))["error"] == "user_not_found"
    everybody = (await client.users_list())["members"]
    assert [member["is_bot"] for member in everybody] == [True, False, False, False]


def test_a_workspace_is_described_in_a_few_lines(manifest: Manifest) -> None:
    described = Described(people=(Person(name="zoe"),), rooms=(Room(name="lab", members=("zoe",)),))
    server = SlackServer(manifest, described)
    assert server.workspace.user("zoe").real_name == "zoe"
    assert server.workspace.channel("#lab").members == {server.workspace.user("zoe").id, server.workspace.team.bot_user}
    with pytest.raises(UnknownName, match="no user `adam`"):
        server.workspace.user("adam")
    with pytest.raises(UnknownName, match="no channel `cellar`"):
        server.workspace.channel("cellar")


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Described(people=(), rooms=(Room(name="lab", members=("zoe",)),)),
        lambda: Described(people=(Person(name="zoe"), Person(name="zoe")), rooms=()),
    ],
    ids=["a stranger among the members", "two people of one name"],
)
def test_a_description_that_contradicts_itself_is_refused(wrong: Callable[[], Described]) -> None:
    with pytest.raises(ValidationError):
        wrong()
