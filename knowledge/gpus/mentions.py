"""Reading GPU names, as people type them in either language, out of free text.

A text is cut into runs of letters and runs of digits; the longest run of pieces that is a known name wins. What could also be
a number of tokens, a port or a version is taken for a GPU only where nothing beside it says otherwise.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from knowledge.gpus.cards import Gpu, all_gpus, nameless, tables
from knowledge.gpus.names import PIECE, Name, candidates, fold, vocabulary


@dataclass(frozen=True, slots=True)
class Mention:
    """One GPU named in a text, at text[start:end].

    `family` is None when only a memory was named ("显存 80G"). `memory_gb` is what was said, None when nothing was.
    `gpus` are the cards it may mean, likeliest first; empty when the memory must be said first.
    `count` is set by a cloud instance whose size says it (p4d.24xlarge has 8). `name` is what was typed, as the vocabulary has it.
    """

    start: int
    end: int
    family: str | None
    memory_gb: float | None
    gpus: tuple[Gpu, ...]
    count: int | None = None
    name: str | None = None


_WIDEST = 6  # pieces in the longest name
_GIB = r"(\d{1,4}(?:\.\d{1,2})?)\s{0,2}g(?:i?b|igs?)?(?![a-z0-9/])"
_FORM = re.compile(
    r"(?:[\s\-_/(]{0,3}(sxm\d?|pcie|hbm\d?e?|oam|tensor core|generation|(?:server|workstation) edition|max-q|laptop|mobile|笔记本))+(?![a-z0-9])"
)
_AFTER = re.compile(
    r"[\s\-_(\[/]{0,3}(?:显存|vram|memory)?\s{0,2}(?:是|为|:|=)?\s{0,2}"
    + _GIB
    + r"(?!\s{0,2}(?:total|in total|model|weights?|of weights|of ram|ram\b|kv|合计|总共|权重|模型|内存))"
)
_EACH = re.compile(
    r"\s{0,2}[,(]?\s{0,2}(?:(?:每张|每卡|每块|单卡|单张|each)\s{0,2}(?:显存)?(?:有|是|为|with|has)?\s{0,2}"
    + _GIB
    + r"|"
    + _GIB
    + r"\s{0,2}(?:each|apiece|per (?:gpu|card)|一张|每张|每卡))"
)
_BEFORE = re.compile(r"(?<![\d.])" + _GIB + r"\s{0,2}(?:显存|vram|memory|版本?)?\s{0,2}(?:的|of|\()?\s{0,2}$")
_BARE = re.compile(
    r"[\s\-_/](\d{2,3})(?:s(?![a-z0-9]))?(?![\d.%]|[a-wyz])(?!\s{0,2}(?:[km%]|[x×*](?!\s?\d{1,2}(?!\d))|tok|req|user|concurr|seq|ctx|context|pro?mpt|stream|rps|qps|并发|个|人|路|张|卡|块|台|用户|请求|万|千))"
)
_MODDED = frozenset(
    {
        4,
        6,
        8,
        10,
        11,
        12,
        16,
        20,
        22,
        24,
        32,
        36,
        40,
        44,
        48,
        64,
        72,
        80,
        94,
        96,
        120,
        128,
        141,
        144,
        180,
        192,
        256,
        288,
    }
)
_PREFIX = re.compile(
    r"(?:(?:nvidia|geforce|gtx|rtx|tesla|quadro|amd|instinct|radeon|rx|intel|huawei|ascend|华为|昇腾|英伟达)[\s\-_]{0,3})+$"
)
_NOT_A_CARD_AFTER = re.compile(
    r"\s{0,2}(?:tok|ctx|context|concurr|rps|qps|req|user|seq|prompt|input|output|word|char|ms\b|secs?\b|m(?:i?b)\b|k\b|%|步|个|字|次|条|并发|上下文|长度)"
)
_NOT_A_CARD_BEFORE = re.compile(
    r"(?:(?:len|length|tokens?|port|context|ctx|size|line|step|seed|issue|pr|limit|budget|batch|rate|v|长度|端口|上下文|输入|输出|第|编号)"
    r"[\s:=_是为]{0,3}|[#$]\s{0,2}|[a-z0-9\])][:/@]|=|\d[.,])$"
)
_HARDWARE_BEFORE = re.compile(r"(?:gpus?|cards?|device|hardware|型号|显卡|卡|机器|配置|硬件)\s{0,2}[:=]\s{0,2}$")
_MEMORY_ALONE = re.compile(
    r"(?:显存|vram|gpu memory|gpu mem)\s{0,2}(?:大小)?\s{0,2}(?:是|为|有|只有|共|约|:|=|of|is){0,2}\s{0,2}"
    + _GIB
    + r"|(?<![\d.])"
    + _GIB
    + r"\s{0,2}(?:的|of)?\s{0,2}(?:大?显存|显卡|的?卡|vram|gpus?\b|cards?\b|gpu memory)"
    + r"|(?<![\d.])\d{1,2}\s{0,2}[x×*]\s{0,2}"
    + _GIB
)
_IN_USE = re.compile(
    r"(?:takes?|uses?|using|used|needs?|need(?:ing)?|requires?|reserves?|free|占用?|占了|需要|要|用了?|吃|剩余?|空闲)\D{0,6}$"
)
_PERCENTILE = re.compile(r"\bp(?:50|75|9\d{1,2})\b|latenc|ttft|tpot|itl|percentile|延迟|分位")
_COUNTS = {"双": 2, "两": 2, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8}
_MULTIPLE = re.compile(r"(\d{1,3}|[双两二三四五六七八])\s{0,2}(?:[x×*]|张|块|片|卡|路)?\s{0,2}$")
_LAPTOP = re.compile(r"laptop|mobile|max-q|笔记本")
_CLOUD = re.compile(r"aws|ec2|instance|node|machine|实例|机型|云主机")


class _Piece(NamedTuple):
    text: str
    start: int
    end: int


@lru_cache(maxsize=1)
def _first_pieces() -> frozenset[str]:
    rows = [*tables()["listed"], *tables()["unlisted"]]
    typed = [fold(name) for row in rows for name in (*row["names"], row["family"])]
    return frozenset(PIECE.findall(name)[0] for name in (*typed, *vocabulary()))


def mentions(text: str) -> tuple[Mention, ...]:
    """Every GPU named in `text`, in order."""
    folded = fold(text)
    read = [*_instances(folded), *_named(folded)]
    taken = [(mention.start, mention.end) for mention in read]
    named = [m for m in read if not any(a <= m.start and m.end <= b and (a, b) != (m.start, m.end) for a, b in taken)]
    alone = [m for m in _alone(folded) if not any(m.start < end and start < m.end for start, end in taken)]
    return tuple(sorted([*named, *alone], key=lambda mention: mention.start))


def _named(text: str) -> Iterator[Mention]:
    pieces = [_Piece(m.group(), m.start(), m.end()) for m in PIECE.finditer(text)]
    index = 0
    while index < len(pieces):
        count = _longest(text, pieces, index) if pieces[index].text in _first_pieces() else 0
        if count:
            yield _mention(text, pieces[index : index + count])
        index += count or 1


def _longest(text: str, pieces: list[_Piece], first: int) -> int:
    """How many pieces from `first` make the longest known name; 0 when none does."""
    name, best = pieces[first].text, 0
    for count in range(1, _WIDEST + 1):
        run = pieces[first : first + count]
        if name in vocabulary() and _stands_alone(text, pieces, first, first + count):
            best = count
        if first + count >= len(pieces) or not _joined(text, name, run[-1], pieces[first + count]):
            break
        name += pieces[first + count].text
    return best if best and _is_card(text, pieces[first].start, pieces[first + best - 1].end) else 0


def _joined(text: str, name: str, left: _Piece, right: _Piece) -> bool:
    """Whether `name` may go on from one piece to the next: `A 100` may not, `RTX 4090 D` and `H100-NVL` may."""
    gap = text[left.end : right.start]
    if gap in {"", "-", "_"}:
        return True
    split = (len(left.text) == 1 and right.text.isdigit()) or (
        left.text.isdigit() and len(right.text) == 1 and name[:3] != "rtx"
    )
    return gap in {" ", "  ", "+ "} and not split


def _stands_alone(text: str, pieces: list[_Piece], first: int, after: int) -> bool:
    """Whether no letter or digit touches the name, but for `8x` before, and `x8` or the s of a plural behind."""
    left, right = pieces[first].start, pieces[after - 1].end
    before = pieces[first - 1] if first else None
    if before and before.end == left and before.text.isascii() and before.text != "x":
        return False
    behind = pieces[after] if after < len(pieces) else None
    if behind is None or behind.start != right or not behind.text.isascii():
        return True
    touching = re.match(r"x\d|s(?![a-z0-9])|sxm\d?(?![a-z0-9])", text[right : right + 8])
    return touching is not None


def _is_card(text: str, start: int, end: int) -> bool:
    """Whether a name that could be a number (4090) or a percentile (p100) is a card here."""
    name, before = text[start:end], text[max(0, start - 24) : start]
    if re.fullmatch(r"p\d+", name):
        return not _PERCENTILE.search(before + text[end : end + 24])
    if not name.isdigit() or re.search(r"(?:rtx|gtx|geforce|nvidia|rx|radeon)[\s\-_]*$", before):
        return True
    if _HARDWARE_BEFORE.search(before):
        return True
    return not _NOT_A_CARD_BEFORE.search(before) and not _NOT_A_CARD_AFTER.match(text, end)


def _mention(text: str, run: list[_Piece]) -> Mention:
    name = "".join(piece.text for piece in run)
    known = vocabulary()[name]
    start, end = run[0].start, run[-1].end
    if prefix := _PREFIX.search(text, max(0, start - 40), start):
        start = prefix.start()
    if text[end : end + 1] == "s" and not text[end + 1 : end + 2].isalnum():
        end += 1
    forms, end = _form(text, end)
    gb, start, end = _memory(text, start, end, known)
    more, end = _form(text, end)
    if gb is None and _LAPTOP.search(text[max(0, start - 8) : start] + forms + more):
        gb = tables()["laptop"].get(name.removeprefix("rtx"))
    cards = candidates(name, gb, pcie="pcie" in forms + more)
    return Mention(start, end, cards[0].family if cards else known.family, gb, cards, name=name)


def _form(text: str, end: int) -> tuple[str, int]:
    found = _FORM.match(text, end)
    return (found.group(), found.end()) if found else ("", end)


def _memory(text: str, start: int, end: int, known: Name) -> tuple[float | None, int, int]:
    """The memory said beside a name (GB, None when none is), and the span with it."""
    sizes = {size for card in known.cards for size in (card.memory_gb, *card.also_gb)}
    if found := _AFTER.match(text, end) or _EACH.match(text, end):
        gb = float(next(group for group in found.groups() if group))
        if not _is_total(text, start, gb, sizes):
            return gb, start, found.end()
        return None, start, end
    if found := _BEFORE.search(text, max(0, start - 24), start):
        gb = float(found.group(1))
        if gb in sizes | _MODDED:
            return gb, found.start(), end
    found = _BARE.match(text, end)
    if found and int(found.group(1)) in sizes:
        return float(found.group(1)), start, found.end()
    return None, start, end


def _is_total(text: str, start: int, gb: float, sizes: set[int]) -> bool:
    """Whether `gb` is what several cards have together: 48 GB beside two 24 GB cards."""
    found = _MULTIPLE.search(text, max(0, start - 12), start)
    if found is None or gb in sizes:
        return False
    count = _COUNTS.get(found.group(1)) or int(found.group(1))
    return count > 1 and any(gb == count * size for size in sizes)


def _alone(text: str) -> Iterator[Mention]:
    for found in _MEMORY_ALONE.finditer(text):
        gb = float(next(group for group in found.groups() if group))
        if gb >= 1 and not _IN_USE.search(text, max(0, found.start() - 16), found.start()):
            yield Mention(found.start(), found.end(), None, gb, (nameless(gb),))


@lru_cache(maxsize=1)
def _instance_pattern() -> re.Pattern[str]:
    names = sorted(tables()["instances"], key=len, reverse=True)
    return re.compile(
        rf"(?<![a-z0-9\-_.])({'|'.join(map(re.escape, names))})(?:[.\-](\d*xlarge|metal|\d{{1,2}}g?))?(?![a-z0-9])"
    )


def _instances(text: str) -> Iterator[Mention]:
    for found in _instance_pattern().finditer(text):
        name, size = found.groups()
        around = text[max(0, found.start() - 16) : found.end() + 16]
        if size or len(name) > 3 or name == "p4d" or _CLOUD.search(around):
            yield _instance(name, size, found.start(), found.end())


def _instance(name: str, size: str | None, start: int, end: int) -> Mention:
    row = tables()["instances"][name]
    card = next(gpu for gpu in all_gpus() if gpu.name == row["card"])
    return Mention(start, end, card.family, None, (card,), row["sizes"].get(size or ""))


def whole(text: str) -> Mention | None:
    """`text` read as nothing but a GPU: what is too short to be one in a sentence (`g5`, `24G`)."""
    folded = fold(text).strip()
    if folded in tables()["instances"]:
        return _instance(folded, None, 0, len(text))
    if found := re.fullmatch(r"(\d{1,4}(?:\.\d+)?)\s*g(?:i?b)?", folded):
        gb = float(found.group(1))
        return Mention(0, len(text), None, gb, (nameless(gb),))
    return None
