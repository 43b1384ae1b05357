"""Which card, how much memory on it, how many of them, in how many machines."""

import re
from dataclasses import dataclass
from itertools import pairwise

from bot.understand.scan import CARD, MEMORY, Scan, grammar
from knowledge import gpus
from knowledge.errors import Refusal
from knowledge.gpus import Mention

MOST_CARDS = 4096  # as FitRequest.count

_C, _M = f"{CARD}+", f"{MEMORY}+"
_N = r"(?<![\w.])(?P<count>(?:(?<![^\s(,:])-)?\d{1,12}(?:\.\d+)?|nan\b)(?![\d.]*[\dk%])"
_AFTER_X = r"(?P<count>\d{1,12})(?![\d.]*[\dkm%])"
_UNIT = r"(?:张|块|卡|颗|片|枚|个|条|台|pcs|-?way|-?(?:gpus?|cards?)(?![a-z])|x(?![a-z])|×|\*)"
_KIND = (
    r"(?:nvidia|amd|intel|geforce|rtx|tesla|huawei|pcie|sxm\d?|nvlink|modded|used|old|new|local|same|英伟达"
    r"|华为|国产|魔改|消费级|显卡|of|of the|of our|的|版|版本|显存)"
)
_FILL = rf"(?:\s?{_KIND})*"
_ONE = r"(?:single|one|lone|\ba|\ban|just 1|单|一)"
_TWO = r"(?:dual|double|twin|双)"
_ZH_CARD = r"(?:张|块|卡|颗|个(?=卡|\s?gpu))"

_NODE = r"(?:台(?:机器|服务器)?|节点|nodes?|machines?|servers?|hosts?|boxes|机(?![型器])|个节点)"
_NODES_EACH = grammar(
    rf"(?<![\w.])(?P<nodes>\d{{1,4}})\s?{_NODE}(?:\s?(?:of|with|each|having|x|×|\*|,|\(|各|每台|每个?节点|都是|的|共"
    rf"|一共|总共|total))*\s?(?P<count>\d{{1,5}})(?![\d.]*[\dk%])\s?(?P<unit>{_UNIT})?(?P<each>\s?each"
    r"|\s?per node)?"
)
_CROSS = grammar(
    rf"(?<![\w.])(?P<nodes>\d{{1,3}})\s?[x×*]\s?(?P<count>\d{{1,4}})\s?(?P<unit>[x×*]|卡"
    rf"|gpus?)?(?P<each>\s?)(?={_C})"
)
_NODES_AFTER = grammar(rf"[,(x×*在on跨 ]\s?(?:共|across |over |on )?(?P<nodes>\d{{1,4}})\s?{_NODE}(?![a-z])")

