"""What comes again and again: reports and benchmarks at a time, moved, paused, ended."""

from typing import Any

from bot.commands import limits, signs
from bot.commands.command import Command, Name
from bot.commands.loads import take_load
from bot.commands.places import take_place
from bot.commands.recurrences import Recurrence, take_recurrence
from bot.commands.zones import two_ways, zone
from bot.understand.scan import Scan, grammar
from bot.understand.understood import Language

_CHANNEL = grammar(r"#(?P<name>[\w\u4e00-\u9fff-]{1,80})")
_HERE = grammar(
    r"\bhere\b|\bthis (?:channel|group|chat|thread)\b|(?:这|本)(?:个)?(?:群|频道|channel|里|儿)|这里|这儿|本群|群里"
)
_ASIA_SHANGHAI = "Asia/Shanghai"


def read(name: Name, scan: Scan, language: Language) -> Command:
    """A command about schedules, with what it lacks."""
    match name:
        case Name.SCHEDULE_CREATE:
            return _created(scan, language)
        case Name.SCHEDULE_UPDATE:
            return _updated(scan, language)
        case _:
            arguments = _subject(scan) if name is Name.SCHEDULE_DELETE else {}
            return Command(name=name, arguments=arguments | {"channel": _channel(scan.text) or "this"})


def _created(scan: Scan, language: Language) -> Command:
    found, rest = take_recurrence(scan)
    arguments: dict[str, Any] = _subject(scan) or {"what": "health_report"}
    arguments |= {"cron": found.cron} if found and found.cron else {}
    arguments |= _where_and_zone(rest, language)
    if arguments["what"] == "bench_run":
        arguments["request"] = take_load(rest).arguments
    else:
        arguments |= take_place(rest)[0]
    missing = [] if found and (found.cron or found.period_s) else ["time"]
    missing += [] if "tz" in arguments else ["timezone"]
    assumed = {} if "channel" in arguments else {"channel": "this"}
    if "time" in missing:
        assumed["cron"] = f"0 9 * * {found.days if found else '*'}"
    return Command(
        name=Name.SCHEDULE_CREATE,
        arguments=arguments,
        missing=tuple(missing),
        assumed=assumed,
        ambiguous=_ambiguous(rest.text, language),
        problems=limits.recurrence_problems(found),
    )


def _updated(scan: Scan, language: Language) -> Command:
    arguments: dict[str, Any] = _subject(scan)
    found: Recurrence | None = None
    if signs.PAUSE.search(scan.text):
        arguments["paused"] = True
    elif signs.RESUME.search(scan.text):
        arguments["paused"] = False
    else:
        found, _ = take_recurrence(scan)
        arguments |= {"cron": found.cron} if found and found.cron else {}
    arguments |= _where_and_zone(scan, language)
    return Command(
        name=Name.SCHEDULE_UPDATE,
        arguments=arguments,
        missing=() if "what" in arguments else ("what",),
        ambiguous=_ambiguous(scan.text, language),
        problems=limits.recurrence_problems(found),
    )


def _subject(scan: Scan) -> dict[str, Any]:
    """What the schedule does, nothing when it is not said."""
    if signs.REPORT.search(scan.text):
        return {"what": "health_report"}
    if signs.BENCH_VERB.search(scan.text):
        return {"what": "bench_run"}
    return {"what": "health_report"} if signs.HEALTH_ALONE.search(scan.text) else {}


def _where_and_zone(scan: Scan, language: Language) -> dict[str, str]:
    named = zone(scan.text) or (_ASIA_SHANGHAI if language == "zh" and two_ways(scan.text) else None)
    channel = _channel(scan.text)
    return ({"tz": named} if named else {}) | ({"channel": channel} if channel else {})


def _channel(text: str) -> str | None:
    """`this`, `#name`, or None when no channel is named."""
    if named := _CHANNEL.search(text):
        return f"#{named['name']}"
    return "this" if _HERE.search(text) else None


def _ambiguous(text: str, language: Language) -> tuple[str, ...]:
    return ("cst",) if language == "en" and two_ways(text) else ()
