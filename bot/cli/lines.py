"""JSON lines: one object a line in, one out as soon as it is known; a bad line never stops the rest."""

import json
from collections.abc import Callable, Iterator
from math import isfinite
from typing import Any, BinaryIO, NoReturn

from bot.bugs import report
from bot.cli.world import World
from bot.text.phrases import say
from knowledge.errors import Refusal

LONGEST = 4 * 2**20  # bytes of a line; beyond it a line is skipped, not kept in memory
Json = dict[str, Any]


def serve(world: World, answer: Callable[[Json], Json]) -> None:
    """Answers every line of standard input. `id` is copied to every answer; a Refusal becomes `error` and `hint`."""
    for line in _lines(world.stdin):
        world.say(compact(_answered(line, answer)))


def compact(value: object) -> str:
    """JSON on one line; characters stay as they are where UTF-8 can hold them."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return text if _encodable(text) else json.dumps(value, allow_nan=False)


def refused(refusal: Refusal, line_id: object = None) -> Json:
    """The object that stands for an answer that cannot be given."""
    return {"id": line_id, "error": refusal.error, "hint": refusal.hint}


def _answered(line: bytes | None, answer: Callable[[Json], Json]) -> Json:
    try:
        asked = _parsed(line)
    except Refusal as refusal:
        return refused(refusal)
    line_id = asked.pop("id", None)
    try:
        return answer(asked) | {"id": line_id}
    except Refusal as refusal:
        return refused(refusal, line_id)
    except Exception as bug:  # noqa: BLE001 - one bad line never stops the rest
        return {"id": line_id, "error": report(bug).sentence("en"), "hint": say("en", "short.bug_hint")}


def _parsed(line: bytes | None) -> Json:
    if line is None:
        raise Refusal(
            "line-too-long", f"The line is longer than {LONGEST:,} bytes.", "Send a shorter text.", limit=LONGEST
        )
    try:
        value = json.loads(line.decode("utf-8"), parse_constant=_no_constant, parse_float=_finite)
    except UnicodeDecodeError:
        raise Refusal("line-not-utf8", "The line is not UTF-8 text.", "Send UTF-8.") from None
    except (ValueError, RecursionError):
        raise Refusal("line-not-json", "The line is not valid JSON.", "Send one JSON object a line.") from None
    if not isinstance(value, dict):
        raise Refusal("line-not-object", "The line is not a JSON object.", 'Send an object such as `{"id": 1, …}`.')
    return value


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _finite(digits: str) -> float:
    value = float(digits)
    return value if isfinite(value) else _no_constant(digits)


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


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