_COUNTS = tuple(
    grammar(pattern)
    for pattern in (
        rf"{_N}\s?{_UNIT}?\s?{_UNIT}?{_FILL}\s?(?:{_M}{_FILL}\s?)?(?={_C})",  # 4×A100, 8张 40G 的 A100, 2 nvidia l40s
        rf"(?:{_C})(?:\s?{_KIND})*\s?(?:[(]?{_M}[)]?(?:\s?{_KIND})*\s?)?[,(]?\s?[x×*]\s?{_AFTER_X}(?!\s?[x×*])",  # A100 80G x2
        rf"(?:{_C})(?:\s?{_KIND})*\s?(?:[(]?{_M}[)]?(?:\s?{_KIND})*\s?)?[,(]?\s?{_N}\s?(?:张|块|卡|颗|片|台|-?gpus?"
        r"|-?cards?|x(?![\w\s]|\s[\da-z]{0,6}\d))",  # H20 8卡, mi250x 4x
        rf"{_N}\s?{_UNIT}?\s?(?={_M})",  # 4x40GB, two 24G cards
        rf"(?:{_M})\s?(?:的)?\s?[x×*]\s?{_AFTER_X}",  # 24G * 4
        rf"(?:{_M})\s?(?:的)?\s?{_N}\s?(?:张|块|卡)",
        rf"{_N}\s?(?:张|块|卡(?!顿)|颗|-?(?:x\s?)?(?:gpus?|cards?|显卡|accelerators?)(?![a-z_]))",  # 8 卡, 4 gpus
        rf"(?:gpus?|cards?|卡数?|张数)\s?(?:=|:|count|数量|数)\s?(?:=|:|是|为)?\s?{_N}",
    )
)
_WORDS = (
    (grammar(rf"{_TWO}\s?{_ZH_CARD}|{_TWO}[- ]?(?:gpus?|cards?)|{_TWO}{_FILL}\s?(?:{_M}{_FILL}\s?)?{_C}"
        rf"|{_C}\s?(?:{_M}\s?)?,?\s?(?:pair|duo|couple|双卡)"), 2),
    (grammar(rf"\bquad[- ](?:gpus?|cards?|(?:{_M}\s?)?{_C})|\bquad{_FILL}\s?{_C}"), 4),
    (grammar(rf"{_ONE}\s?{_ZH_CARD}|{_ONE}\s?(?:gpu|card)(?![a-z])|{_ONE}{_FILL}\s?(?:{_M}{_FILL}\s?)?{_C}"
        rf"|{_C}\s?(?:{_M}\s?)?,?\s?(?:single|单卡|单张|alone|only)"), 1),
)  # fmt: skip
# A length's name with its own number behind it says nothing about the number before it: 2x4090 ctx=65536.
_LENGTH = grammar(
    r"(?:ctx|context(?: length| len| size)?|len(?:gth)?|上下文(?:长度)?|max[-_ ]model[-_ ]len)(?=\s?[=:]?\s?\d)"
)
_GB = r"\s?(?:gi?b?|gigs?)(?![a-z/])"
_OF_A_CARD = r"(?:8|10|11|12|16|20|22|24|32|40|44|48|64|72|80|94|96|128|141|180|192|288)"
_NOT_OF_A_CARD = (
    r"(?!\s?(?:of )?(?:system |host |cpu )?(?:ram|weights?|models?|disk|files?|kv|in\b|used|free|内存|权重|磁盘))"
)
# One card's memory said beside the card's name, or of a card without one.
_MEMORIES_BESIDE = (
    grammar(
        rf"(?<![\w.])(?P<size>\d{{1,3}}){_GB}\s?(?:of )?(?:vram |显存)?\s?(?:each|apiece|per (?:gpu|card)|(?:一|每)张|每卡)"
    ),
    grammar(r"\bmig\s?(?:profile |slice )?\d{1,2}g\.(?P<size>\d{1,3})gb\b|(?<![\w.])\d{1,2}g\.(?P<slice>\d{1,3})gb\b"),
    grammar(rf"(?:gpus?|cards?|显卡|卡)\s?(?:of|with|at|@|是|各)\s?(?P<size>\d{{1,3}}){_GB}"),
    grammar(rf"(?:each|每张|每卡|单张)\s?(?:with|has|have|有|是)?\s?(?P<size>\d{{1,3}}){_GB}"),
)
_MEMORIES_ALONE = (
    grammar(
        rf"\b(?:on|in|into|within|with|under|have|got|only|just)\s(?:an?\s|just\s|only\s|about\s)?(?P<size>[4-9]|[1-9]\d|[12]\d\d){_GB}{_NOT_OF_A_CARD}"
    ),
    grammar(rf"(?<![\d.])(?P<size>[4-9]|[1-9]\d|[12]\d\d){_GB}\s?(?:够|能|行|可以|跑|放|的?机器)"),
    grammar(
        rf"(?<![\w.])\d{{1,2}}\s?[x×*]\s?(?P<size>{_OF_A_CARD})(?:{_GB}|(?![\w.]))(?!\s?(?:k|tokens?|users?|seqs?|ctx|req))"
    ),
    grammar(rf"(?<![\w.])(?P<size>{_OF_A_CARD}){_GB}{_NOT_OF_A_CARD}"),
)
_LEADING_NUMBER = grammar(r"\d{1,2}\s*[x×*]\s*")
# A card's name that is in no list: letters and digits as makers name cards, where a card is expected.
_UNKNOWN = grammar(
    r"\b(?P<name>(?:nvidia|geforce|rtx|gtx|radeon|rx|quadro|tesla|instinct|arc|ascend"
    r"|昇腾)\s?-?[a-z]{0,2}\d{2,4}[a-z]{0,3}(?:\s?(?:ti|super|xtx?|max|pro))?)\b"
    r"|\bon\s(?:an?|one|\d{1,2}\s?x?)\s(?P<digits>\d{4})(?![\w.]|\s?(?:tokens?|tok\b|ctx|context|users?|req))"
    r"|(?:\bon|\d\s?[x×*]|(?:\d|单|双)\s?[张块卡])\s?(?:的\s?)?(?:an?\s|the\s"
    r"|\d{1,3}\s?[x×*]?\s?)?(?P<bare>[a-z]{1,3}\d{2,4}[a-z]?)(?:s)?\b(?!\s?(?:tokens?|ctx|b\b))"
)


@dataclass(frozen=True, slots=True)
class Cards:
    """What was said; None means not said. `plural` is true of cards named in the plural without a number."""

    gpu: str | None = None
    memory_gb: float | None = None
    count: int | None = None
    nodes: int | None = None
    plural: bool = False
    problems: tuple[Refusal, ...] = ()

    @property
    def named(self) -> bool:
        """Whether a card, or one card's memory, was named."""
        return self.gpu is not None or self.memory_gb is not None


