"""How fast, how long, how many: rates, durations, requests, requests at once."""

import re
from typing import Any

from bot.understand.scan import Scan, grammar

NUMBER = r"(?<![\w.])(?P<value>\d{1,12}(?:\.\d{1,4})?)"
BE = r"\s?(?:=|:|~|set (?:to|at)|capped at|limited to|of|to|is|at|as|up to|down to|around|about|为|是|用|到|就|从|成|设为|开到?|(?:改|调|设|换|降|升|提|加|变|减|翻|拉)(?:成|为|到|至|高到|低到)?){0,2}\s?"
_K = r"\s?(?P<k>k)?(?![a-z])"
_REQUESTS = r"(?:requests?|reqs?|prompts?|queries|请求|req)"
_A_SECOND = r"(?:\s?(?:/|per|a|each|every)\s?(?:s(?:ec(?:ond)?s?)?|秒))(?![a-z])"
_A_MINUTE = r"(?:\s?(?:/|per|a|each|every)\s?(?:m(?:in(?:ute)?s?)?|分钟?))(?![a-z])"
_RATES = tuple(
    (grammar(pattern), scale)
    for pattern, scale in (
        (rf"{NUMBER}\s?(?P<k>k)?\s?(?:rps|qps|r/s|tps(?= req))(?![a-z])", 1.0),
        (rf"{NUMBER}\s?(?P<k>k)?\s?{_REQUESTS}{_A_SECOND}", 1.0),
        (rf"每秒(?:钟)?\s?(?:发|打)?\s?{NUMBER}\s?(?P<k>k)?\s?(?:个|条|次)?(?:{_REQUESTS})?", 1.0),
        (rf"{NUMBER}\s?(?P<k>k)?\s?(?:rpm(?![a-z])|(?:个|条)?\s?{_REQUESTS}{_A_MINUTE})", 1 / 60),
        (rf"每分钟\s?(?:发|打)?\s?{NUMBER}\s?(?P<k>k)?\s?(?:个|条|次)?(?:{_REQUESTS})?", 1 / 60),
        (rf"(?<![a-z])(?:--)?(?:request[- _]?rates?|rates?|rps|qps|请求速率|速率|压力|到达率){BE}{NUMBER}{_K}", 1.0),
    )
)
_NO_RATE = grammar(
    r"as fast as (?:\w+ ){0,3}?(?:can(?: go)?|possible)|(?:unlimited|no|without(?: a)?|max(?:imum)?) (?:request )?(?:rate|rps|qps)(?: limit)?"
    r"|(?:request[- _]?rate|rate|rps|qps)\s?[=:]?\s?(?:inf(?:inity|inite)?|max|unlimited)\b|flat out|full (?:throttle|speed|blast)"
    r"|all at once(?! \d)|不限(?:制)?(?:速率?|qps|rps)|不限速|全速|(?:能|有)多快(?:就)?(?:发|跑|压)?多快|(?:速率|rps|qps)\s?(?:拉满|打满|不限)"
)
_SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_UNIT = r"(?:(?P<s>seconds?|secs?|s(?![a-z])|秒钟?)|(?P<m>minutes?|mins?|分钟?|m(?=\s?\d+\s?s\b))|(?P<h>hours?|hrs?|h(?![a-z\d])|h(?=\d{1,2}\s?m(?:in)?\b)|个?小时|个?钟头))"
_SPAN = grammar(
    rf"(?<![\w.:-])(?P<value>\d{{1,9}}(?:\.\d{{1,3}})?)\s?{_UNIT}(?![a-z])|(?<=[mh])(?P<rest>\d{{1,4}})\s?(?P<unit>[ms])(?![a-z\d])"
)
_LASTING_M = grammar(
    r"(?:\bfor|\bduration|\blasting|\bduring|跑|压|持续|时长|打|测)" + BE + NUMBER + r"\s?(?P<unit>[md])(?![a-z])"
)
_LASTING_S = grammar(r"\bduration(?:[-_ ]s(?:econds)?)?" + r"\s?[=:]\s?" + NUMBER + r"(?![\w.%])")
_AT_ONCE = tuple(
    grammar(pattern)
    for pattern in (
        r"(?<![a-z])(?:--)?(?:max[-_ ]?concurren(?:cy|t)(?: requests)?|concurrency|concurrent(?: (?:requests|users))?|conc|并发(?:数|量|度)?|users|c)"
        rf"{BE}{NUMBER}{_K}(?!\s?(?:rps|qps|prompts?|秒|分钟|min))",
        rf"{NUMBER}{_K}\s?(?:个|路|条)?\s?(?:concurren\w*|simultaneous\w*|parallel(?:ism)?|users?|clients?|streams?|sessions?"
        rf"|(?:{_REQUESTS}\s)?(?:in parallel|at once|at a time|at the same time|in flight|concurrently)|并发|用户|人同时|路(?!径|由)|线程)",
    )
)
_PROMPTS = tuple(
    grammar(pattern)
    for pattern in (
        rf"(?<![a-z])(?:--)?(?:num[-_ ]?prompts?|number of (?:prompts|requests)|prompts\s?[=:]|requests\s?[=:]|n\s?[=:]|请求(?:总)?数|总(?:请求)?数){BE}{NUMBER}{_K}",
        rf"{NUMBER}{_K}\s?(?:个|条|次)?\s?(?:total |random |的)?(?:prompts(?![a-z])|prompt(?=总)|requests?(?![a-z])|reqs?(?![a-z])|请求|提示词|样本|samples(?![a-z])|条(?!数|件))",
        rf"(?:发|打|灌|跑)\s?(?:个)?{NUMBER}{_K}\s?(?:个|条|次)(?!并发|小时|人)",
    )
)


