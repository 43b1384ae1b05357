"""Understood as JSON and back: what a conversation keeps between two messages."""

import json
from dataclasses import asdict, fields
from typing import Any

from bot.understand.understood import Aside, Decline, Fields, Intent, Understood
from knowledge.errors import Refusal


def to_json(understood: Understood) -> str:
    """One line of JSON; `from_json` gives an equal value again (refusals are equal by what they say)."""
    return json.dumps(_plain(understood), ensure_ascii=False, separators=(",", ":"))


def from_json(text: str) -> Understood:
    """What `to_json` wrote. Raises ValueError, KeyError or TypeError for anything else."""
    return _understood(json.loads(text))


def _plain(understood: Understood) -> dict[str, Any]:
    return {
        "text": understood.text,
        "language": understood.language,
        "intent": understood.intent.value,
        "fields": {name: value for name, value in asdict(understood.fields).items() if value is not None},
        "model_size_b": understood.model_size_b,
        "options": understood.options,
        "flags": understood.flags,
        "asides": [aside.value for aside in understood.asides],
        "decline": understood.decline.value if understood.decline else None,
        "problems": [_problem(problem) for problem in understood.problems],
        "parts": [_plain(part) for part in understood.parts],
    }


def _problem(problem: Refusal) -> dict[str, Any]:
    return {"code": problem.code, "error": problem.error, "hint": problem.hint, "facts": problem.facts}


def _understood(said: dict[str, Any]) -> Understood:
    known = {field.name for field in fields(Fields)}
    return Understood(
        text=said["text"],
        language=said["language"],
        intent=Intent(said["intent"]),
        fields=Fields(**{name: value for name, value in said["fields"].items() if name in known}),
        model_size_b=said.get("model_size_b"),
        options=said["options"],
        flags=said["flags"],
        asides=tuple(Aside(aside) for aside in said["asides"]),
        decline=Decline(said["decline"]) if said["decline"] else None,
        problems=tuple(
            Refusal(each["code"], each["error"], each["hint"], **each["facts"]) for each in said["problems"]
        ),
        parts=tuple(_understood(part) for part in said["parts"]),
    )