def find(scan: Scan) -> tuple[Cards, Scan]:
    """The cards that a message names, and the scan with them and their numbers marked."""
    mentions, scan = _mark(scan)
    named = next((mention for mention in mentions if mention.family), None)
    memory = next((mention.memory_gb for mention in mentions if mention.memory_gb), None)
    if memory is None:
        memory, scan = _memory(scan, _MEMORIES_BESIDE if named else (*_MEMORIES_BESIDE, *_MEMORIES_ALONE))
    unknown, scan = (None, scan) if named else _unknown(scan)
    said, nodes, scan = _numbers(scan)
    if said is None:
        said = _added_up(scan, [mention for mention in mentions if mention.family])
    instance = next((mention.count for mention in mentions if mention.count), None)
    if instance and said is not None and _possible(said):  # so many instances of so many cards
        said = str(int(said) * instance)
    wrong = said is not None and not _possible(said)
    problems = [_unknown_card(unknown)] if unknown and memory is None else []
    problems += [_bad_count(said)] if said is not None and wrong else []
    cards = Cards(
        gpu=named.family if named else unknown,
        memory_gb=memory,
        count=instance if said is None else None if wrong else int(float(said)),
        nodes=nodes if nodes and nodes > 1 else None,
        plural=named is not None and _plural(scan, named),
        problems=tuple(problems),
    )
    return cards, scan


def _added_up(scan: Scan, named: list[Mention]) -> str | None:
    """How many cards `3060 + 3060` are, as it would be said; None for anything else."""
    between = [scan.text[one.end : other.start].strip() for one, other in pairwise(named)]
    same = len({mention.family for mention in named}) == 1
    return str(len(named)) if between and same and set(between) == {"+"} else None


def _memory(scan: Scan, patterns: tuple[re.Pattern[str], ...]) -> tuple[float | None, Scan]:
    """One card's memory (GB) where its name does not say it, and the scan with it marked."""
    for pattern in patterns:
        if found := pattern.search(scan.text):
            group = found.lastgroup or "size"
            return float(found[group]), scan.mark(found.start(group), found.end(), MEMORY)
    return None, scan


def marked(scan: Scan) -> Scan:
    """The scan with cards and memories marked, their numbers left."""
    return _mark(scan)[1]


def _mark(scan: Scan) -> tuple[list[gpus.Mention], Scan]:
    """The mentions, of overlapping ones the longest, and the scan with their marks; a number before a memory stays."""
    found: list[gpus.Mention] = []
    text = _LENGTH.sub(lambda word: "," * len(word[0]), scan.text)
    for mention in sorted(gpus.mentions(text), key=lambda each: each.start - each.end):
        if all(mention.end <= other.start or other.end <= mention.start for other in found):
            found.append(mention)
    for mention in found:
        start = mention.start
        if mention.family is None and (number := _LEADING_NUMBER.match(scan.text, start, mention.end)):
            start = number.end()
        scan = scan.mark(start, mention.end, CARD if mention.family else MEMORY)
    return sorted(found, key=lambda each: each.start), scan


def _numbers(scan: Scan) -> tuple[str | None, int | None, Scan]:
    """How many cards in all, as it was said, and in how many machines."""
    found = _NODES_EACH.search(scan.text) or _CROSS.search(scan.text)
    if found and (found["unit"] or found["each"] or CARD in scan.text[found.end() : found.end() + 3]):
        total = int(found["nodes"]) * int(found["count"])
        return str(total), int(found["nodes"]), scan.mark(found.start(), found.end())
    count, scan = _count(scan)
    machines, scan = scan.take(_NODES_AFTER)
    nodes = int(machines[0]["nodes"]) if machines else None
    if count and nodes and nodes > 1 and count.isdigit() and int(count) <= 8:  # an 8-card machine, twice
        count = str(int(count) * nodes)
    return count, nodes, scan


def _count(scan: Scan) -> tuple[str | None, Scan]:
    for pattern in _COUNTS:
        if found := pattern.search(scan.text):
            start, end = found.span("count")
            return found["count"], scan.mark(start, end)
    for pattern, number in _WORDS:
        if pattern.search(scan.text):
            return str(number), scan
    return None, scan


def _possible(said: str) -> bool:
    return said.isdigit() and 1 <= int(said) <= MOST_CARDS


def _bad_count(said: str) -> Refusal:
    return Refusal(
        "bad-count", f"`{said}` is not a number of GPUs.", f"Use a whole number from 1 to {MOST_CARDS}.", value=said
    )


def _plural(scan: Scan, mention: gpus.Mention) -> bool:
    """Whether it was named as A100s are: with an s that is not its own."""
    name = scan.said[mention.start : mention.end].lower()
    assert mention.family is not None
    return name.endswith("s") and not mention.family.lower().endswith("s")


def _unknown(scan: Scan) -> tuple[str | None, Scan]:
    """A card that is in no list, as it was named."""
    found = _UNKNOWN.search(scan.text)
    if found is None:
        return None, scan
    start, end = found.span(found.lastgroup or "bare")
    return scan.said[start:end], scan.mark(start, end, CARD)


def _unknown_card(name: str) -> Refusal:
    try:
        gpus.find(name)
    except Refusal as refusal:
        return refusal
    return Refusal(
        "unknown-gpu", f"`{name[:40]}` is not a GPU that I know.", "Say its memory, for example `24G`.", gpu=name[:40]
    )
