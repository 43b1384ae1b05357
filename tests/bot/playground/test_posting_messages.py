"""`chat.*`: where a message may go, what it may hold, and whose it is."""

from functools import partial
from typing import Any

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground.server import Rule, SlackServer

Post = dict[str, Any]


@pytest.fixture
def general(server: SlackServer) -> str:
    return server.workspace.channel("general").id


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("random", "not_in_channel"),
        ("old-project", "is_archived"),
        ("C404", "channel_not_found"),
        ("#no-such", "channel_not_found"),
        ("", "channel_not_found"),
    ],
    ids=["the bot was not invited", "archived", "unknown", "unknown name", "empty"],
)
async def test_a_post_goes_only_where_the_bot_may_write(
    server: SlackServer, client: AsyncWebClient, refused: Any, name: str, error: str
) -> None:
    known = {channel.name: channel.id for channel in server.workspace.channels.values()}
    answer = await refused(client.chat_postMessage(channel=known.get(name, name), text="x"))
    assert answer["error"] == error


@pytest.mark.parametrize("name", ["general", "gpu-ops"])
async def test_a_post_appears_in_its_channel(server: SlackServer, client: AsyncWebClient, name: str) -> None:
    channel = server.workspace.channel(name)
    answer = await client.chat_postMessage(channel=channel.id, text="hello", unfurl_links=False, unfurl_media=False)
    message = channel.messages[answer["ts"]]
    assert (message.text, message.by_app, message.unfurl_links, message.unfurl_media) == ("hello", True, False, False)


async def test_posting_to_a_person_opens_the_direct_conversation(server: SlackServer, client: AsyncWebClient) -> None:
    alice = server.workspace.user("alice")
    answer = await client.chat_postMessage(channel=alice.id, text="hello")
    assert answer["channel"] == server.workspace.direct("alice").id
    assert (await client.chat_postMessage(channel="#general", text="hello"))["ok"]


async def test_a_reply_lands_in_its_thread_and_may_be_shown_in_the_channel(
    server: SlackServer, client: AsyncWebClient, general: str
) -> None:
    question = server.people.say("general", "alice", "hello")
    await client.chat_postMessage(channel=general, text="in the thread", thread_ts=question.ts)
    await client.chat_postMessage(channel=general, text="in both", thread_ts=question.ts, reply_broadcast=True)
    channel = server.workspace.channel("general")
    assert [reply.text for reply in channel.replies(question.ts)] == ["in the thread", "in both"]
    assert [shown.text for shown in channel.top_level()] == ["hello", "in both"]
    assert not list(server.violations)


async def test_an_unknown_thread_is_posted_at_top_level_and_recorded(
    server: SlackServer, client: AsyncWebClient, general: str
) -> None:
    answer = await client.chat_postMessage(channel=general, text="x", thread_ts="1712345678.000100")
    assert server.workspace.channel("general").messages[answer["ts"]].thread_ts is None
    assert len(server.violations.of(Rule.UNKNOWN_THREAD)) == 1


async def test_a_reply_is_no_thread_of_its_own(server: SlackServer, client: AsyncWebClient, general: str) -> None:
    question = server.people.say("general", "alice", "hello")
    reply = server.people.say("general", "bob", "and?", thread_ts=question.ts)
    answer = await client.chat_postMessage(channel=general, text="x", thread_ts=reply.ts)
    assert server.workspace.channel("general").messages[answer["ts"]].thread_ts == question.ts
    assert len(server.violations.of(Rule.REPLY_AS_THREAD)) == 1


