"""Several values of one parameter: `32,64,128`, `2k 4k 8k`, `from 0.85 to 0.95 in steps of 0.05`, `16 到 256 翻倍`."""

from bot.commands.quantities import whole
from bot.understand.numbers import K
from bot.understand.scan import Scan, grammar

_NEAR = 12  # characters between a parameter and its values: ` over the `
MOST = 20  # values that one sweep may have
_NUMBER = r"(?<![\w.])\d{1,9}(?:\.\d{1,6})?\s?(?:[km](?![a-z]))?|(?<![\w.])\.\d{1,6}"
_ONE = rf"(?:{_NUMBER})(?![\w.]|\s?(?:%|prompts?\b|requests?\b|reqs?\b|rps|qps|min|minutes?|s\b|seconds?|hours?|users?\b|tokens? (?:in|out)|个|条|分钟|秒|小时|号|并发))"
_SEPARATOR = r"(?:\s?(?:,|/|、|;|\||\band\b|\bthen\b|\bor\b|\bvs\b|和|跟|与|及|,\s?and)\s?|\s)"
_SERIES = grammar(rf"(?P<all>{_ONE}(?:{_SEPARATOR}(?:{_ONE}))+)")
_RANGE = grammar(
    rf"(?:from\s|从\s?)?(?P<first>{_NUMBER})\s?(?:to|-|–|\.\.\.?|~|until|up to|through|到|至)\s?(?P<last>{_NUMBER})(?![\w.])"
)
_STEP = grammar(
    rf"(?:steps? of|step(?: size)?|by|increments? of|every|步长|每次(?:加|增加)?|间隔)\s?[=:]?\s?(?P<step>{_NUMBER})"
)
_DOUBLING = grammar(r"\bdoubl\w+|\bpowers? of (?:2|two)|\bx2\b|翻倍|倍增|2\s?的(?:幂|次方)|每次乘 ?2")
_EACH = grammar(_NUMBER)


def take_values(scan: Scan, after: int = 0, *, near: bool = False) -> tuple[list[float | int], Scan]:
    """The values that stand behind the parameter's name, else before it; none when there are not two of them.

    `near` wants them right behind the name: elsewhere two numbers may be anything.
    """
    spread = _RANGE.search(scan.text, after) or _RANGE.search(scan.text)
    if spread and near and spread.start() < after:
        spread = None
    stepped = spread and (_STEP.search(scan.text, spread.end()) or _DOUBLING.search(scan.text))
    if spread and stepped:
        values = _spread(_value(spread["first"]), _value(spread["last"]), stepped.groupdict().get("step"))
        return values, scan.mark(*spread.span()).mark(*stepped.span())
    found = _SERIES.search(scan.text, after) or _SERIES.search(scan.text)
    if found is None or (near and not after <= found.start() <= after + _NEAR):
        return [], scan
    values = [_value(each[0]) for each in _EACH.finditer(found["all"])]
    return values[:MOST], scan.mark(*found.span())


def _value(said: str) -> float | int:
    number = float(said.rstrip(" km"))
    return whole(number * (K if "k" in said else K * K if "m" in said else 1))


def _spread(first: float, last: float, step: str | None) -> list[float | int]:
    """From `first` to `last` in steps, or doubling where no step is said."""
    values: list[float | int] = []
    by = float(step) if step else 0.0
    value = float(first)
    while value <= last + 1e-9 and len(values) < MOST and value > 0:
        values.append(whole(value))
        value = value + by if by else value * 2
    return values
