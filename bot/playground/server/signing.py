"""Signed requests: Slack's `v0` signature over the timestamp and the body."""

import hashlib
import hmac
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SignedRequest:
    """A request as it goes over the wire, to send once or, for a replay, again."""

    body: str
    headers: dict[str, str]

    @classmethod
    def make(cls, secret: str, timestamp: int, body: str, headers: dict[str, str]) -> "SignedRequest":
        """Sign `body` as of `timestamp` (seconds since the epoch)."""
        return cls(
            body,
            {
                **headers,
                "X-Slack-Request-Timestamp": str(timestamp),
                "X-Slack-Signature": signature(secret, timestamp, body),
            },
        )


def signature(secret: str, timestamp: int, body: str) -> str:
    """`v0=` and the HMAC-SHA256 of `v0:timestamp:body`."""
    digest = hmac.new(secret.encode(), f"v0:{timestamp}:{body}".encode(), hashlib.sha256).hexdigest()
    return f"v0={digest}"
