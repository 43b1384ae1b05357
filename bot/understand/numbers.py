"""Numbers as people write them: `16k`, `1.6万`, `3 万 2`, `十二万八`, `16,384`, `10^12`, `two`, all folded to digits."""

import re

from bot.understand.scan import grammar

K, M = 2**10, 2**20  # of tokens: 16k is 16,384 and 1M is 1,048,576; 万 is 10,000
LIMIT = 10**15  # nothing that is asked about is larger; keeps nonsense cheap

_ZH_DIGITS = {
    "零": 0,
    "〇": 0,
    "一": 1,
    "二": 2,
    "两": 2,
    "俩": 2,
    "三": 3,
    "四": 4,
    "五": 5,
    "六": 6,
    "七": 7,
    "八": 8,
    "九": 9,
}
_ZH_UNITS = {"十": 10, "百": 100, "千": 1000, "万": 10_000, "亿": 100_000_000}
_ZH_RUN = grammar(r"[零〇一二两俩三四五六七八九十][零〇一二两俩三四五六七八九十百千万亿]*")
# A single numeral is a number only before something that is counted: 一直, 一下, 三方 stay words.
_ZH_COUNTED = grammar(
    r"\s?(?:[张块卡颗片路机台人条份]|节点|并发|用户|请求|个(?:人|卡|用户|并发|请求|节点|会话|gpu)|[kw]\b|gpu|b\b|bit|比特|位)",
    re.IGNORECASE,
)
_ZH_TWO = grammar("双(?=机|节点|台)")
_MIXED_ZH = grammar(
    r"(?<![\w.])(\d{1,9}(?:\.\d{1,6})?)\s?(万亿|百万|千万|十万|[万千百]|亿(?!\s?(?:参数|的?模型|规模)))(?:\s?(\d(?:\.\d+)?|[一二三四五六七八九])"
    r"(?:千(?![克兆])|(?![\d.\s]*[a-zA-Z张块卡个台路×*])(?!\d)))?"
)
_W = grammar(r"(?<![\w.])(\d{1,3}(?:\.\d{1,4})?)w(?![a-z\d])|(?<![\w.])(\d{1,3})w(\d)(?![\w.])", re.IGNORECASE)
_GROUPED = grammar(r"(?<![\w.,])\d{1,3}(?:(?:,\d{3})+|(?:_\d{3})+)(?![\d,_]|\s?[kKmM%])")
_POWER = grammar(r"(?<![\w.])(\d{1,4})\s?(?:\^|\*\*)\s?(\d{1,3})(?!\w)")
_EXPONENT = grammar(r"(?<![\w.])(\d{1,6}(?:\.\d{1,6})?)[eE]\+?(\d{1,3})(?!\w)")

