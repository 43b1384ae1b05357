"""Arguments of Web API methods: where they come from, which are required, and what type each must have."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from bot.playground.server.errors import SlackError
from bot.playground.server.state import Json

TIMESTAMP = re.compile(r"\d{9,11}\.\d{6}")


class WrongType(ValueError):
    """The value is not of the argument's type; the message says what it must be."""


def text(value: object) -> str:
    """A string; numbers are taken as Slack takes them."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise WrongType("must be a string")
    return str(value)


def timestamp(value: object) -> str:
    """A message timestamp, as a string: a JSON number loses its last digits."""
    if not isinstance(value, str) or not TIMESTAMP.fullmatch(value):
        raise WrongType("must be a message timestamp such as 1712345678.000100")
    return value


def flag(value: object) -> bool:
    """A boolean, or one of the spellings that a form has for it."""
    if isinstance(value, bool):
        return value
    spelled = {"true": True, "1": True, "false": False, "0": False}.get(str(value))
    if spelled is None:
        raise WrongType("must be a boolean")
    return spelled


def whole(value: object) -> int:
    """An integer."""
    if isinstance(value, bool) or not re.fullmatch(r"-?\d+", str(value)):
        raise WrongType("must be an integer")
    return int(str(value))


def _decoded(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        raise WrongType("must be valid JSON") from None


def array(value: object) -> list[Any]:
    """An array, or its JSON text."""
    decoded = _decoded(value)
    if not isinstance(decoded, list):
        raise WrongType("must be an array")
    return decoded


def mapping(value: object) -> Json:
    """An object, or its JSON text."""
    decoded = _decoded(value)
    if not isinstance(decoded, dict):
        raise WrongType("must be an object")
    return decoded


def names(value: object) -> list[str]:
    """A comma-separated list."""
    return [name for name in text(value).split(",") if name]


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a method."""

    read: Callable[[object], Any]
    required: bool = False


def required(read: Callable[[object], Any]) -> Argument:
    """An argument that must be there."""
    return Argument(read, required=True)


def optional(read: Callable[[object], Any]) -> Argument:
    """An argument that may be left out."""
    return Argument(read)


def parse(expected: Mapping[str, Argument], given: Mapping[str, object]) -> dict[str, Any]:
    """The typed arguments; raises `invalid_arguments` with one sentence for each that is missing or wrong."""
    present = {name: value for name, value in given.items() if value is not None}
    problems = [f"missing required field: {name}" for name, a in expected.items() if a.required and name not in present]
    parsed: dict[str, Any] = {}
    for name, value in present.items():
        if name not in expected:
            continue
        try:
            parsed[name] = expected[name].read(value)
        except WrongType as wrong:
            problems.append(f"{wrong} [json-pointer:/{name}]")
    if problems:
        raise SlackError("invalid_arguments", *problems)
    return parsed
