"""Message metadata: an event type and a flat payload, as `chat.postMessage` takes it."""

import json

from bot.playground.server.blocks.rules import Problems, Shape, Str, problem

METADATA_BYTES = 8_000
"""The size up to which metadata is kept whole; Slack names `metadata_too_large` but no number, so this one is ours."""


class _Value:
    """A string, number or boolean; where `deep`, also an object of those or an array of such objects."""

    def __init__(self, *, deep: bool) -> None:
        self._deep = deep

    def check(self, value: object, at: str) -> Problems:
        """See Rule."""
        if isinstance(value, str | int | float):
            return
        parts = {str(i): item for i, item in enumerate(value)} if isinstance(value, list) else {"": value}
        if not self._deep or not all(isinstance(part, dict) for part in parts.values()):
            yield problem("must be a string, a number, a boolean, or objects of those", at)
            return
        for name, part in parts.items():
            yield from _Fields(deep=False).check(part, f"{at}/{name}".rstrip("/"))


class _Fields:
    """An object whose fields are values."""

    def __init__(self, *, deep: bool) -> None:
        self._deep = deep

    def check(self, value: object, at: str) -> Problems:
        """See Rule."""
        if not isinstance(value, dict):
            yield problem("must be an object", at)
            return
        for name, part in value.items():
            yield from _Value(deep=self._deep).check(part, f"{at}/{name}")


_METADATA = Shape({"event_type": Str(255, pattern=r"[A-Za-z0-9_.\-]+"), "event_payload": _Fields(deep=True)})


def metadata_problems(metadata: object) -> list[str]:
    """What is wrong with a `metadata` argument."""
    found = list(_METADATA.check(metadata, "/metadata"))
    if len(json.dumps(metadata)) > METADATA_BYTES:
        found.append(problem(f"must be less than {METADATA_BYTES + 1} bytes", "/metadata"))
    return found
