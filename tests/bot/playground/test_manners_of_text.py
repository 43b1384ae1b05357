"""Escaping, mentions, fallback text and length: what Slack lets pass and the server writes down."""

from typing import Any

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground.server import Rule, SlackServer
from bot.playground.server.text import control_characters, escape, markdown_syntax, unescape, unescaped


@pytest.mark.parametrize(
    "text",
    [
        "a &lt; b &amp;&amp; c &gt; d",
        "> quoted\n>> more",
        "<https://docs.vllm.ai|docs> <https://docs.vllm.ai> <mailto:a@example.com|mail>",
        "<@U0000000001> <#C0000000001|general> <!subteam^S0000000001>",
        "<!date^1796098735^{date_short} {time}|1 December>",
    ],
)
def test_escaped_text_and_known_tokens_pass(text: str) -> None:
    assert unescaped(text) == []


@pytest.mark.parametrize(
    "text", ["a < b", "a > b", "R&D", "<script>", "&quot;x&quot;", "&#39;", "<|im_start|>", "<http://>"]
)
def test_an_unescaped_character_is_found(text: str) -> None:
    assert unescaped(text)
    assert unescaped(escape(text)) == []
    assert unescape(escape(text)) == text


async def rules(server: SlackServer, client: AsyncWebClient, **message: Any) -> list[Rule]:
    """What one post breaks."""
    server.violations.clear()
    await client.api_call("chat.postMessage", json={"channel": server.workspace.channel("general").id, **message})
    return [violation.rule for violation in server.violations]


def section(text: str, kind: str = "mrkdwn") -> list[dict[str, Any]]:
    return [{"type": "section", "text": {"type": kind, "text": text}}]


async def test_every_mrkdwn_text_is_looked_at(server: SlackServer, client: AsyncWebClient) -> None:
    assert await rules(server, client, text="a < b") == [Rule.UNESCAPED]
    assert await rules(server, client, text="x", blocks=section("a < b")) == [Rule.UNESCAPED]
    assert await rules(server, client, text="x", blocks=section("a < b", "plain_text")) == []
    assert await rules(server, client, text="x", blocks=[{"type": "markdown", "text": "a < b"}]) == []


async def test_blocks_need_a_fallback_text(server: SlackServer, client: AsyncWebClient) -> None:
    assert await rules(server, client, text="x", blocks=section("x")) == []
    assert await rules(server, client, blocks=section("x")) == [Rule.MISSING_FALLBACK]
    assert await rules(server, client, attachments=[{"text": "x"}]) == [Rule.MISSING_FALLBACK]


async def test_a_long_text_is_recorded(server: SlackServer, client: AsyncWebClient) -> None:
    assert await rules(server, client, text="x" * 4000) == []
    assert await rules(server, client, text="x" * 4001) == [Rule.LONG_TEXT]


@pytest.mark.parametrize("token", ["<!channel>", "<!here|here>", "<!everyone>", "<!subteam^S0000000001>"])
async def test_a_broadcast_is_recorded_wherever_it_stands(
    server: SlackServer, client: AsyncWebClient, token: str
) -> None:
    assert await rules(server, client, text=escape(token)) == []
    assert await rules(server, client, text=token) == [Rule.BROADCAST]
    assert await rules(server, client, text="x", blocks=section(token)) == [Rule.BROADCAST]
    assert await rules(server, client, text="x", blocks=[{"type": "markdown", "text": token}]) == [Rule.BROADCAST]


@pytest.mark.parametrize(
    "element",
    [
        {"type": "broadcast", "range": "channel"},
        {"type": "usergroup", "usergroup_id": "S0000000001"},
    ],
)
async def test_a_broadcast_in_rich_text_is_recorded(
    server: SlackServer, client: AsyncWebClient, element: dict[str, Any]
) -> None:
    blocks = [{"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": [element]}]}]
    assert await rules(server, client, text="x", blocks=blocks) == [Rule.BROADCAST]


