"""What the bot writes into Slack: an answer as a message's text and blocks, marked with the question that it answers."""

from typing import TYPE_CHECKING, Any

from bot.blocks import elements, limits

if TYPE_CHECKING:
    from bot.answers.answer import Answer

SEPARATOR = ":"


def written(answer: "Answer", question: str, revision: int = 0) -> dict[str, Any]:
    """The message. `text` is what notifications and screen readers say, cut to what Slack takes.

    Slack wants new block ids whenever a message changes: they carry the question and the revision.
    """
    return {"text": text(answer.text), "blocks": [_marked(block, question, revision) for block in answer.blocks]}


def text(plain: str) -> str:
    """Plain text as a message's `text`: nothing in it mentions anybody."""
    return str(elements.mrkdwn(elements.escape(plain), limits.MESSAGE_TEXT)["text"])


def sentence(plain: str) -> dict[str, Any]:
    """A message of one sentence."""
    return {"text": text(plain), "blocks": elements.sections(text(plain))}


def question_of(block_id: str) -> str | None:
    """The question under whose answer a block stands; None for blocks that no answer of the bot has."""
    parts = block_id.split(SEPARATOR, 2)
    return parts[2] if len(parts) == 3 and parts[2] else None


def _marked(block: dict[str, Any], question: str, revision: int) -> dict[str, Any]:
    if "block_id" not in block:
        return block
    kind = str(block["block_id"]).partition("-")[0]
    return block | {"block_id": SEPARATOR.join((kind, str(revision), question))}
