"""A question for the estimator as a JSON object: into a FitRequest, or one sentence on what is wrong with it."""

import json
import re
from typing import Any

from pydantic import ValidationError

from knowledge.errors import Refusal
from knowledge.fit.request import FitRequest
from knowledge.fit.words import nearest

SWITCHES = frozenset({"enable_expert_parallel", "enforce_eager"})
SHOWN = 40  # characters of what somebody typed


def read_line(line: str) -> FitRequest:
    """One line of `fit --jsonl`. Refuses what is not a JSON object or not a question."""
    try:
        said: Any = json.loads(line)
    except (ValueError, RecursionError):
        raise _not_json(line) from None
    if not isinstance(said, dict):
        raise _not_json(line)
    return read_object(said)


def read_object(said: dict[str, Any]) -> FitRequest:
    """The options of `fit` by name. Refuses an unknown name or a value that makes no sense."""
    for name, value in said.items():
        if isinstance(value, bool) and name not in SWITCHES:
            raise _bad_value(name, value, f"`{name}` should not be true or false.")
    try:
        return FitRequest.model_validate(said)
    except ValidationError as error:
        raise refusal_of(error) from None


def refusal_of(error: ValidationError) -> Refusal:
    """The first thing wrong, as one sentence on what it is and one on what to do."""
    first = next((one for one in error.errors() if one["type"] == "extra_forbidden"), error.errors()[0])
    name = str(first["loc"][0]) if first["loc"] else "request"
    if first["type"] == "extra_forbidden":
        return _unknown(name)
    if first["type"] == "missing":
        return Refusal(f"missing-{name}", f"`{name}` is missing.", f"Say which {name}.", name=name)
    said = re.sub(r"^(?:Input|String|Value) should ", f"`{name}` should ", str(first["msg"]))
    hint = f"{said}."
    if name == "gpu_memory_utilization":
        hint = "Give a share of the GPU's memory above 0 and up to 1, such as `0.9`."
    return _bad_value(name, first["input"], hint)


def _bad_value(name: str, value: object, hint: str) -> Refusal:
    shown = _shown(value)
    return Refusal("bad-value", f"`{shown}` cannot be used for `{name[:SHOWN]}`.", hint, name=name, value=shown)


def _unknown(name: str) -> Refusal:
    near = nearest(name.replace("-", "_"), FitRequest.model_fields)
    known = ", ".join(f"`{field}`" for field in FitRequest.model_fields if field != "id")
    hint = f"Did you mean `{near}`?" if near else f"Known are {known}."
    return Refusal(
        "unknown-option", f"`{name[:SHOWN]}` is not an option of `fit`.", hint, name=name[:SHOWN], nearest=near
    )


def _shown(value: object) -> str:
    """At most 40 characters of a value; a huge int is not written out."""
    if isinstance(value, int) and value.bit_length() > 256:
        return "a number of more than 77 digits"
    return " ".join("".join(c if c.isprintable() else " " for c in str(value)[:SHOWN]).split())


def _not_json(line: str) -> Refusal:
    return Refusal(
        "not-json",
        f"`{line.strip()[:SHOWN]}` is not a JSON object.",
        'Write one object a line, such as `{"model": "Qwen/Qwen3-8B", "gpu": "L4"}`.',
    )
