"""The one way a call is refused: Slack's error code, and the sentences that explain it."""

from typing import Any


class SlackError(Exception):
    """`{"ok": false, "error": code}`; `messages` go to `response_metadata`, `extra` beside the code."""

    def __init__(self, code: str, *messages: str, **extra: Any) -> None:
        super().__init__(code, *messages)
        self.code = code
        self.messages = messages
        self.extra = extra

    def body(self) -> dict[str, Any]:
        """The JSON that the caller receives."""
        body: dict[str, Any] = {"ok": False, "error": self.code, **self.extra}
        if self.messages:
            body["response_metadata"] = {"messages": [f"[ERROR] {message}" for message in self.messages]}
        return body


STATE_OF_THE_WORLD = frozenset(
    {
        "already_reacted",
        "channel_not_found",
        "exchanged_trigger_id",
        "expired_trigger_id",
        "hash_conflict",
        "is_archived",
        "message_not_found",
        "not_in_channel",
        "ratelimited",
        "thread_not_found",
        "user_not_found",
        "user_not_in_channel",
    }
)
"""Refusals that a correct app meets too, because somebody else changed the workspace; all others are its own mistake."""
