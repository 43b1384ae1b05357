"""How long the requests are and how many at once: the numbers that are left when sizes, cards and flags are understood."""

import re
from dataclasses import dataclass

from bot.understand.numbers import NUMBER, TOKENS, tokens
from bot.understand.scan import Scan, grammar
from bot.understand.settings import LINK
from knowledge.errors import Refusal

MOST_TOKENS = 100_000_000  # as FitRequest.context
MOST_REQUESTS = 1_000_000
NOT_A_NUMBER = -(10**15)  # stands for what was said in place of a number
NO_NUMBERS = frozenset({"nan", "inf", "-inf", "infinite", "infinity", "-infinity"})

_T = rf"-?{TOKENS}"
_PLAIN = rf"(?:{NUMBER})(?!\s?[km%])"
_ABOUT = (
    r"(?:\s?(?:=|:|of|is|are|up to|around|about|~|≈|roughly|大概|大约|约|差不多|平均|avg|averag(?:e|es|ing)|长度|len(?:gth)?"
    r"|tokens?|是|为|都是|不超过|最多|,)){0,4}\s?"
)
_IN = r"(?:inputs?|in(?=\b|[^a-z])|prompts?|prefill|isl|questions?|输入|提示词?|问题|进)"
_OUT = (
    r"(?:outputs?|out(?=\b|[^a-z])|generat\w{0,4}|completions?|decode|osl|answers?|repl(?:y|ies)"
    r"|responses?|new tokens|输出|生成|回答|回复|出)"
)
_CAPPED = rf"{_ABOUT}(?:at most|at|under|below|max|capped at|limited to)?\s?"
_TOK = r"\s?(?:tokens?|tok\b)?\s?(?:of\s|的\s?)?"

_SUMS = tuple(
    grammar(pattern)
    for pattern in (
        rf"(?P<a>{_T}){_TOK}{_IN}[^\d\n]{{0,16}}?(?P<b>{_T}){_TOK}{_OUT}",  # 2k in 300 out
        rf"(?<![a-z]){_IN}{_CAPPED}(?P<a>{_T})[^\d\n]{{0,32}}?{_OUT}{_CAPPED}(?P<b>{_T})",  # 输入 2k 输出 300
        rf"(?<![a-z]){_IN}{_ABOUT}(?P<a>{_T})[^\d\n]{{0,16}}?(?P<b>{_T}){_TOK}{_OUT}",  # prompts of 6k and 1k answers
        rf"(?P<a>{_T}){_TOK}{_IN}[^\d\n]{{0,16}}?{_OUT}{_ABOUT}(?P<b>{_T})",
        rf"(?P<a>{NUMBER}\s?k)(?:/|\s?\+\s?)(?P<b>{NUMBER}\s?k?)(?![\w])",  # 8k/1k, 8k+512
        rf"(?P<a>{NUMBER})\s?\+\s?(?P<b>{NUMBER})\s?(?=tokens?|tok\b)",
    )
)
_ONLY_IN = grammar(rf"(?P<value>{_T}){_TOK}(?:long\s)?{_IN}|(?<![a-z]){_IN}{_ABOUT}(?P<other>{_T})")

