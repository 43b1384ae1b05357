"""A request's words made plain for its grammars: numerals as digits, weekdays by their English names, clock times as 9:30."""

from bot.understand.fold import narrow
from bot.understand.numbers import chinese, fold
from bot.understand.scan import Scan, grammar

DAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")  # by cron's numbers
_ZH_DAYS = {"日": "sun", "天": "sun", "一": "mon", "二": "tue", "三": "wed", "四": "thu", "五": "fri", "六": "sat"}
_WEEK = r"(?:周|星期|礼拜)"
# A numeral before 点 is the hour's, not another weekday: 周三三点.
_ZH_WEEKDAYS = grammar(rf"{_WEEK}([一二三四五六日天](?:[、,/和]?{_WEEK}?[一二三四五六日天](?!\s?[点號号]))*)")
_ZH_COUNTED = grammar(
    r"(?<![拜第])([零一二两三四五六七八九十]{1,3})"
    r"(?=\s?(?:点(?!儿)|分钟?|刻|秒|个?小时|个?钟头|天|号|周(?![一二三四五六日末])|行|条|轮(?!压|测)|倍))"
)
_HOUR = r"(\d{1,2})\s?[点點]"
_CLOCKS = (
    (grammar(rf"{_HOUR}\s?半"), r"\1:30"),
    (grammar(rf"{_HOUR}\s?[一1]\s?刻"), r"\1:15"),
    (grammar(rf"{_HOUR}\s?[三3]\s?刻"), r"\1:45"),
    (grammar(rf"{_HOUR}\s?(\d\d)(?!\d)\s?分?"), r"\1:\2"),
    (grammar(rf"{_HOUR}\s?(\d)(?!\d)\s?分"), r"\1:0\2"),
    (grammar(rf"{_HOUR}(?:钟|整)?(?!\d)"), r"\1:00"),
)
_AND_A_HALF = grammar(r"(\d+|[一两二三])\s?个半\s?(?:小时|钟头)|\b(\d+|an?|one) (?:hours? )?and a half(?: hours?)?\b")
_HALVES = {"一": 1, "a": 1, "an": 1, "one": 1, "两": 2, "二": 2, "三": 3}
_HALF_HOUR = grammar(r"半\s?个?\s?(?:小时|钟头)|\bhalf (?:an |a )?hour\b|\bhalf-hour\b")
_QUARTER = grammar(r"(?:一|1)刻钟|\b(?:a )?quarter of an hour\b")
_ONE = grammar(r"\ban? (?=hour\b|minute\b|min\b|day\b|week\b)|一(?=个?小时|个?钟头|分钟|天(?!天))")
_SLASH = grammar(r"^\s*/(?:vllm\b\s*)?(?=[a-z])")


def wording(text: str) -> Scan:
    """The scan of a message's plain text, with nothing in it understood yet."""
    said = _SLASH.sub("", narrow(text).strip())
    said = _ZH_WEEKDAYS.sub(lambda found: f" {','.join(_ZH_DAYS[day] for day in found[1] if day in _ZH_DAYS)} ", said)
    said = _AND_A_HALF.sub(lambda found: f"{60 * _number(found[1] or found[2]) + 30} min", said)
    said = _QUARTER.sub("15 min", said)
    said = _ONE.sub("1 ", _HALF_HOUR.sub(" 30 min ", said))
    said = fold(_ZH_COUNTED.sub(lambda found: str(chinese(found[1])), said))
    for pattern, written in _CLOCKS:
        said = pattern.sub(written, said)
    return Scan.of(said)


def _number(said: str) -> int:
    return _HALVES.get(said) or int(said)