_TO_NINETEEN = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen "
)
_EN_SMALL = {word: value for value, word in enumerate(_TO_NINETEEN.split())}
_EN_SMALL |= {
    word: 10 * (2 + tens)
    for tens, word in enumerate(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"])
}
_EN_LARGE = {"hundred": 100, "thousand": 1000, "million": 1_000_000, "dozen": 12}
_NUMERAL = "|".join([*_EN_SMALL, *_EN_LARGE])
_EN_RUN = grammar(
    rf"\b(?:(?:half\s)?an?\s(?=(?:hundred|thousand|million|dozen)\b))?(?:{_NUMERAL})(?:[\s-](?:and\s)?(?:{_NUMERAL}))*\b",
    re.IGNORECASE,
)
_DIGITS_LARGE = grammar(
    r"(?<![\w.])(\d{1,9}(?:\.\d{1,6})?)\s?(hundred|thousand|million|mil|billion)\b(?!\s*(?:param|weight|model))",
    re.IGNORECASE,
)
_COUPLE = grammar(r"\b(?:(?:an?\s)?couple(?:\sof)?|an?\spair(?:\sof)?|pair\sof)\b(?=\s\S)", re.IGNORECASE)

# One number with its unit, for grammars that need it: `\d`, `.9`, `16k`, `1.5M`.
NUMBER = r"(?<![a-z0-9_.])(?:\d{1,15}(?:\.\d{1,6})?|\.\d{1,6})"
TOKENS = rf"(?>{NUMBER}(?![\d.]*\s?gi?b?(?![a-z]))\s?(?:[km](?:i(?![a-z]))?(?:tok(?:en)?s?\b|\b|(?=[^\x00-\x7f])))?)"


def chinese(run: str) -> int | None:
    """`十二万八` -> 128,000; a digit after a unit stands for the next lower one. None for what is no numeral (万一 never gets here)."""
    total = section = digit = 0
    last_unit = 1
    for char in run:
        if char in _ZH_DIGITS:
            digit = digit * 10 + _ZH_DIGITS[char] if digit else _ZH_DIGITS[char]
            last_unit = last_unit if _ZH_DIGITS[char] else 1
            continue
        unit = _ZH_UNITS[char]
        if unit >= 10_000:
            total = min((total + section + digit) * unit if total + section + digit else unit, LIMIT)
            section = 0
        else:
            section += (digit or 1) * unit
        digit, last_unit = 0, unit
    if last_unit >= 100 and digit:
        digit *= last_unit // 10
    return total + section + digit


def _fold_chinese(found: re.Match[str]) -> str:
    run = found[0]
    numeral = len(run) >= 2 and any(char in _ZH_UNITS for char in run)
    several = run != "一" and found.string.startswith("个", found.end())
    if not numeral and not several and not _ZH_COUNTED.match(found.string, found.end()):
        return run
    return str(chinese(run))


def _fold_mixed(found: re.Match[str]) -> str:
    unit = 1
    for char in found[2]:
        unit *= _ZH_UNITS[char]
    value = float(found[1]) * unit
    if found[3]:
        value += float(_ZH_DIGITS.get(found[3], 0) or found[3]) * unit / 10
    return str(min(round(value), LIMIT))


def _fold_english(found: re.Match[str]) -> str:
    words = re.findall(r"[a-z]+", found[0].lower())
    if words == ["one"]:
        return found[0]
    half, total, section = words[0] == "half", 0, 0
    for word in words:
        if word in _EN_SMALL:
            section += _EN_SMALL[word]
        elif word in ("hundred", "dozen"):
            section = max(section, 1) * _EN_LARGE[word]
        elif word in _EN_LARGE:
            total, section = total + max(section, 1) * _EN_LARGE[word], 0
    return str((total + section) // 2 if half else total + section)


def _fold_large(found: re.Match[str]) -> str:
    scale = {"hundred": 100, "thousand": 1000, "million": 10**6, "mil": 10**6, "billion": 10**9}[found[2].lower()]
    return str(min(round(float(found[1]) * scale), LIMIT))


def _power(base: float, exponent: int, ten: float) -> str:
    return str(min(round(base * ten**exponent), LIMIT) if exponent < 40 else LIMIT)


def fold(text: str) -> str:
    """`text` with its numerals as plain digits; k and M stay, as do numbers inside names."""
    text = _GROUPED.sub(lambda found: re.sub("[,_]", "", found[0]), text)
    text = _POWER.sub(lambda found: _power(1, int(found[2]), int(found[1])), text)
    text = _EXPONENT.sub(lambda found: _power(float(found[1]), int(found[2]), 10), text)
    if not text.isascii():
        text = _MIXED_ZH.sub(_fold_mixed, text)
        text = _ZH_RUN.sub(_fold_chinese, text)
        text = _ZH_TWO.sub("2", text)
    text = _W.sub(lambda found: str(round(float(found[1] or f"{found[2]}.{found[3]}") * 10_000)), text)
    text = _COUPLE.sub("2", text)
    text = _DIGITS_LARGE.sub(_fold_large, text)
    return _EN_RUN.sub(_fold_english, text)


def tokens(said: str) -> int:
    """How many tokens `16k`, `1M`, `0.5k` or `30000` (lower case) is."""
    number = re.match(r"[\d.]+", said)
    assert number is not None
    unit = said[number.end() :].strip()[:1]
    return min(round(float(number[0]) * {"k": K, "m": M}.get(unit, 1)), LIMIT)
