"""Five cron fields as people say them: `30 9 * * 1-5` is every weekday at 9:30."""

import re

from bot.settings import Language
from bot.text.phrases import say


def in_words(cron: str, language: Language) -> str:
    """The schedule in words; fields that the grammar of requests never makes are shown as they are."""
    minute, hour, day, _, weekday = cron.split()
    if hour.startswith("*"):
        return say(language, "clock.hours", step=hour.partition("/")[2], minute=minute)
    hours = hour.split(",")
    if not minute.isdigit() or not all(each.isdigit() for each in hours):
        return f"cron {cron}"
    times = [f"{int(each)}:{int(minute):02d}" for each in hours]
    return say(language, "clock.at", days=_days(day, weekday, language), times=times)


def _days(day: str, weekday: str, language: Language) -> str:
    if day.startswith("*/"):
        return say(language, "clock.every_days", step=day[2:])
    if day != "*":
        return say(language, "clock.of_month", day=day)
    if weekday == "*":
        return say(language, "clock.every_day")
    if weekday == "1-5":
        return say(language, "clock.weekdays")
    first, _, last = weekday.partition("-")
    numbers = [str(number) for number in range(int(first), int(last) + 1)] if last else weekday.split(",")
    return say(language, "clock.on_days", names=[say(language, f"clock.day_{number}") for number in numbers])


_BACK = re.compile(r"now-(\d+)([mhdwM])")
# Stretches that have a name of their own; others are shown as they are.
_NAMED = {
    ("now-1d/d", "now/d"): "yesterday",
    ("now-1d/d", "now"): "since_yesterday",
    ("now-2d/d", "now-1d/d"): "day_before",
    ("now-1d/d+18h", "now/d+6h"): "last_night",
    ("now/d+6h", "now/d+12h"): "morning",
    ("now/d", "now"): "today",
    ("now-1w/w", "now/w"): "last_week",
    ("now/w", "now"): "this_week",
    ("now-1M/M", "now/M"): "last_month",
}


# Days as requests name them, by their sentences; others are written as they are.
_DAYS = {"this_morning": "morning", "day_before_yesterday": "day_before"}
_SAID = frozenset({"yesterday", "last_night", "today", "last_week", "this_week", "last_month"})


def day(word: str, language: Language) -> str:
    """A day that was named, as `last_week`."""
    name = _DAYS.get(word, word if word in _SAID else "")
    return say(language, f"clock.{name}") if name else word.replace("_", " ")


def stretch(start: str, end: str, language: Language) -> str:
    """A stretch of time behind us: the last 24 hours, yesterday, since Monday."""
    if named := _NAMED.get((start, end)):
        return say(language, f"clock.{named}")
    back = _BACK.fullmatch(start)
    if back and end == "now":
        return say(language, f"clock.last_{'months' if back[2] == 'M' else back[2]}", number=int(back[1]))
    return say(language, "clock.since" if end == "now" else "clock.between", start=start, end=end)
