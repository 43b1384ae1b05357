"""The answer object as JSON, by the contract's names."""

from dataclasses import asdict
from typing import Any

from bot.answers.answer import Answer


def as_object(answer: Answer, answer_id: object = None) -> dict[str, Any]:
    """`answer` and its parts. `error` and `hint` are there only when the question was refused."""
    from knowledge.fit.json_form import as_json

    understood = answer.understood
    refused = {"error": answer.refusal.error, "hint": answer.refusal.hint} if answer.refusal else {}
    return {
        "id": answer_id,
        "language": understood.language,
        "intent": understood.intent,
        "understood": asdict(understood.fields),
        "assumed": answer.assumed,
        "estimates": [as_json(estimate) for estimate in answer.estimates],
        "entries": list(answer.entries),
        "command": answer.command,
        "parts": [as_object(part) for part in answer.parts],
        "text": answer.text,
        "blocks": list(answer.blocks),
        **refused,
    }
