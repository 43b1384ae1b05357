"""Response URLs: five uses within thirty minutes; what is sent there becomes a message, or replaces one."""

from dataclasses import dataclass

from bot.playground.server.common import Common
from bot.playground.server.content import Manners, read_content
from bot.playground.server.errors import SlackError
from bot.playground.server.state import Ephemeral, Json, Message
from bot.playground.server.web_api.arguments import array, flag, mapping, optional, parse, text, timestamp
from bot.playground.server.workspace import Workspace

USES = 5
"""Slack's limit for one response URL."""

ARGUMENTS = {
    "text": optional(text),
    "blocks": optional(array),
    "attachments": optional(array),
    "metadata": optional(mapping),
    "response_type": optional(text),
    "replace_original": optional(flag),
    "delete_original": optional(flag),
    "thread_ts": optional(timestamp),
    "unfurl_links": optional(flag),
    "unfurl_media": optional(flag),
}


@dataclass(slots=True)
class ResponseUrl:
    """Where an answer to one interaction goes; `original` is the message that was clicked, if any."""

    address: str
    channel: str
    user: str
    made: float
    original: Message | Ephemeral | None = None
    thread_ts: str | None = None
    uses: int = 0


class ResponseUrls:
    """Gives out response URLs and carries out what is posted to them."""

    def __init__(self, common: Common, workspace: Workspace) -> None:
        self._common, self._workspace = common, workspace
        self._manners = Manners(common, workspace)
        self._made: dict[str, ResponseUrl] = {}

    def make(self, channel: str, user: str, original: Message | Ephemeral | None = None) -> ResponseUrl:
        """One for a new interaction."""
        key = self._common.ids.uuid()
        url = ResponseUrl(
            f"{self._common.address.http}/response/{key}", channel, user, self._common.ids.clock(), original
        )
        url.thread_ts = original.thread_ts if original else None
        self._made[key] = url
        return url

    def respond(self, key: str, given: Json) -> None:
        """One use; raises `used_url`, `expired_url` and whatever the content deserves."""
        url = self._made.get(key)
        if url is None:
            raise SlackError("invalid_url")
        if self._common.ids.clock() - url.made > self._common.timings.response_url:
            raise SlackError("expired_url")
        if url.uses >= USES:
            raise SlackError("used_url")
        arguments = parse(ARGUMENTS, given)
        url.uses += 1
        self.answer(url, arguments, "response_url")

    def answer(self, url: ResponseUrl, given: Json, via: str) -> None:
        """Show an answer as its `response_type` and its `*_original` flags say."""
        if given.get("delete_original"):
            self._delete(url)
        else:
            content = read_content(given, block_text_limit=None)
            channel = self._workspace.channels[url.channel]
            self._manners.look_at(content, via, channel, given.get("thread_ts") or url.thread_ts, to=url.user)
            if given.get("replace_original") and url.original is not None:
                self._replace(url.original, given)
            elif given.get("response_type") == "in_channel":
                self._post(url, given)
            else:
                self._whisper(url, given, via)
        self._common.changes.happened()

    def _post(self, url: ResponseUrl, given: Json) -> None:
        team = self._workspace.team
        message = Message(
            url.channel, self._common.ids.timestamp(), team.bot_user, given.get("text", ""), bot_id=team.bot_id
        )
        message.blocks, message.attachments = given.get("blocks", []), given.get("attachments", [])
        message.thread_ts, message.metadata = given.get("thread_ts"), given.get("metadata")
        self._workspace.post(message)

    def _whisper(self, url: ResponseUrl, given: Json, via: str) -> None:
        ephemeral = Ephemeral(
            url.channel, url.user, self._common.ids.timestamp(), given.get("text", ""), given.get("blocks", []), via
        )
        ephemeral.thread_ts, ephemeral.attachments = given.get("thread_ts"), given.get("attachments", [])
        self._workspace.whisper(ephemeral)

    def _replace(self, original: Message | Ephemeral, given: Json) -> None:
        original.blocks, original.attachments = given.get("blocks", []), given.get("attachments", [])
        if isinstance(original, Message):
            self._workspace.change(original, text=given.get("text", ""))
        else:
            original.text = given.get("text", "")

    def _delete(self, url: ResponseUrl) -> None:
        if isinstance(url.original, Message):
            self._workspace.delete(url.original)
        elif url.original is not None:
            url.original.deleted = True
