"""What is said through a response URL, for one person's eyes."""

from typing import Any

from bot.slack.incoming import Reached
from bot.slack.means import Means
from bot.slack.written import sentence
from bot.store.inbox import Received
from bot.store.outbox import Call


def respond(means: Means, received: Received, reached: Reached, content: dict[str, Any]) -> None:
    """Writes the message down that goes out."""
    body = {"response_type": "ephemeral", **content}
    means.store.outbox.add(f"respond:{received.id}", received.id, Call.RESPOND, reached.respond, body)


def tell(means: Means, received: Received, reached: Reached, plain: str, thread: str | None = None) -> str:
    """Says a sentence beside what stands there; what became of it."""
    respond(means, received, reached, beside(sentence(plain), thread))
    return "said"


def beside(content: dict[str, Any], thread: str | None) -> dict[str, Any]:
    """A message that replaces nothing, in a thread where there is one."""
    return content | {"replace_original": False} | ({"thread_ts": thread} if thread else {})
