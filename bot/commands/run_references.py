"""Which runs are meant: by number, as the baseline, as the one before, and when that was."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from bot.understand.scan import Scan, grammar

Run = int | dict[str, str]

_KIND = r"(?:re-?runs?|re-?bench|repeat|redo|重跑|重测|重压|再跑|复跑|base(?:d on)?|runs?|jobs?|bench(?:mark)?s?|tests?|任务|运行|压测|测试|编号)"
_NUMBERED = grammar(
    rf"(?<![a-z]){_KIND}\s?(?:#|no\.?|number|id|号)?\s?[:=]?\s?(?P<value>\d{{1,7}})(?![\w.%]|\s?(?:lines?|rps|qps|prompts?|requests?|条|个|行|次|遍|秒|分钟|min|s\b))"
    r"|#\s?(?P<hash>\d{1,7})(?!\w)|第?\s?(?P<zh>\d{1,7})\s?号?(?:任务|压测|运行|run\b|job\b)|(?P<ordinal>\d{1,7})\s?号"
)
_BARE = grammar(
    r"(?<![\w.:=%-])(?P<value>\d{1,7})(?!['’]?[a-rt-z\d]|[.:]\d|\s?(?:%|lines?\b|行|rps|qps|ms\b|条|小时|天|分钟|hours?|days?|min))"
)
_BASELINE = grammar(
    r"(?:(?:the )?(?:last|previous|latest) |(?:上一?[次个]|之前)(?:的)?\s?)?(?:\bbase ?lines?\b|基线)|基准(?:线|运行|那次)?(?!测试)"
)
_PREVIOUS = grammar(
    r"\b(?:the |my |our |that |this )?(?:last|previous|latest|most recent|newest|prior|preceding)\s(?:(?:finished |completed |bench\w* |load )?(?:runs?|jobs?|bench\w*|tests?|one|results?|time)\b)"
    r"|\bthe (?:previous|last|latest|prior)\b(?!\s(?:\d|hour|day|week|month|minute|night|few|couple|lines?))|\b(?:last|latest|previous) (?:run|bench\w*|one)\b"
    r"|(?:上|前|最近|最新|刚才|刚刚|刚)(?:的)?(?:一|1)?(?:次|轮|个|遍|回)?(?:的)?\s?(?:那(?:次|轮|个|遍))?\s?(?:压测|bench\w*|run\b|运行|任务|测试|结果)"
    r"|(?:上|前|最近|最新)(?:一|1)?(?:次|轮|遍|回|条)|刚才(?:那)?(?:次|轮|个|遍)|上个(?!月|星期|周|小时)"
)
MOST = 6  # runs that are meant by the last so many
_LAST_FEW = grammar(
    r"\b(?:the |my |our )?(?:last|previous|latest|most recent) (?P<number>[2-9]) (?:finished |completed |bench\w* )?(?:runs|bench\w*|tests|results)\b"
    r"|(?:最近|最后|前)(?:的)?\s?(?P<zh>[2-9两三四五])\s?(?:次|轮|个)(?:的)?\s?(?:压测|运行|run|bench|结果|任务)?"
)
_WHEN = tuple(
    (grammar(pattern), word)
    for pattern, word in (
        (r"day before yesterday|前天|前日", "day_before_yesterday"),
        (r"last night'?s?\b|yesterday (?:evening|night)|昨晚|昨天晚上|昨夜", "last_night"),
        (r"yesterday'?s?\b|昨天|昨日", "yesterday"),
        (r"this morning'?s?\b|今早|今天(?:早上|上午)|早上那", "this_morning"),
        (r"this afternoon'?s?\b|今天下午|下午那", "this_afternoon"),
        (r"\btoday'?s?\b|今天|今日", "today"),
        (r"last week'?s?\b|上周(?!\s?(?:mon|tue|wed|thu|fri|sat|sun))|上个?(?:星期|礼拜)", "last_week"),
        (r"this week'?s?\b|这周|本周", "this_week"),
        (r"last month'?s?\b|上个?月", "last_month"),
    )
)
_DAYS = {
    "mon": "monday",
    "tue": "tuesday",
    "wed": "wednesday",
    "thu": "thursday",
    "fri": "friday",
    "sat": "saturday",
    "sun": "sunday",
}
_WEEKDAY = grammar(
    r"(?P<last>\blast |上\s?)?(?<![a-z])(?P<day>mon|tue|wed|thu|fri|sat|sun)(?:(?:nes|rs|s|ur)?day)?'?s?(?![a-z])"
)
_DATE = grammar(r"(?<!\d)(20\d\d-\d\d-\d\d)(?!\d)")
_AGO = grammar(r"(?<![\w.])(\d{1,3}) (hour|day|week|month)s? ago|(\d{1,3})\s?个?(小时|天|周|月)前")
_AGO_UNITS = {"小时": "hour", "天": "day", "周": "week", "月": "month"}


@dataclass(frozen=True, slots=True)
class Reference:
    """One run that was named, and where."""

    run: Run
    start: int
    end: int


def when(text: str) -> str | None:
    """The day or time that was named: `yesterday`, `last_week`, `friday`, `2026-03-01`, `3_days_ago`; None when none was."""
    if dated := _DATE.search(text):
        return dated[1]
    if ago := _AGO.search(text):
        number, unit = ago[1] or ago[3], ago[2] or _AGO_UNITS[ago[4]]
        return f"{number}_{unit}s_ago"
    for pattern, word in _WHEN:
        if pattern.search(text):
            return word
    if day := _WEEKDAY.search(text):
        return ("last_" if day["last"] else "") + _DAYS[day["day"]]
    return None


def _last(scan: Scan, found: list[Reference]) -> Scan:
    """The last so many runs, the newest last: `nth` 1, which is left out, is the last one."""
    several = _LAST_FEW.search(scan.text)
    if several is None:
        return scan
    for nth in range(min(_number(several["number"] or several["zh"]), MOST), 0, -1):
        run: Run = {"ref": "previous"} | ({"nth": str(nth)} if nth > 1 else {})
        found.append(Reference(run, several.start(), several.end()))
    return scan.mark(*several.span())


def _number(said: str) -> int:
    return "两三四五".find(said) + 2 if said in "两三四五" else int(said)


def references(scan: Scan, *, bare: bool = False) -> tuple[list[Reference], Scan]:
    """Every run named, in order, and the scan without them. `bare` takes numbers alone for runs: `compare 12 and 15`."""
    found: list[Reference] = []
    scan = _take(scan, _NUMBERED, found, lambda match: int(next(group for group in match.groups() if group)))
    scan = _last(scan, found)
    moment = when(scan.text)
    scan = _take(scan, _BASELINE, found, lambda _: _ref("baseline", moment))
    scan = _take(scan, _PREVIOUS, found, lambda _: _ref("previous", moment))
    if bare:
        scan = _take(scan, _BARE, found, lambda match: int(match["value"]))
    return sorted(found, key=lambda reference: reference.start), scan


def _take(scan: Scan, pattern: re.Pattern[str], found: list[Reference], run: Callable[[re.Match[str]], Run]) -> Scan:
    for match in list(pattern.finditer(scan.text)):
        found.append(Reference(run(match), *match.span()))
        scan = scan.mark(*match.span())
    return scan


def _ref(kind: str, moment: str | None) -> dict[str, str]:
    return {"ref": kind} | ({"when": moment} if moment else {})
