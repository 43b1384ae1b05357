"""How often and when: `every weekday at 9:30 shanghai time` as five cron fields and a time zone."""

import re
from dataclasses import dataclass

from bot.commands.quantities import take_rate
from bot.commands.wording import DAYS
from bot.understand.scan import Scan, grammar

HOURLY_S = 3600  # the least time between two posts
_DAY = r"(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:days?)?(?![a-z])"
_DAYS_SAID = grammar(
    rf"(?<![a-z])(?P<first>{_DAY})\s?(?:-|–|to|through|thru|till|到|至|~)\s?(?P<last>{_DAY})|(?<![a-z])(?P<one>{_DAY})(?:\s?(?:,|and|&|/|、|和|跟)\s?(?:{_DAY}))*"
)
_EACH_DAY = grammar(rf"(?<![a-z]){_DAY}")
_WORKDAYS = grammar(
    r"\b(?:week ?days?|work(?:ing)? ?days?|business days?)\b|工作日|(?:上班|工作)(?:时间)?的?(?:每)?(?:天|日)|周中"
)
_WEEKENDS = grammar(r"\bweekends?\b|周末|双休")
_MONTHLY = grammar(
    r"(?:on the\s)?(?P<day>\d{1,2})(?:st|nd|rd|th)\b(?:\s(?:of|day))?(?:\s(?:each|every|the|a))*(?:\smonth)?|\b(?P<first>first) (?:day )?(?:of )?(?:each|every|the) month"
    r"|(?:每个?月|每月)\s?(?P<zh>\d{1,2})\s?[号日]|\bmonthly\b|每个?月(?:初)?"
)
_EVERY_N = grammar(
    r"(?:\bevery|\beach|每隔?|隔)\s?(?P<other>other\s)?(?P<number>\d{1,5})?\s?(?:个\s?)?"
    r"(?P<unit>seconds?|secs?|s(?![a-z])|秒钟?|minutes?|mins?|m(?![a-z])|分钟?|hours?|hrs?|h(?![a-z])|小时|钟头|(?:days?|天|日)(?!报)|weeks?|周(?!末)|星期)"
    r"|\b(?P<adverb>hourly|minutely)\b"
)
_DAILY = grammar(
    r"\b(?:every|each) ?(?:single )?(?:day|morning|evening|night|afternoon|noon)\b|\b(?:daily|nightly)\b|每(?:天|日|早|晚|夜)|天天|每个?(?:早上|早晨|晚上|上午|下午)"
)
_WEEKLY = grammar(r"\b(?:weekly|every week|each week|once a week)\b|每(?:个)?(?:周|星期)(?!末)|周报")
_STRONG = grammar(
    r"\b(?:every|each)\b|每|工作日|\b(?:weekdays|weekends|workdays|(?:mon|tues|wednes|thurs|fri|satur|sun)days)\b|\b(?:twice|once|\d times) (?:a|per) (?:day|week)|\bcron\b|\bhourly\b|天天|定时|定期"
)
_CRON = grammar(
    r"(?<![\w*/,-])(?P<cron>[\d*/,-]+(?:\s[\d*/,-]+){3}\s(?:[\d*/,-]+|(?:sun|mon|tue|wed|thu|fri|sat)(?:-(?:sun|mon|tue|wed|thu|fri|sat))?))(?![\w*/,-])"
)
_PART = r"(?P<part>凌晨|清晨|清早|早上|早晨|早|上午|中午|下午|午后|傍晚|晚上|晚间|晚|夜里|半夜)"
_CLOCK = grammar(
    rf"(?:{_PART}\s?)?(?<![\w:.])(?P<hour>\d{{1,2}}):(?P<minute>\d\d)(?!\d)\s?(?P<half>[ap]\.?m\.?(?![a-z]))?"
    r"|(?<![\w:.])(?P<hour2>\d{1,2})\s?(?P<half2>[ap]\.?m\.?(?![a-z]))"
    r"|(?<![\w:.])(?P<hour4>\d{1,2})(?P<minute4>\d\d)\s?(?:hrs|hours|h)(?![a-z])"
    r"|\b(?:at|by|around|to|@)\s?(?P<hour3>\d{1,2})(?![\d:.%]|\s?(?:rps|qps|minutes?|mins?|hours?|days?|users?|am|pm|percent|%))(?:\s?o'?clock)?"
    r"|\b(?P<noon>noon|midday)\b|\b(?P<midnight>midnight)\b"
)
_MORE_HOURS = grammar(
    r"\s?(?:,|and|&|、|和|跟|/)\s?(?:at\s)?(?P<hour>\d{1,2})(?::(?P<minute>\d\d))?\s?(?P<half>[ap]m)?(?![\w:])"
)
_QUARTERS = grammar(r"\b(?:(?P<half>half past)|(?P<quarter>quarter past)|(?P<to>quarter to)) (?P<hour>\d{1,2})\b")
_PARTS_OF_DAY = (
    (grammar(r"\bmorning|早|上午"), 9),
    (grammar(r"\bevening|傍晚"), 18),
    (grammar(r"\bafternoon|下午"), 14),
)
_STRETCH = grammar(r"\b(?:since|from|between|until)\b|以来|到现在|开始")
_EVENING = grammar(r"\b(?:in the )?(?:evening|night|tonight|afternoon)\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recurrence:
    """`cron` None: said how often and not when. `strong` says that it was said as a habit (every …), not as a report's name (daily).

    `period_s` are the seconds between two posts where that is less than a day, else None.
    """

    cron: str | None
    strong: bool
    period_s: int | None = None
    days: str = "*"


def take_recurrence(scan: Scan) -> tuple[Recurrence | None, Scan]:
    """How often and when, None when neither is said, and the scan without the time of day."""
    _, scan = take_rate(scan)  # 每秒 15 个请求 is a rate
    if found := _CRON.search(scan.text):
        return Recurrence(cron=_by_numbers(found["cron"]), strong=True), scan.mark(*found.span())
    strong = _STRONG.search(scan.text) is not None
    if (every := _EVERY_N.search(scan.text)) and (period := _period(every)) and period < 86_400:
        return _within_a_day(period), scan.mark(*every.span())
    day_of_month, scan = _take_month(scan)
    weekdays = _weekdays(scan.text)
    step = _step(every) if every else None
    times, scan = take_times(scan)
    often = weekdays or day_of_month or step or _DAILY.search(scan.text) or _WEEKLY.search(scan.text)
    if not often and not times:
        return None, scan
    times = times or _usual(scan.text)
    days = weekdays or ("1" if _WEEKLY.search(scan.text) and times and not _DAILY.search(scan.text) else "*")
    cron = _cron(times, day_of_month or step or "*", days) if times else None
    return Recurrence(cron=cron, strong=strong or _a_habit(scan.text, weekdays, times), days=days), scan


def _a_habit(text: str, weekdays: str | None, times: list[tuple[int, int]]) -> bool:
    """Whether days and an hour say when something is to be done, and not since when something is."""
    return bool(weekdays and times) and _STRETCH.search(text) is None


def take_times(scan: Scan) -> tuple[list[tuple[int, int]], Scan]:
    """Hours and minutes of the day, in order, and the scan without them."""
    if found := _QUARTERS.search(scan.text):
        hour = int(found["hour"]) % 24
        time = (hour, 30) if found["half"] else (hour, 15) if found["quarter"] else ((hour - 1) % 24, 45)
        return [time], scan.mark(*found.span())
    times: list[tuple[int, int]] = []
    place, late = 0, _EVENING.search(scan.text) is not None
    while found := _CLOCK.search(scan.text, place):
        times += _time(found, late=late)
        place = found.end()
        scan = scan.mark(*found.span())
        while more := _MORE_HOURS.match(scan.text, place):
            times.append(_hour(int(more["hour"]), int(more["minute"] or 0), more["half"]))
            place = more.end()
            scan = scan.mark(*more.span())
    return times[:6], scan


def _time(found: re.Match[str], *, late: bool) -> list[tuple[int, int]]:
    if found["noon"]:
        return [(12, 0)]
    if found["midnight"]:
        return [(0, 0)]
    hour = int(found["hour"] or found["hour2"] or found["hour3"] or found["hour4"])
    minute = int(found["minute"] or found["minute4"] or 0)
    half = found["half"] or found["half2"]
    if found["part"]:
        half = _half(found["part"], hour)
    elif late and not half and hour < 12:
        half = "pm"
    return [_hour(hour, minute, half)] if hour <= 24 and minute < 60 else []


def _half(part: str, hour: int) -> str | None:
    if part in ("晚上", "晚间", "晚", "夜里") and hour < 6:
        return "am"  # past midnight
    if part in ("下午", "午后", "傍晚", "晚上", "晚间", "晚", "夜里"):
        return "pm" if hour < 12 else None
    if part == "中午":
        return "pm" if hour < 5 else None
    return "am" if part in ("凌晨", "半夜") else None


def _hour(hour: int, minute: int, half: str | None) -> tuple[int, int]:
    said = (half or "").replace(".", "")
    if said == "pm" and hour < 12:
        hour += 12
    elif said == "am" and hour == 12:
        hour = 0
    return hour % 24, minute


def _period(every: re.Match[str]) -> int | None:
    """Seconds from one to the next where an interval is said; None for `every day`."""
    if every["adverb"]:
        return 3600 if every["adverb"] == "hourly" else 60
    number = int(every["number"] or (2 if every["other"] else 1))
    unit = every["unit"]
    for beginnings, seconds in (
        (("s", "秒"), 1),
        (("m", "分"), 60),
        (("h", "小时", "钟头"), 3600),
        (("d", "天", "日"), 86_400),
    ):
        if unit.startswith(beginnings):
            return number * seconds
    return None


def _within_a_day(period: int) -> Recurrence:
    if period < 60:
        return Recurrence(cron=None, strong=True, period_s=period)
    if period < 3600:
        return Recurrence(cron=f"*/{period // 60} * * * *", strong=True, period_s=period)
    hours = period // 3600
    return Recurrence(cron=f"0 {'*' if hours == 1 else f'*/{hours}'} * * *", strong=True, period_s=period)


def _step(every: re.Match[str]) -> str | None:
    """Every other day, every 3 days: as a step of the day of the month."""
    number = int(every["number"] or (2 if every["other"] else 1))
    return f"*/{number}" if number > 1 and every["unit"] and every["unit"].startswith(("d", "天", "日")) else None


def _take_month(scan: Scan) -> tuple[str | None, Scan]:
    found = _MONTHLY.search(scan.text)
    if found is None:
        return None, scan
    day = found["day"] or found["zh"] or "1"
    return (str(int(day)) if 1 <= int(day) <= 31 else None), scan.mark(*found.span())


def _weekdays(text: str) -> str | None:
    """Cron's day field, None when no day is named."""
    if _WORKDAYS.search(text):
        return "1-5"
    if _WEEKENDS.search(text):
        return "0,6"
    found = _DAYS_SAID.search(text)
    if found is None:
        return None
    if found["first"]:
        first, last = _number(found["first"]), _number(found["last"])
        return f"{first}-{last}" if first < last else ",".join(str(day) for day in sorted(_around(first, last)))
    return ",".join(str(day) for day in sorted({_number(day[0]) for day in _EACH_DAY.finditer(found[0])}))


def _around(first: int, last: int) -> set[int]:
    return {day % 7 for day in range(first, last + 8) if day <= last + 7}


def _number(day: str) -> int:
    return DAYS.index(day[:3])


def _by_numbers(cron: str) -> str:
    for number, day in enumerate(DAYS):
        cron = cron.replace(day, str(number))
    return cron


def _usual(text: str) -> list[tuple[int, int]]:
    """The hour that a part of the day stands for; none for a night, which may be either side of midnight."""
    return next(([(hour, 0)] for pattern, hour in _PARTS_OF_DAY if pattern.search(text)), [])


def _cron(times: list[tuple[int, int]], day: str, weekdays: str) -> str:
    minutes = sorted({minute for _, minute in times})
    hours = ",".join(str(hour) for hour in sorted({hour for hour, _ in times}))
    return f"{minutes[0]} {hours} {day} * {weekdays}"