@pytest.mark.parametrize(
    ("accepted", "refused_post", "error"),
    [
        ({"text": "x" * 40_000}, {"text": "x" * 40_001}, "msg_too_long"),
        ({"text": "x"}, {"text": " \n"}, "no_text"),
        ({"text": "x", "blocks": [{"type": "divider"}]}, {"text": "x", "blocks": [{"type": "div"}]}, "invalid_blocks"),
        (
            {"text": "x", "attachments": [{"text": "a"}] * 100},
            {"text": "x", "attachments": [{}] * 101},
            "too_many_attachments",
        ),
        ({"attachments": [{"text": "a"}], "text": "f"}, {"attachments": [{"color": "#fff"}]}, "no_text"),
        (
            {"text": "x", "attachments": [{"blocks": [{"type": "divider"}]}]},
            {"text": "x", "attachments": [{"blocks": [{"type": "div"}]}]},
            "invalid_attachments",
        ),
        ({"markdown_text": "**x**"}, {"markdown_text": "**x**", "text": "x"}, "markdown_text_conflict"),
        ({"markdown_text": "x" * 12_000}, {"markdown_text": "x" * 12_001}, "msg_too_long"),
        (
            {"text": "x", "metadata": {"event_type": "answer", "event_payload": {"key": "1", "n": [{"a": 1}]}}},
            {"text": "x", "metadata": {"event_type": "answer", "event_payload": {"key": None}}},
            "invalid_metadata_format",
        ),
        (
            {"text": "x", "metadata": {"event_type": "answer", "event_payload": {}}},
            {"text": "x", "metadata": {"event_payload": {"key": "1"}}},
            "invalid_metadata_format",
        ),
        (
            {"text": "x", "metadata": {"event_type": "a", "event_payload": {"key": "x" * 7000}}},
            {"text": "x", "metadata": {"event_type": "a", "event_payload": {"key": "x" * 8000}}},
            "invalid_metadata_format",
        ),
        (
            {"text": "x", "metadata": {"event_type": "a", "event_payload": {"deep": {"er": 1}}}},
            {"text": "x", "metadata": {"event_type": "a", "event_payload": {"deep": {"er": {"est": 1}}}}},
            "invalid_metadata_format",
        ),
        (
            {"text": "x", "metadata": {"event_type": "a", "event_payload": {}}},
            {"text": "x", "metadata": {"event_type": "a", "event_payload": "key"}},
            "invalid_metadata_format",
        ),
        ({"text": "x"}, {"text": "x", "username": "Somebody"}, "missing_scope"),
    ],
    ids=[
        "40,000 characters",
        "some text",
        "blocks",
        "100 attachments",
        "attachments with content",
        "blocks of attachments",
        "markdown text alone",
        "12,000 characters of markdown text",
        "metadata values",
        "metadata type",
        "metadata size",
        "metadata depth",
        "metadata payload",
        "a name of its own",
    ],
)
async def test_content_is_accepted_within_the_rules_and_refused_beyond(
    client: AsyncWebClient, refused: Any, general: str, accepted: Post, refused_post: Post, error: str
) -> None:
    post = partial(client.api_call, "chat.postMessage")
    assert (await post(json={"channel": general, **accepted}))["ok"]
    assert (await refused(post(json={"channel": general, **refused_post})))["error"] == error


async def test_blocks_with_too_much_text_in_all_are_refused_when_posted_and_taken_by_a_response_url(
    server: SlackServer, client: AsyncWebClient, refused: Any, general: str
) -> None:
    sections = [{"type": "section", "text": {"type": "mrkdwn", "text": "x" * 3000}}] * 5
    answer = await refused(client.chat_postMessage(channel=general, text="x", blocks=sections))
    assert answer["error"] == "msg_blocks_too_long"
    url = server.response_urls.make(general, server.workspace.user("alice").id)
    server.response_urls.respond(url.address.rpartition("/")[2], {"text": "x", "blocks": sections})
    assert len(server.observed.ephemerals("alice")) == 1


async def test_an_own_message_is_updated_and_its_blocks_stay_unless_they_are_sent(
    server: SlackServer, client: AsyncWebClient, general: str
) -> None:
    posted = await client.chat_postMessage(channel=general, text="old", blocks=[{"type": "divider"}])
    message = server.workspace.channel("general").messages[posted["ts"]]
    await client.chat_update(channel=general, ts=posted["ts"], text="new")
    assert (message.text, len(message.blocks), message.revisions) == ("new", 1, ["old", "new"])
    assert len(server.violations.of(Rule.STALE_BLOCKS)) == 1
    await client.chat_update(channel=general, ts=posted["ts"], text="newer", blocks=[])
    assert message.blocks == []
    assert message.edited_ts is not None
    await client.chat_update(channel=general, ts=posted["ts"], markdown_text="*newest*")
    assert message.text == "*newest*"
    assert len(server.violations) == 1


