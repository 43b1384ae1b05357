"""JSON lines: one object a line in, one out as soon as it is known; a bad line never stops the rest."""

import json
from collections.abc import Callable, Iterator
from math import isfinite
from typing import Any, BinaryIO

from bot.bugs import report
from bot.text.phrases import say
from bot.world import World
from knowledge.errors import Refusal

LONGEST = 4 * 2**20  # bytes of a line; beyond it a line is skipped, not kept in memory
Json = dict[str, Any]


def serve(world: World, answer: Callable[[Json], Json]) -> None:
    """Answers every line of standard input. `id` is copied to every answer; a Refusal becomes `error` and `hint`."""
    encoding = getattr(world.stdout, "encoding", None) or "utf-8"
    for line in _lines(world.stdin):
        world.say(compact(_answered(line, answer), encoding))


def compact(value: object, encoding: str = "utf-8") -> str:
    """JSON on one line; characters stay as they are where the stream's encoding can hold them, so that nothing is lost."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return text if _encodable(text, encoding) else json.dumps(value, allow_nan=False)


def refused(refusal: Refusal, line_id: object = None) -> Json:
    """The object that stands for an answer that cannot be given."""
    return {"id": line_id, "error": refusal.error, "hint": refusal.hint}


def _answered(line: bytes | None, answer: Callable[[Json], Json]) -> Json:
    odd: list[str] = []
    try:
        asked = _parsed(line, odd)
    except Refusal as refusal:
        return refused(refusal)
    line_id = asked.pop("id", None)
    try:
        _check_numbers(odd)
        return answer(asked) | {"id": line_id}
    except Refusal as refusal:
        return refused(refusal, line_id)
    except Exception as bug:  # noqa: BLE001 - one bad line never stops the rest
        return {"id": line_id, "error": report(bug).sentence("en"), "hint": say("en", "short.bug_hint")}


def _parsed(line: bytes | None, odd: list[str]) -> Json:
    """The line's object. What stands for a number and is none (NaN, 1e999) goes to `odd` and leaves None in its place."""
    if line is None:
        raise Refusal(
            "line-too-long", f"The line is longer than {LONGEST:,} bytes.", "Send a shorter text.", limit=LONGEST
        )
    try:
        value = json.loads(
            line.decode("utf-8"), parse_constant=odd.append, parse_float=lambda digits: _finite(digits, odd)
        )
    except UnicodeDecodeError:
        raise Refusal("line-not-utf8", "The line is not UTF-8 text.", "Send UTF-8.") from None
    except (ValueError, RecursionError):
        raise Refusal("line-not-json", "The line is not valid JSON.", "Send one JSON object a line.") from None
    if not isinstance(value, dict):
        raise Refusal("line-not-object", "The line is not a JSON object.", 'Send an object such as `{"id": 1, …}`.')
    return value


def _finite(digits: str, odd: list[str]) -> float | None:
    value = float(digits)
    if isfinite(value):
        return value
    odd.append(digits)
    return None


def _check_numbers(odd: list[str]) -> None:
    if odd:
        said = odd[0][:40]
        hint = "Write a number, or leave that key out."
        raise Refusal("not-finite", f"`{said}` is not a number that JSON has.", hint, value=said)


def _lines(stream: BinaryIO) -> Iterator[bytes | None]:
    """Every line that is not blank; None for one that is too long, whose rest is read over."""
    while line := stream.readline(LONGEST):
        if line.endswith(b"\n") or len(line) < LONGEST:
            if line.strip():
                yield line
            continue
        while (rest := stream.readline(LONGEST)) and not rest.endswith(b"\n"):
            pass
        yield None


def _encodable(text: str, encoding: str) -> bool:
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True
