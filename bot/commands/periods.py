"""Stretches of time behind us: `last 24h` is from `now-24h` to `now`, yesterday from `now-1d/d` (the start of that day) to `now/d`."""

import re

from bot.understand.scan import Scan, grammar

_UNIT = r"(?:(?P<m>minutes?|mins?|m|分钟?)|(?P<h>hours?|hrs?|h|个?小时|个?钟头)|(?P<d>days?|d|天|日)|(?P<w>weeks?|wks?|w|个?(?:周|星期|礼拜))|(?P<mo>months?|个?月))"
_LAST = grammar(
    rf"(?:\b(?:last|past|previous|recent|trailing)\s|(?:最近|过去|近|前|这)(?:的)?\s?)(?P<number>\d{{1,5}})?\s?{_UNIT}(?![a-z])"
)
_ALONE = grammar(rf"(?<![\w.])(?P<number>\d{{1,5}})\s?(?:{_UNIT})(?![a-z])(?:\s?(?:内|以内|里))?")
_NAMED = tuple(
    (grammar(pattern), start, end)
    for pattern, start, end in (
        (r"day before yesterday|前天", "now-2d/d", "now-1d/d"),
        (r"last night|yesterday (?:evening|night)|昨晚|昨天晚上|昨夜", "now-1d/d+18h", "now/d+6h"),
        (r"\byesterday\b|昨天|昨日", "now-1d/d", "now/d"),
        (r"this morning|今早|今天(?:早上|上午)", "now/d+6h", "now/d+12h"),
        (r"since midnight|\btoday\b|今天|今日|凌晨到现在", "now/d", "now"),
        (r"last week|上周|上个?(?:星期|礼拜)", "now-1w/w", "now/w"),
        (r"this week|这(?:一|1)?周|本周", "now/w", "now"),
        (r"last month|上个?月", "now-1M/M", "now/M"),
    )
)
_SINCE_THEN = grammar(r"\bsince\b|以来|到现在|至今|到目前")
_DAY = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?"
_TIME = rf"(?:{_DAY}|\d{{1,2}}(?::\d\d)?\s?(?:am|pm)?|20\d\d-\d\d-\d\d)"
_SINCE = grammar(rf"\b(?:since|from)\s(?P<start>{_TIME})(?![\w.])|(?:从\s?)?(?P<zh>{_TIME})\s?(?:以来|到现在|开始|起)")
_BETWEEN = grammar(
    rf"\b(?:between|from)\s(?P<start>{_TIME})\s?(?:and|to|until|till|-|–)\s?(?P<end>{_TIME}|now)(?![\w.])|从?\s?(?P<a>{_TIME})\s?(?:到|至|~|-)\s?(?P<b>{_TIME})"
)
_FULL = {
    "mon": "monday",
    "tue": "tuesday",
    "wed": "wednesday",
    "thu": "thursday",
    "fri": "friday",
    "sat": "saturday",
    "sun": "sunday",
}


def take_period(scan: Scan) -> tuple[dict[str, str], Scan]:
    """`from` and `to`, nothing when no time is named, and the scan without it. Times are relative to when it is asked."""
    if found := _BETWEEN.search(scan.text):
        start, end = found["start"] or found["a"], found["end"] or found["b"]
        return {"from": _moment(start), "to": _moment(end)}, scan.mark(*found.span())
    for pattern, begin, finish in _NAMED:
        if named := pattern.search(scan.text):
            since = _SINCE_THEN.search(scan.text) is not None
            return {"from": begin, "to": "now" if since else finish}, scan.mark(*named.span())
    if found := _LAST.search(scan.text):
        return _back(found), scan.mark(*found.span())
    if found := _SINCE.search(scan.text):
        return {"from": _moment(found["start"] or found["zh"]), "to": "now"}, scan.mark(*found.span())
    if found := _ALONE.search(scan.text):
        return _back(found), scan.mark(*found.span())
    return {}, scan


def _back(found: re.Match[str]) -> dict[str, str]:
    unit = next(name for name in ("m", "h", "d", "w", "mo") if found[name])
    return {"from": f"now-{int(found['number'] or 1)}{'M' if unit == 'mo' else unit}", "to": "now"}


def _moment(said: str) -> str:
    return _FULL.get(said[:3], said.replace(" ", "")) if not said[0].isdigit() else said.replace(" ", "")
