"""The small vocabulary in which Block Kit's rules are written down: what a value must be, and where it is not."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

Problems = Iterator[str]


def problem(sentence: str, at: str) -> str:
    """A finding in the form in which Slack reports it; `at` is a JSON pointer."""
    return f"{sentence} [json-pointer:{at}]"


class Rule(Protocol):
    """What one value must be."""

    def check(self, value: object, at: str) -> Problems:
        """One sentence for everything that is wrong with it."""


@dataclass(frozen=True, slots=True)
class Str:
    """A string of `least` to `most` characters that matches `pattern`, if there is one."""

    most: int | None = None
    least: int = 1
    pattern: str | None = None

    def check(self, value: object, at: str) -> Problems:
        """See Rule."""
        if not isinstance(value, str):
            yield problem("must be a string", at)
            return
        if self.most is not None and len(value) > self.most:
            yield problem(f"must be less than {self.most + 1} characters, has {len(value)}", at)
        if len(value) < self.least:
            yield problem(f"must be more than {self.least - 1} characters", at)
        if self.pattern and not re.fullmatch(self.pattern, value):
            yield problem(f"does not have the required form `{self.pattern}`", at)


@dataclass(frozen=True, slots=True)
class Number:
    """A number (an integer, if `whole`) between `least` and `most`, above `above`."""

    least: float | None = None
    most: float | None = None
    above: float | None = None
    whole: bool = False

    def check(self, value: object, at: str) -> Problems:
        """See Rule."""
        if isinstance(value, bool) or not isinstance(value, int if self.whole else int | float):
            yield problem("must be an integer" if self.whole else "must be a number", at)
        elif self.least is not None and value < self.least:
            yield problem(f"must be at least {self.least:g}", at)
        elif self.above is not None and value <= self.above:
            yield problem(f"must be more than {self.above:g}", at)
        elif self.most is not None and value > self.most:
            yield problem(f"must be at most {self.most:g}", at)


@dataclass(frozen=True, slots=True)
class Bool:
    """True or false."""

    def check(self, value: object, at: str) -> Problems:
        """See Rule."""
        if not isinstance(value, bool):
            yield problem("must be a boolean", at)


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few values."""

    values: tuple[object, ...]

    def check(self, value: object, at: str) -> Problems:
        """See Rule."""
        if value not in self.values:
            yield problem(f"must be one of {', '.join(map(str, self.values))}", at)


@dataclass(frozen=True, slots=True)
class Items:
    """An array of `least` to `most` items."""

    rule: Rule
    most: int | None = None
    least: int = 1

    def check(self, value: object, at: str) -> Problems:
        """See Rule."""
        if not isinstance(value, list):
            yield problem("must be an array", at)
            return
        if self.most is not None and len(value) > self.most:
            yield problem(f"no more than {self.most} items allowed, has {len(value)}", at)
        if len(value) < self.least:
            yield problem(f"no fewer than {self.least} items allowed", at)
        for index, item in enumerate(value):
            yield from self.rule.check(item, f"{at}/{index}")


Also = Callable[[dict[str, object]], str | None]
"""A rule about a whole object: a sentence when it is broken."""


@dataclass(frozen=True, slots=True)
class Shape:
    """An object with these fields and no others; `also` holds rules that need several of them."""

    required: Mapping[str, Rule] = field(default_factory=dict)
    optional: Mapping[str, Rule] = field(default_factory=dict)
    also: tuple[Also, ...] = ()

    def check(self, value: object, at: str) -> Problems:
        """See Rule."""
        if not isinstance(value, dict):
            yield problem("must be an object", at)
            return
        for name, rule in self.required.items():
            if value.get(name) is None:
                yield problem(f"missing required field: {name}", at)
            else:
                yield from rule.check(value[name], f"{at}/{name}")
        for name, rule in self.optional.items():
            if value.get(name) is not None:
                yield from rule.check(value[name], f"{at}/{name}")
        for name in value:
            if name not in self.required and name not in self.optional:
                yield problem(f"invalid additional property: {name}", at)
        yield from (problem(sentence, at) for rule in self.also if (sentence := rule(value)))


@dataclass(frozen=True, slots=True)
class Typed:
    """An object whose `type` picks its shape out of a table; `allowed` narrows the table to a place."""

    table: Mapping[str, Shape]
    allowed: frozenset[str] | None = None

    def check(self, value: object, at: str) -> Problems:
        """See Rule."""
        kind = value.get("type") if isinstance(value, dict) else None
        shape = self.table.get(kind) if isinstance(kind, str) else None
        if not isinstance(value, dict):
            yield problem("must be an object", at)
        elif shape is None:
            yield problem(f"unsupported type: {kind}", at)
        elif self.allowed is not None and kind not in self.allowed:
            yield problem(f"type {kind} is not allowed here", at)
        else:
            yield from shape.check({name: part for name, part in value.items() if name != "type"}, at)


def one_of(*names: str) -> Also:
    """Exactly one of these fields is there."""

    def rule(value: dict[str, object]) -> str | None:
        if sum(value.get(name) is not None for name in names) == 1:
            return None
        return f"exactly one of {', '.join(names)} is required"

    return rule


def some_of(*names: str) -> Also:
    """At least one of these fields is there."""

    def rule(value: dict[str, object]) -> str | None:
        return None if any(value.get(name) for name in names) else f"one of {', '.join(names)} is required"

    return rule


def ordered(low: str, high: str) -> Also:
    """Where both are there, the first is not above the second."""

    def rule(value: dict[str, object]) -> str | None:
        try:
            wrong = float(str(value[low])) > float(str(value[high]))
        except (KeyError, ValueError):
            return None
        return f"{low} is greater than {high}" if wrong else None

    return rule


def unique(field_name: str, key: str) -> Also:
    """The items of a list differ in `key`."""

    def rule(value: dict[str, object]) -> str | None:
        items = value.get(field_name)
        keys = [item.get(key) for item in items if isinstance(item, dict)] if isinstance(items, list) else []
        given = [key for key in keys if isinstance(key, str)]
        return None if len(set(given)) == len(given) else f"{key} must be unique within {field_name}"

    return rule
