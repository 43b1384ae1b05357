"""What a message is made of, as an app sends it: checked as Slack checks it, and against good manners."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from bot.playground.server import text as mrkdwn
from bot.playground.server.blocks.metadata import metadata_problems
from bot.playground.server.blocks.payload import block_problems, block_texts_length
from bot.playground.server.common import Common
from bot.playground.server.errors import SlackError
from bot.playground.server.state import Channel, Json
from bot.playground.server.violations import Rule
from bot.playground.server.workspace import Workspace

TEXT_LIMIT = 40_000
"""Slack cuts longer `text` off or refuses it; here it is refused."""
TEXT_RECOMMENDED = 4_000
UPDATE_TEXT_LIMIT = 4_000
MARKDOWN_TEXT_LIMIT = 12_000
ATTACHMENTS_LIMIT = 100
BLOCK_TEXT_LIMIT = 12_000
"""All texts of all blocks of one posted message; more is `msg_blocks_too_long` (seen in practice, not documented)."""
ATTACHMENT_CONTENT = ("text", "fallback", "title", "pretext", "author_name", "fields", "blocks", "image_url")


@dataclass(frozen=True, slots=True)
class Content:
    """The parts of a message; `text` is empty when only blocks or attachments were sent."""

    text: str = ""
    blocks: list[Json] = field(default_factory=list)
    attachments: list[Json] = field(default_factory=list)
    metadata: Json | None = None


def read_content(
    given: Json, *, text_limit: int = TEXT_LIMIT, block_text_limit: int | None = BLOCK_TEXT_LIMIT
) -> Content:
    """Check the parts and put them together; raises the error that Slack gives for the first that is wrong."""
    text = given.get("text", "")
    if markdown := given.get("markdown_text"):
        text = _markdown(given, markdown)
    content = Content(text, given.get("blocks", []), given.get("attachments", []), given.get("metadata"))
    if not (text.strip() or content.blocks or _has_content(content.attachments)):
        raise SlackError("no_text")
    if len(text) > text_limit:
        raise SlackError("msg_too_long")
    if problems := block_problems(content.blocks, "message"):
        raise SlackError("invalid_blocks", *problems)
    _check_attachments(content.attachments)
    if block_text_limit is not None and block_texts_length(content.blocks) > block_text_limit:
        raise SlackError("msg_blocks_too_long")
    if content.metadata is not None and (problems := metadata_problems(content.metadata)):
        raise SlackError("invalid_metadata_format", *problems)
    return content


def _markdown(given: Json, markdown: str) -> str:
    if "text" in given or "blocks" in given:
        raise SlackError("markdown_text_conflict")
    if len(markdown) > MARKDOWN_TEXT_LIMIT:
        raise SlackError("msg_too_long")
    return markdown


def _has_content(attachments: list[Json]) -> bool:
    return any(attachment.get(name) for attachment in attachments for name in ATTACHMENT_CONTENT)


def _check_attachments(attachments: list[Json]) -> None:
    if len(attachments) > ATTACHMENTS_LIMIT:
        raise SlackError("too_many_attachments")
    for attachment in attachments:
        if problems := block_problems(attachment.get("blocks", []), "message"):
            raise SlackError("invalid_attachments", *problems)


class Manners:
    """Records what Slack lets pass and a careful app does not do."""

    def __init__(self, common: Common, workspace: Workspace) -> None:
        self._common, self._workspace = common, workspace

    def look_at(
        self, content: Content, where: str, channel: Channel, thread_ts: str | None = None, to: str | None = None
    ) -> None:
        """Look at one message on its way to `channel`; `to` is the one person who asked for it, where there is one."""
        record = self._common.violations.record
        if (content.blocks or content.attachments) and not content.text.strip():
            record(Rule.MISSING_FALLBACK, where, "blocks without `text`")
        if len(content.text) > TEXT_RECOMMENDED:
            record(Rule.LONG_TEXT, where, f"{len(content.text):,} characters")
        asked = {m.user for m in (channel.thread(thread_ts) if thread_ts else channel.messages.values())} | {to}
        self._parts([content.text], [content.blocks, content.attachments], where, asked)

    def look_at_view(self, view: Json, user: str) -> None:
        """Look at a modal or a Home tab on its way to one person."""
        self._parts([], view["blocks"], f"{view['type']} view", {user})

    def _parts(self, texts: list[str], parts: object, where: str, asked: set[str | None]) -> None:
        escaped = [*texts, *mrkdwn.texts_in(parts, frozenset({"mrkdwn"}))]
        everything = [*escaped, *mrkdwn.texts_in(parts, frozenset({"markdown", "plain_text", "raw_text"}))]
        for text in escaped:
            self._found(Rule.UNESCAPED, where, mrkdwn.unescaped(text))
            self._found(Rule.MARKDOWN_SYNTAX, where, mrkdwn.markdown_syntax(text))
            self._found(Rule.DOUBLE_ESCAPED, where, set(mrkdwn.double_escapes(text)) - self._workspace.heard)
        for text in everything:
            self._found(Rule.CONTROL_CHARACTER, where, map(repr, mrkdwn.control_characters(text)))
        self._mentions([*escaped, *mrkdwn.texts_in(parts, frozenset({"markdown"}))], where, asked)
        self._mentions([_as_token(element) for element in mrkdwn.rich_mentions(parts)], where, asked)

    def _found(self, rule: Rule, where: str, excerpts: Iterable[str]) -> None:
        for excerpt in excerpts:
            self._common.violations.record(rule, where, f"`{excerpt}`")

    def _mentions(self, texts: list[str], where: str, asked: set[str | None]) -> None:
        record = self._common.violations.record
        heard = self._workspace.heard
        for text in texts:
            for token in mrkdwn.broadcasts(text):
                record(Rule.BROADCAST, where, f"`{token}`")
            for user in mrkdwn.mentions(text):
                if user in heard and user not in asked:
                    record(Rule.ECHOED_MENTION, where, f"<@{user}>")
            for link in mrkdwn.labelled_links(text):
                if link in heard:
                    record(Rule.ECHOED_LINK, where, f"<{link}>")


def _as_token(element: Json) -> str:
    match element["type"]:
        case "user":
            return f"<@{element['user_id']}>"
        case "usergroup":
            return f"<!subteam^{element.get('usergroup_id')}>"
        case _:
            return f"<!{element.get('range')}>"