_REQUESTS = (
    r"(?:concurren(?:t|cy)\w*|simultaneous\w*|parallel(?!ism)|users?\b|people|persons?\b|ppl\b|seqs?\b"
    r"|sequences?|requests?\b(?!\s?(?:/|per\b|a second|a min))"
    r"|reqs?\b(?!\s?/)|streams?\b|sessions?\b|clients?\b|chats?\b|conversations?|devs?\b|developers?"
    r"|employees|engineers?|agents?\b|folks"
    r"|in parallel|at once|at the same time|并发|并行(?!度)|用户|人|路(?!由|径)|会话|请求|员工|同事|客户端|线程|进程|同时)"
)
_CROSS = (
    grammar(rf"(?P<context>{NUMBER}\s?[km]|(?<![\w.])\d{{4,7}}){_TOK}(?:ctx|context"
        rf"|上下文)?\s?[x×*@]\s?(?P<requests>(?<![\w.])\d{{1,6}}|(?<=[x×*])\d{{1,6}})(?![\d.]*[\dk%])"),
    grammar(rf"(?P<requests>(?<![\w.])\d{{1,6}})\s?(?:{_REQUESTS}\s?)?[x×*@]\s?(?P<context>(?:\d{{1,7}}(?:\.\d)?\s?[km]"
        rf"|\d{{4,7}}))(?![\w])"),
)  # fmt: skip
_BETWEEN_TWO = grammar(
    rf"(?P<a>{_PLAIN})\s?(?:个|路)?\s?(?:并发(?:数|量)?|concurrency){LINK}(?P<b>(?<!\d)\d{{1,9}})(?![\d.]*[\dkm%])"
)
_BEFORE = grammar(
    rf"(?P<value>(?<![\w.])-?\d{{1,12}})(?![\d.])\+?\s?(?:个|路|条|名|位|多|来)?\s?(?:or so\s|max\s|total\s|active\s|的\s?)?{_REQUESTS}"
)
_AFTER = grammar(
    r"(?<![a-z])(?:team of|(?:max(?:imum)?[-_ ]?)?(?:concurrency|concurrent(?:[-_ ](?:requests|users)"
    r"|(?=\s?[=:])))|并发(?:数|量|度|请求数?|用户数?)?|同时(?:有|跑|在线|服务)?|(?:max[-_ ])?batch(?:[-_ ]?size)?|bs"
    rf"|(?:num[-_ ])?seqs|sequences|parallelism|users|用户数?|人数){_ABOUT}{LINK}(?P<value>-?\d{{1,12}}(?!\.?\d)\s?k?)(?![a-jl-z%])"
)
_OF_TOKENS = grammar(r"\s?(?:tokens?\b|tok\b|ctx\b|context\b|上下文)")
_HOW_MANY = grammar(r"(?:多少|几个?|最大|最高|最多|how many )$")
_ALONE = grammar(
    r"(?:\bjust|\bonly(?: for)?)\s(?:me|myself|one (?:user|person|request))\b|\bsingle[- ](?:user|request"
    r"|stream|concurrency|sequence)"
    r"|\bone (?:user|person|request|at a time|sequence|stream)\b|(?:单|一个?)(?:用户|人(?:用|使用|自用|跑)|并发|请求|路)"
    r"|自己(?:一个人)?用|concurrency (?:of )?one\b"
)

_LENGTH = (
    r"(?:ctx|contx?t|context(?:[-_ ](?:length|len|window|size))?|cntxt"
    r"|(?:max[-_ ])?(?:model[-_ ])?seq(?:uence)?[-_ ]?(?:len(?:gth)?)"
    r"|(?:max[-_ ])?(?:model[-_ ])?len(?:gth)?"
    r"|windows?|上下文(?:长度|窗口)?|长度|窗口|长文本|文本)"
)
_NAMED_BEFORE = grammar(
    rf"(?<![a-z]){_LENGTH}{_ABOUT}{LINK}(?:max\s|最大|最长)?(?P<value>{_T})(?!\s?(?:{_REQUESTS}(?!\s?[=:])|gi?b?\b))"
)
_NAMED_AFTER = grammar(
    rf"(?P<value>{_T})[-+]?{_TOK}(?:max(?:imum)?[-_ ]|total\s|long\s|以上|左右|的)?\s?(?:{_LENGTH}|long\b)"
)
_TOKENS = grammar(
    rf"(?P<value>{_T}|\b(?:nan|-?inf(?:inite|inity)?)\b)\s?(?:个\s?)?(?:tokens?|tok\b|toks\b|字)(?!\s?(?:/|per\b|a sec|每秒))"
)
_SUFFIXED = grammar(rf"(?P<value>{NUMBER}\s?[km])(?![a-z0-9])(?!\s?(?:rps|qps|vocab))")
_PLAIN_LENGTH = grammar(r"(?<![\w.$:#/-])(?P<value>\d{4,7})(?![\w.%:/-])")
_CHANGED = grammar(rf"(?P<old>{_T})\s?(?:->|→|=>|to\b|改成?到?|变成?|换成|升到|提到|加到)\s?(?=(?:{_T}))")
# A stretch that a size is asked for, not a length: kv per 1k tokens.
_PER_TOKENS = grammar(
    r"(?:\bper\b|\beach\b|/|每)\s?(?:1|1k|1000|1024|k)\s?(?:个\s?)?(?:tokens?|tok\b)|(?:\bper\b|\bone\b"
    r"|\ba\b|\bsingle\b|/|每个?|一个|单个?|1个?)\s?tokens?"
)


