"""How long the requests of a load are: tokens in, tokens out."""

import re

from bot.commands.quantities import BE
from bot.understand.numbers import TOKENS, tokens
from bot.understand.scan import TAKEN, Scan, grammar

_TOK = r"\s?(?:tokens?|tok\b)?"
_IN = (
    r"(?:--)?(?:(?:random[-_ ])?input(?:s|[-_ ]?len(?:gth)?s?)?|isl|prompts?(?:[-_ ]len(?:gth)?s?)?|prefill|输入(?:长度)?|提示词?(?:长度)?)"
    r"(?:\s?tokens?)?"
)
_OUT = (
    r"(?:--)?(?:(?:random[-_ ])?outputs?(?:[-_ ]?len(?:gth)?s?)?|osl|generat(?:e|ed|ing|ion)(?:[-_ ]len(?:gth)?)?|completions?|max[-_ ]?tokens|decode|输出(?:长度)?|生成)"
    r"(?:\s?tokens?)?"
)
_T = rf"(?P<value>{TOKENS})"
_PAIR = grammar(rf"(?P<a>{TOKENS})(?:{_TOK}\s?in\w*)?\s?(?:[/+x]|->|→)\s?(?P<b>{TOKENS})(?![\w.]|\s?(?:rps|qps))")
_SHORT = grammar(rf"\bin\b\s?[=:]?\s?(?P<a>{TOKENS}){_TOK}[^\d\n]{{0,8}}?\bout\b\s?[=:]?\s?(?P<b>{TOKENS})")
_INPUTS = (  # 2k in · input 2k · in=2k · 1000 prompts of 512 tokens
    grammar(
        rf"{_T}{_TOK}\s?(?:-|of\s|的\s?)?(?:long\s|context\s|ctx\s)?"
        r"(?:inputs?\b|in\b(?!\s(?:the|a|an|prod\w*|staging|parallel|flight|our|this)\b)|prompts?\b|输入|进(?!行))"
    ),
    grammar(rf"(?<![a-z]){_IN}{BE}{_T}"),
    grammar(rf"(?<![a-z])in\s?[=:]\s?{_T}"),
    grammar(rf"{TAKEN}\s?(?:of|with|each|,|各|每条)?\s?{_T}\s?tok(?:en)?s?(?: each| long)?(?!\s?out)"),
    grammar(
        rf"{_T}\s?tok(?:en)?s? (?:each|apiece|per (?:request|prompt)|long)\b|每(?:条|个)(?:请求)?\s?{_T.replace('value', 'zh')}\s?(?:个\s?)?tok(?:en)?s?"
    ),
)
_OUTPUTS = (
    grammar(
        rf"{_T}{_TOK}\s?(?:-|of\s|的\s?)?"
        r"(?:outputs?\b|out\b|(?:to )?generat\w*|completions?\b|answers?\b|输出|生成|出(?!来))"
    ),
    grammar(rf"(?<![a-z]){_OUT}{BE}{_T}"),
    grammar(rf"(?<![a-z])out\s?[=:]?\s?{_T}"),
)
_K_PROMPTS = grammar(r"(?<![\w.])(?P<value>\d{1,4}(?:\.\d)?\s?k)\s?(?:long )?prompts?\b")
_FIRST_LABEL = grammar(
    rf"(?P<number>{TOKENS}{_TOK}\s?(?:-|of\s|的\s?)?(?:long\s)?)?(?<![a-z])(?:{_IN}|{_OUT}|in\b|out\b)"
)


def take_long_prompts(scan: Scan) -> tuple[dict[str, int], Scan]:
    """`4k prompts` beside a length of the output is how long they are, not how many."""
    found = _K_PROMPTS.search(scan.text)
    if found is None or not any(pattern.search(scan.text) for pattern in _OUTPUTS):
        return {}, scan
    return {"input_len": tokens(found["value"])}, scan.mark(*found.span())


def take_lengths(scan: Scan) -> tuple[dict[str, int], Scan]:
    """`input_len` and `output_len` in tokens, those that were said."""
    for pattern in (_PAIR, _SHORT):
        if found := pattern.search(scan.text):
            said = {"input_len": tokens(found["a"]), "output_len": tokens(found["b"])}
            return said, scan.mark(*found.span())
    said = {}
    label = _FIRST_LABEL.search(scan.text)
    behind = label is not None and label["number"] is None  # `input 2k output 300`: the number stands behind its name
    for name, patterns in (("input_len", _INPUTS), ("output_len", _OUTPUTS)):
        value, scan = _first(scan, (*patterns[1:], patterns[0]) if behind else patterns)
        if value is not None:
            said[name] = value
    return said, scan


def _first(scan: Scan, patterns: tuple[re.Pattern[str], ...]) -> tuple[int | None, Scan]:
    for pattern in patterns:
        if found := pattern.search(scan.text):
            said = next(group for group in found.groups() if group)
            return tokens(said), scan.mark(*found.span())
    return None, scan
