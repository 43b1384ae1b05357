"""What an app did that Slack, or good manners, forbid: a list that a correct app leaves empty."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum


class Rule(StrEnum):
    """What was broken."""

    REFUSED = "refused"
    """A call was refused for a reason that the app could have known."""
    UNKNOWN_ARGUMENT = "unknown-argument"
    MISSING_FALLBACK = "missing-fallback-text"
    """Blocks without `text`: notifications and screen readers have nothing to say."""
    LONG_TEXT = "long-text"
    """More than the 4,000 characters that Slack recommends for `text`."""
    BROADCAST = "broadcast"
    """`<!channel>` and its like were sent."""
    ECHOED_MENTION = "echoed-mention"
    """A mention out of somebody's text was sent back as a mention."""
    ECHOED_LINK = "echoed-link"
    """A labelled link out of somebody's text was sent back as a link."""
    UNESCAPED = "unescaped"
    """`&`, `<` or `>` in mrkdwn that is neither an entity nor part of a known token."""
    DOUBLE_ESCAPED = "double-escaped"
    """An entity was escaped once more, so that people read `&lt;`."""
    MARKDOWN_SYNTAX = "markdown-syntax"
    """`**bold**`, `# heading` or `[label](url)` in mrkdwn, which shows them as they are."""
    CONTROL_CHARACTER = "control-character"
    """A character below a space that is neither a line break nor a tab, or half of a surrogate pair."""
    UNFURL = "unfurl"
    """A post with a link did not switch both unfurls off."""
    STALE_BLOCKS = "stale-blocks"
    """`chat.update` with another text and no `blocks`: people go on seeing the old blocks."""
    UNKNOWN_THREAD = "unknown-thread"
    """`thread_ts` names no message of the channel; Slack posts at top level without a word."""
    REPLY_AS_THREAD = "reply-as-thread"
    """`thread_ts` names a reply instead of its parent."""
    LATE_ACK = "late-ack"
    NO_ACK = "no-ack"
    UNKNOWN_ENVELOPE = "unknown-envelope"
    DOUBLE_ACK = "double-ack"
    UNWANTED_PAYLOAD = "unwanted-payload"
    """An acknowledgement carried a payload although the envelope did not accept one."""
    BAD_ACK = "bad-ack"
    """An acknowledgement that is no JSON object with an `envelope_id`, or a payload that Slack would not take."""
    TOO_FAST = "too-fast"
    """More posts to a channel than its rate allows."""


@dataclass(frozen=True, slots=True)
class Violation:
    """`where` is a method, an event or a URL kind; `at` is seconds since the epoch."""

    rule: Rule
    where: str
    detail: str
    at: float

    def __str__(self) -> str:
        return f"{self.rule} in {self.where}: {self.detail}"


class Violations:
    """The record, oldest first."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._seen: list[Violation] = []

    def record(self, rule: Rule, where: str, detail: str) -> None:
        """Add one."""
        self._seen.append(Violation(rule, where, detail, self._clock()))

    def of(self, rule: Rule) -> list[Violation]:
        """Those against one rule."""
        return [violation for violation in self._seen if violation.rule == rule]

    def clear(self) -> None:
        """Forget them all."""
        self._seen.clear()

    def __iter__(self) -> Iterator[Violation]:
        return iter(self._seen)

    def __len__(self) -> int:
        return len(self._seen)

    def __str__(self) -> str:
        return "\n".join(map(str, self._seen)) or "none"