def take_rate(scan: Scan) -> tuple[float | int | str | None, Scan]:
    """Requests a second, `inf` when there is to be no limit, None when nothing is said."""
    if found := _NO_RATE.search(scan.text):
        return "inf", scan.mark(*found.span())
    for pattern, scale in _RATES:
        if found := pattern.search(scan.text):
            return whole(_value(found) * scale), scan.mark(*found.span())
    return None, scan


def take_duration(scan: Scan) -> tuple[float | int | None, Scan]:
    """Seconds. A lone m is minutes only where a time is expected: `for 5m`."""
    total = 0.0
    found_all, scan = scan.take(_SPAN)
    for found in found_all:
        unit = found["unit"] or next(name for name in "smh" if found[name])
        total += float(found["value"] or found["rest"]) * _SECONDS[unit]
    if not found_all and (lasting := _LASTING_M.search(scan.text)):
        total, scan = float(lasting["value"]) * _SECONDS[lasting["unit"]], scan.mark(*lasting.span())
    if not total and (lasting := _LASTING_S.search(scan.text)):
        total, scan = float(lasting["value"]), scan.mark(*lasting.span())
    return (whole(total) if found_all or total else None), scan


def take_concurrency(scan: Scan) -> tuple[int | None, Scan]:
    """Requests at once."""
    return _first(scan, _AT_ONCE)


def take_prompts(scan: Scan) -> tuple[int | None, Scan]:
    """How many requests in all; k is 1,000 of them."""
    return _first(scan, _PROMPTS)


def _first(scan: Scan, patterns: tuple[re.Pattern[str], ...]) -> tuple[int | None, Scan]:
    for pattern in patterns:
        if found := pattern.search(scan.text):
            return round(_value(found)), scan.mark(*found.span())
    return None, scan


def _value(found: re.Match[str]) -> float:
    return float(found["value"]) * (1000 if found["k"] else 1)


def whole(value: float) -> float | int:
    """`20.0` is 20; other figures keep six digits behind the point."""
    return int(value) if value == int(value) else round(value, 6)


def said_load(scan: Scan) -> tuple[dict[str, Any], Scan]:
    """Rate, duration, requests at once and requests in all, by the contract's names."""
    said: dict[str, Any] = {}
    for name, take in (
        ("request_rate", take_rate),
        ("max_concurrency", take_concurrency),
        ("num_prompts", take_prompts),
        ("duration_s", take_duration),
    ):
        value, scan = take(scan)
        if value is not None:
            said[name] = value
    return said, scan
