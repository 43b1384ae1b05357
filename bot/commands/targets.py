"""Where something is to run: cards as they were named, hosts by their names."""

import re

from bot.understand.scan import CARD, TAKEN, Scan, grammar
from knowledge import gpus

_HOST = r"[a-z][a-z0-9]*(?:[-_.][a-z0-9]+)*"
_BOX = r"(?:box|machine|host|server|node|rig|workstation|机器|主机|服务器|节点|那台|这台)"
_NO_HOST = frozenset(
    [
        "the",
        "a",
        "an",
        "on",
        "our",
        "my",
        "this",
        "that",
        "it",
        "both",
        "all",
        "each",
        "every",
        "one",
        "same",
        "here",
        "there",
        "prod",
        "production",
        "staging",
        "gpu",
        "gpus",
        "card",
        "cards",
        "and",
        "with",
        "at",
        "for",
        "in",
        "as",
        "is",
        "run",
        "runs",
        "job",
        "jobs",
        "baseline",
        "throughput",
        "latency",
        "input",
        "output",
        "prompts",
        "requests",
        "host",
        "node",
        "server",
        "random",
        "vllm",
        "host",
        "run",
        "top",
        "average",
        "default",
        "whatever",
        "idle",
        "free",
        "any",
        "which",
        "what",
        "whose",
        "me",
        "us",
        "them",
        "tp",
        "pp",
        "dp",
        "rps",
        "qps",
        "concurrency",
        "prefix",
        "caching",
        "fp8",
        "eager",
    ]
)
_NAMED_HOST = grammar(rf"(?<![\w-])(?P<name>{_HOST})\s?(?:的)?{_BOX}(?!\w)|{_BOX}\s(?P<other>{_HOST}\d[\w-]*)(?![\w-])")
_NUMBERED = r"[a-z]+(?:[-_]?[a-z0-9]+)*?[-_]?\d{1,4}(?![\w.%-])|[a-z]+(?:[-_][a-z0-9]+)+(?![\w-])"
_ON_HOST = grammar(
    rf"(?:\bon\s(?:both\s|the\s|all of\s)?|\bat\s(?=host)|@\s?|\bhosts?\s?[=:]\s?|\btargets?\s?[=:]\s?|(?:在|用|上|拿|去|到)\s?)(?:host\s|node\s(?=[a-z])|主机\s?|节点\s?)?(?P<name>{_NUMBERED})"
)
_AND_HOST = grammar(
    rf"{TAKEN}\s?(?:,|and|&|\+|/|、|和|跟|与|以及|还有|,\s?and)\s?(?:on\s)?(?:the\s)?(?P<name>{_NUMBERED})"
)
_EVERYWHERE = grammar(
    r"\bon (?:all|every) (?:the |our )?(?:gpu )?(?:hosts?|machines?|nodes?|box(?:es)?|servers?)\b|所有(?:机器|主机|节点)"
)
_COUNT_BEFORE = grammar(r"(?<![\w.])(?P<count>\d{1,3})\s?(?:x|×|\*|张|块|卡|个)?\s?(?:的\s?)?$")
_COUNT_BEHIND = grammar(
    r"\s?(?:[x×*]\s?(?P<count>\d{1,3})(?![\w.])|(?P<cards>\d{1,3})\s?(?:张|块|卡|gpus?\b|cards?\b))"
)
_SUFFIX = grammar(r"[-_]\d{1,3}(?![\w.]|\s?g(?:i?b)?\b)")


Place = tuple[int, str]


def take_targets(scan: Scan, cards: list[Place]) -> tuple[list[str], Scan]:
    """Cards (as `take_cards` found them) and hosts in the order they were named, and the scan without them."""
    found = list(cards)
    for pattern in (_NAMED_HOST, _ON_HOST):
        scan = _take_hosts(scan, pattern, found)
    while (more := _AND_HOST.search(scan.text)) and found and more["name"] not in _NO_HOST:
        found.append((more.start("name"), more["name"]))
        scan = scan.mark(*more.span("name"))
    if everywhere := _EVERYWHERE.search(scan.text):
        found.append((everywhere.start(), "all"))
        scan = scan.mark(*everywhere.span())
    return list(dict.fromkeys(name for _, name in sorted(found))), scan


def _take_hosts(scan: Scan, pattern: re.Pattern[str], found: list[Place]) -> Scan:
    for match in list(pattern.finditer(scan.text)):
        group = match.lastgroup or "name"
        name = match[group]
        if name not in _NO_HOST and TAKEN not in scan.text[match.start(group) : match.end(group)]:
            found.append((match.start(group), name))
            scan = scan.mark(*match.span(group))
    return scan


def take_cards(scan: Scan) -> tuple[list[Place], int | None, Scan]:
    """Cards by place, how many of each where that is said, and the scan without them."""
    found: list[Place] = []
    count = None
    for mention in gpus.mentions(scan.text):
        if not mention.family:
            continue
        start, end = mention.start, mention.end
        host = _SUFFIX.match(scan.text, end)
        if host:
            end = host.end()
        found.append((start, _name(scan.text[start:end])))
        before = _COUNT_BEFORE.search(scan.text, max(0, start - 8), start)
        behind = _COUNT_BEHIND.match(scan.text, end)
        number = before or behind
        if number:
            count = int(next(group for group in number.groups() if group))
            start, end = min(start, number.start()), max(end, number.end())
        scan = scan.mark(start, end, CARD)
    return found, count, scan


def _name(said: str) -> str:
    """As it was said, one word: `a100 80g` is a100-80g; a plural's s goes, the one of L40S stays."""
    name = "-".join(said.split())
    plural = name.endswith("s") and gpus.mentions(name[:-1]) and not name.endswith("l40s")
    return name[:-1] if plural else name