@pytest.mark.parametrize("typed", ["<@{bob}>", "&lt;@{bob}&gt;"], ids=["mentioned", "typed as characters"])
async def test_a_mention_out_of_a_question_is_not_sent_back(
    server: SlackServer, client: AsyncWebClient, typed: str
) -> None:
    alice, bob = server.workspace.user("alice").id, server.workspace.user("bob").id
    question = server.people.say("general", "alice", typed.format(bob=bob))
    answer = {"thread_ts": question.ts}
    assert await rules(server, client, text=f"<@{alice}> here you are", **answer) == []
    assert await rules(server, client, text=f"you said <@{bob}>", **answer) == [Rule.ECHOED_MENTION]
    element = {"type": "user", "user_id": bob}
    blocks = [{"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": [element]}]}]
    assert await rules(server, client, text="x", blocks=blocks, **answer) == [Rule.ECHOED_MENTION]


async def test_a_labelled_link_out_of_a_question_is_not_sent_back(server: SlackServer, client: AsyncWebClient) -> None:
    server.people.say("general", "alice", "<https://example.com|click>")
    quiet = {"unfurl_links": False, "unfurl_media": False}
    assert await rules(server, client, text="<https://docs.vllm.ai|docs>", **quiet) == []
    assert await rules(server, client, text="<https://example.com|click>", **quiet) == [Rule.ECHOED_LINK]


@pytest.mark.parametrize("text", ["**bold**", "# Heading", "see [docs](https://docs.vllm.ai)", "x\n## More"])
def test_markdown_is_found_where_it_shows_as_it_is(text: str) -> None:
    assert markdown_syntax(text)
    assert not markdown_syntax(f"```\n{text}\n```")


@pytest.mark.parametrize("text", ["*bold*", "2 ** 3 ** 4", "#general", "`a**b**c`", "[1](2)", "--flag *x* **"])
def test_ordinary_text_is_no_markdown(text: str) -> None:
    assert not markdown_syntax(text)


def test_control_characters_are_found() -> None:
    assert control_characters("a\x00b\x1b[31m\ud83d") == ["\x00", "\x1b", "\ud83d"]
    assert not control_characters("a\tb\nc 😀 你好")


async def test_markdown_and_control_characters_are_recorded(server: SlackServer, client: AsyncWebClient) -> None:
    assert await rules(server, client, text="**x**") == [Rule.MARKDOWN_SYNTAX]
    assert await rules(server, client, text="x", blocks=[{"type": "markdown", "text": "**x**"}]) == []
    assert await rules(server, client, text="x", blocks=section("\x07", "plain_text")) == [Rule.CONTROL_CHARACTER]


async def test_an_entity_is_escaped_once_unless_somebody_wrote_it(server: SlackServer, client: AsyncWebClient) -> None:
    assert await rules(server, client, text="a &amp;lt; b") == [Rule.DOUBLE_ESCAPED]
    server.people.say("general", "alice", "what is &amp;lt;?")
    assert await rules(server, client, text="you wrote &amp;lt;") == []


async def test_linked_names_make_a_plain_broadcast_real(server: SlackServer, client: AsyncWebClient) -> None:
    assert await rules(server, client, text="@channel") == []
    assert await rules(server, client, text="@channel", link_names=True) == [Rule.BROADCAST]
    assert await rules(server, client, text="@here", parse="full") == [Rule.BROADCAST]


async def test_a_view_is_looked_at_too(server: SlackServer) -> None:
    body = {"type": "home", "blocks": section("<!here> a < b")}
    server.people.modals.publish(server.workspace.user("alice").id, body)
    assert {violation.rule for violation in server.violations} == {Rule.BROADCAST, Rule.UNESCAPED}


async def test_a_key_that_was_posted_twice_is_found(server: SlackServer, client: AsyncWebClient) -> None:
    general = server.workspace.channel("general").id
    for key in ("a", "b", "a"):
        metadata = {"event_type": "answer", "event_payload": {"key": key}}
        await client.chat_postMessage(channel=general, text="x", metadata=metadata)
    assert server.observed.repeated_keys() == ["a"]
