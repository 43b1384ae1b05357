"""A JSON object from outside, read with suspicion: every figure is checked before anything is computed from it."""

from collections.abc import Mapping, Sequence
from typing import Any

from knowledge.errors import Refusal

LARGEST = 2**40  # no dimension of a model comes near it; products stay exact in Python whatever they are
MOST_LAYERS = 1000  # the deepest model that vLLM runs has 126


def refuse(name: str, value: object, wrong: str) -> Refusal:
    """What a front says about one bad key of a config.json."""
    shown = repr(value)[:40]
    return Refusal(
        "bad-config",
        f"The config.json says `{name}` is `{shown}`, {wrong}.",
        "Correct that key, or take the file again from the model's repository.",
        key=name,
        value=shown,
    )


class Fields:
    """One object of a config.json. A key that is absent falls back to `defaults` (those of its class); null means not set."""

    __slots__ = ("_defaults", "_values")

    def __init__(self, values: Mapping[str, Any], defaults: Mapping[str, Any] | None = None) -> None:
        self._values = values
        self._defaults = defaults or {}

    def __contains__(self, name: str) -> bool:
        """Whether the file itself has the key, null included."""
        return name in self._values

    def over(self, defaults: Mapping[str, Any]) -> "Fields":
        """The same object with other defaults."""
        return Fields(self._values, defaults)

    def raw(self, *names: str) -> Any:
        """The first of `names` that is set, in the file or else by the class; None when none is."""
        for name in names:
            if self._values.get(name) is not None:
                return self._values[name]
        for name in names:
            if name not in self._values and self._defaults.get(name) is not None:
                return self._defaults[name]
        return None

    def optional(self, *names: str, low: int = 1, high: int = LARGEST) -> int | None:
        """A whole number from `low` to `high`, None when not set. Refuses anything else."""
        value = self.raw(*names)
        if value is None:
            return None
        return whole(self._named(names), value, low, high)

    def integer(self, *names: str, low: int = 1, high: int = LARGEST, fallback: int | None = None) -> int:
        """A whole number that must be there, unless `fallback` says what its absence means."""
        value = self.optional(*names, low=low, high=high)
        if value is not None:
            return value
        if fallback is not None:
            return fallback
        raise Refusal(
            "bad-config",
            f"The config.json has no `{names[0]}`, without which nothing can be computed.",
            "Take the file again from the model's repository, or name a listed model.",
            key=names[0],
        )

    def flag(self, name: str, fallback: bool = False) -> bool:
        """A true or false; `fallback` when not set."""
        value = self.raw(name)
        if value is None:
            return fallback
        if not isinstance(value, bool):
            raise refuse(name, value, "which is neither true nor false")
        return value

    def word(self, *names: str, fallback: str = "") -> str:
        """A text; `fallback` when not set."""
        value = self.raw(*names)
        if value is None:
            return fallback
        if not isinstance(value, str):
            raise refuse(self._named(names), value, "which is not a text")
        return value

    def number(self, name: str, fallback: float) -> float:
        """A finite number > 0; `fallback` when not set."""
        value = self.raw(name)
        if value is None:
            return fallback
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < LARGEST:
            raise refuse(name, value, "which is not a number above 0")
        return float(value)

    def section(self, *names: str) -> "Fields | None":
        """A nested object, None when not set."""
        value = self.raw(*names)
        if value is None:
            return None
        if not isinstance(value, Mapping):
            raise refuse(self._named(names), value, "which is not an object")
        return Fields(value)

    def items(self, name: str) -> Sequence[Any] | None:
        """A list, None when not set."""
        value = self.raw(name)
        if value is None:
            return None
        if not isinstance(value, list | tuple):
            raise refuse(name, value, "which is not a list")
        return value

    def per_layer(self, name: str, layers: int, extra: int = 0) -> Sequence[Any] | None:
        """A list with one entry a layer (up to `extra` more for layers after them), None when not set or not a list."""
        value = self.raw(name)
        if not isinstance(value, list | tuple):
            return None
        if not layers <= len(value) <= layers + extra:
            raise refuse(name, value, f"a list of {len(value)} for {layers} layers")
        return value[:layers]

    def _named(self, names: tuple[str, ...]) -> str:
        return next((name for name in names if name in self._values), names[0])


def whole(name: str, value: object, low: int = 1, high: int = LARGEST) -> int:
    """`value` as an int from `low` to `high`; refuses bools, texts, fractions, NaN."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise refuse(name, value, "which is not a whole number")
    if value != value or value in (float("inf"), float("-inf")) or value != int(value):  # noqa: PLR0124 - NaN
        raise refuse(name, value, "which is not a whole number")
    if not low <= value <= high:
        raise refuse(name, value, f"which is not from {low} to {high}")
    return int(value)