@dataclass(frozen=True, slots=True)
class Workload:
    """Tokens of one request (input and output together) and requests at once; None means not said."""

    context: int | None = None
    concurrency: int | None = None
    problems: tuple[Refusal, ...] = ()


def find(scan: Scan) -> tuple[Workload, Scan]:
    """The workload that a message names, and the scan without it."""
    _, scan = scan.take(_PER_TOKENS)
    context, concurrency, scan = _pairs(scan)
    if concurrency is None:
        concurrency, scan = _concurrency(scan)
    if context is None:
        context, scan = _context(scan)
    problems = [
        *_outside("bad-context", "a context length", context, MOST_TOKENS),
        *_outside("bad-concurrency", "a number of requests", concurrency, MOST_REQUESTS),
    ]
    wrong = {problem.code for problem in problems}
    return Workload(
        None if "bad-context" in wrong else context,
        None if "bad-concurrency" in wrong else concurrency,
        tuple(problems),
    ), scan


def _pairs(scan: Scan) -> tuple[int | None, int | None, Scan]:
    """What two numbers say together: input + output, context × requests, `16 并发 8k`."""
    context = concurrency = None
    for pattern in _SUMS:
        if found := pattern.search(scan.text):
            context = tokens(found["a"].lstrip("-")) + tokens(found["b"].lstrip("-"))
            scan = scan.mark(found.start(), found.end())
            break
    for pattern in _CROSS:
        if found := pattern.search(scan.text):
            concurrency = int(found["requests"])
            context = context or tokens(found["context"])
            return context, concurrency, scan.mark(found.start(), found.end())
    if found := _BETWEEN_TWO.search(scan.text):
        low, group = min(
            (float(found["a"]), "a"), (float(found["b"]), "b")
        )  # of two numbers the smaller is the requests
        return context, int(low), scan.mark(*found.span(group))
    return context, concurrency, scan


def _concurrency(scan: Scan) -> tuple[int | None, Scan]:
    for pattern in (_BEFORE, _AFTER):
        if (found := pattern.search(scan.text)) and not _a_length(found):
            said = found["value"]
            value = -tokens(said[1:]) if said.startswith("-") else tokens(said)
            return value, scan.mark(found.start(), found.end())
    if found := _ALONE.search(scan.text):
        return 1, scan.mark(found.start(), found.end())
    return None, scan


def _a_length(found: re.Match[str]) -> bool:
    """Whether the number is no number of requests: an item of its own (`几路并发，8k`, `users at 8k`), or of tokens (`concurrency at 2048 tokens`)."""
    between = found[0].rpartition(found["value"])[0]
    asked = _HOW_MANY.search(found.string, max(0, found.start() - 8), found.start()) is not None
    listed = found["value"].endswith("k") and ("," in between or " at " in between or asked)
    return listed or _OF_TOKENS.match(found.string, found.end()) is not None


def _context(scan: Scan) -> tuple[int | None, Scan]:
    """The first length that is named as one, else a number that can be nothing else; 64k -> 128k is 128k."""
    _, scan = scan.take(_CHANGED)
    for pattern in (_NAMED_AFTER, _NAMED_BEFORE, _TOKENS, _ONLY_IN, _SUFFIXED, _PLAIN_LENGTH):
        if found := pattern.search(scan.text):
            said = next(group for group in found.groups() if group)
            scan = scan.mark(found.start(), found.end())
            if said in NO_NUMBERS:
                return NOT_A_NUMBER, scan
            return (-tokens(said[1:]) if said.startswith("-") else tokens(said)), scan
    return None, scan


def _outside(code: str, what: str, value: int | None, most: int) -> list[Refusal]:
    if value is None or 1 <= value <= most:
        return []
    said = "not a number" if value == NOT_A_NUMBER else value
    return [Refusal(code, f"`{said}` is not {what}.", f"Use a whole number from 1 to {most:,}.", value=said)]