@pytest.mark.parametrize(
    ("update", "error"),
    [
        ({"text": "x" * 4001}, "msg_too_long"),
        ({}, "no_text"),
        ({"ts": "1712345678.000100", "text": "x"}, "message_not_found"),
    ],
    ids=["4,000 characters", "nothing new", "an unknown message"],
)
async def test_an_update_is_refused(
    client: AsyncWebClient, refused: Any, general: str, update: Post, error: str
) -> None:
    posted = await client.chat_postMessage(channel=general, text="old")
    assert (await client.chat_update(channel=general, ts=posted["ts"], text="x" * 4000))["ok"]
    answer = await refused(client.api_call("chat.update", json={"channel": general, "ts": posted["ts"]} | update))
    assert answer["error"] == error


async def test_an_archived_channel_is_not_written_to(
    server: SlackServer, client: AsyncWebClient, refused: Any, general: str
) -> None:
    posted = await client.chat_postMessage(channel=general, text="old")
    server.workspace.channel("general").archived = True
    assert (await refused(client.chat_update(channel=general, ts=posted["ts"], text="x")))["error"] == "is_archived"


async def test_only_an_own_message_is_updated_or_deleted(
    server: SlackServer, client: AsyncWebClient, refused: Any, general: str
) -> None:
    theirs = server.people.say("general", "alice", "mine")
    assert (await refused(client.chat_update(channel=general, ts=theirs.ts, text="x")))[
        "error"
    ] == "cant_update_message"
    assert (await refused(client.chat_delete(channel=general, ts=theirs.ts)))["error"] == "cant_delete_message"
    ours = await client.chat_postMessage(channel=general, text="ours")
    await client.chat_delete(channel=general, ts=ours["ts"])
    assert server.observed.by_app("general") == []
    assert (await refused(client.chat_delete(channel=general, ts=ours["ts"])))["error"] == "message_not_found"


async def test_an_ephemeral_message_is_for_a_member_and_for_nobody_else(
    server: SlackServer, client: AsyncWebClient, refused: Any
) -> None:
    ops = server.workspace.channel("gpu-ops").id
    alice, stranger = server.workspace.user("alice").id, server.workspace.user("xiaoming").id
    await client.chat_postEphemeral(channel=ops, user=alice, text="just you")
    (shown,) = server.observed.ephemerals("alice")
    assert (shown.text, shown.via) == ("just you", "chat.postEphemeral")
    answer = await refused(client.chat_postEphemeral(channel=ops, user=stranger, text="x"))
    assert answer["error"] == "user_not_in_channel"
    assert (await refused(client.chat_postEphemeral(channel=ops, user="U404", text="x")))["error"] == "user_not_found"


async def test_a_permalink_leads_to_the_message_and_its_thread(
    server: SlackServer, client: AsyncWebClient, general: str
) -> None:
    question = server.people.say("general", "alice", "hello")
    reply = await client.chat_postMessage(channel=general, text="x", thread_ts=question.ts)
    link = await client.chat_getPermalink(channel=general, message_ts=question.ts)
    assert link["permalink"].endswith(f"/archives/{general}/p{question.ts.replace('.', '')}")
    link = await client.chat_getPermalink(channel=general, message_ts=reply["ts"])
    assert f"thread_ts={question.ts}" in link["permalink"]


async def test_a_link_posted_with_unfurls_on_is_recorded(
    server: SlackServer, client: AsyncWebClient, general: str
) -> None:
    text = "see <https://docs.vllm.ai|the docs>"
    await client.chat_postMessage(channel=general, text=text, unfurl_links=False, unfurl_media=False)
    assert not list(server.violations)
    await client.chat_postMessage(channel=general, text=text)
    assert [v.rule for v in server.violations] == [Rule.UNFURL]
