"""Which model a message names: by its id, or by the short names and slips that people write."""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache

from bot.understand.model_ids import Named, in_format, named_in_full, unquantised, without_links
from bot.understand.name_ends import another, end_of
from bot.understand.precision import weight_word_in
from bot.understand.scan import MODEL, Scan, grammar
from bot.understand.small_words import NO_NAMES
from knowledge import catalogue

_MOST_PIECES = 14  # in the longest alias, as `_PIECE` cuts it
_PIECE = grammar(r"[a-z]+|\d+(?:\.\d+)*|[\u4e00-\u9fff]")
_GAP = grammar(r"[ \-_./:]?$")
_JOINED_BY = grammar(r"[ -]$")
_SIZE_AHEAD = grammar(r"\d{1,3}(?:\.\d{1,2})?\s?b(?![a-z0-9])")
_SIZED_ALIAS = grammar(r"\d(?:\.\d+)?[bm]")
_SIZE_BEHIND = grammar(r"\s(\d{1,4}(?:\.\d{1,2})?)\s?b")
SAME_SIZE = 0.12  # how far a model's parameters may be from the size that people call it by
_BARE = grammar(r"(?:\d+x)?\d+(?:\.\d+)?b?$")


def find(scan: Scan) -> tuple[tuple[Named, ...], Scan]:
    """Every model named, in order, and the scan with them marked. Folders and ids that are not listed are kept as they were said."""
    found = named_in_full(scan)
    for named in found:
        scan = scan.mark(named.start, named.end, MODEL)
    scan = without_links(scan)
    short = list(_short(scan))
    for named in short:
        scan = scan.mark(named.start, named.end, MODEL)
    return tuple(sorted([*found, *short], key=lambda each: each.start)), scan


def chosen(named: tuple[Named, ...]) -> Named | None:
    """The one that is meant: a name that says more than a size wins over one that does not, then the first."""
    return min(named, key=lambda each: (each.bare, each.unknown, each.start), default=None)


def find_slips(scan: Scan) -> tuple[tuple[Named, ...], Scan]:
    """Names with a slip of the keyboard, where no name was found, and the scan with them and bare sizes marked."""
    slips = list(_slips(scan))
    for named in slips:
        scan = scan.mark(named.start, named.end, MODEL)
    return tuple(slips), scan


def _short(scan: Scan) -> Iterator[Named]:
    """The longest aliases that stand in the text, from left to right."""
    names = catalogue.aliases()
    pieces = list(_PIECE.finditer(scan.text))
    index = 0
    while index < len(pieces):
        count = _longest(scan.text, pieces, index, names)
        name = "".join(piece[0] for piece in pieces[index : index + count])
        found = (count, names[name]) if count else None
        if found and (longer := _goes_on(scan.text, pieces, index, count)):
            found = longer if longer[0] else None
        count = found[0] if found else max(count, 1)
        if found:
            named = _named(found[1], pieces[index].start(), pieces[index + count - 1].end())
            named = replace(named, bare=found[1] == names.get(name) and _BARE.match(name) is not None)
            yield _whole(scan, named)
        index += count


def _whole(scan: Scan, named: Named) -> Named:
    """`named`, or the other model's name that only begins with it."""
    end = None if named.bare else another(scan.text, named.start, named.end)
    if end is None or _of_its_size(scan.text[named.end : end], named.model_id):
        return _dated(scan, named)
    near = _alias_near(catalogue.normalise(scan.text[named.start : end]))
    if near:
        return _named(near, named.start, end)
    return Named(scan.said[named.start : end], named.start, end, listed=False, unknown=True)


def _of_its_size(tail: str, model_id: str) -> bool:
    """Whether a size behind a name is the model's own, which its name leaves out: `phi-4-mini 3.8b`."""
    said = _SIZE_BEHIND.fullmatch(tail)
    if said is None:
        return False
    return abs(float(said[1]) * 1e9 - catalogue.find(model_id).parameters()) <= SAME_SIZE * float(said[1]) * 1e9


def _dated(scan: Scan, named: Named) -> Named:
    """The model's edition of a date behind a short name: `r1-0528`."""
    end = end_of(scan.text, named.end)
    tail = scan.text[named.end : end]
    edition = catalogue.aliases().get(catalogue.normalise(named.model_id.rpartition("/")[2] + tail)) if tail else None
    return replace(named, model_id=edition, end=end) if edition and re.search(r"\d{4}", tail) else named


def with_size(named: Named, said: str, size: str) -> Named:
    """The family's model of the size that stands elsewhere in the text: `14B 的 qwen2.5`."""
    if named.full or named.unknown or _SIZED_ALIAS.search(catalogue.normalise(said)):
        return named
    sized = catalogue.aliases().get(catalogue.normalise(f"{said}-{size}"))
    return replace(named, model_id=sized, quant=weight_word_in(sized)) if sized else named


def _goes_on(text: str, pieces: list[re.Match[str]], first: int, count: int) -> tuple[int, str] | None:
    """What was meant where a name goes on behind the alias: another that begins so, or one with a slip in it.

    None when it does not go on in such a way; no pieces when it goes on with a size that the alias does not have (qwen3 99b).
    """
    after = first + count
    if after >= len(pieces) or _JOINED_BY.match(text, pieces[after - 1].end(), pieces[after].start()) is None:
        return None
    sized = _SIZE_AHEAD.match(text, pieces[after].start()) is not None
    if not (sized or _may_be_named(pieces[after][0])):
        return None
    read_on = (
        _beginning(text, pieces, first, count),
        _nearest(text, pieces, first),
        _left_out(text, pieces, first, count),
    )
    longer = next((found for found in read_on if found and found[0] > count), None)
    if longer:
        return longer
    return (0, "") if sized and not _has_size(pieces, first, count) else None


def _left_out(text: str, pieces: list[re.Match[str]], first: int, count: int) -> tuple[int, str] | None:
    """A longer name of which a word was left out before its size: `r1 distill 70b`."""
    name = "".join(piece[0] for piece in pieces[first : first + count + 1])
    size = _SIZE_AHEAD.match(text, pieces[first + count].end() + 1)
    if size is None or not _begins(name):
        return None
    names = _sorted_names()
    begun = [other for other in names[bisect_left(names, name) :][:200] if other.startswith(name)]
    sized = [other for other in begun if other.endswith(size[0].replace(" ", ""))]
    taken = next((place for place in range(first, len(pieces)) if pieces[place].end() >= size.end()), first)
    return (taken - first + 1, catalogue.aliases()[min(sized, key=len)]) if sized else None


def _may_be_named(word: str) -> bool:
    """Whether a word behind an alias may be part of a longer name, well or badly spelt."""
    return word.isascii() and word.isalpha() and len(word) >= 3 and word not in NO_NAMES and not weight_word_in(word)


def _has_size(pieces: list[re.Match[str]], first: int, count: int) -> bool:
    said = "".join(piece[0] for piece in pieces[first : first + count])
    return _SIZED_ALIAS.search(said) is not None


def _beginning(text: str, pieces: list[re.Match[str]], first: int, count: int) -> tuple[int, str] | None:
    """The shortest alias that begins with as many pieces as possible, more than `count`."""
    name, best = "", None
    for place in range(first, min(first + _MOST_PIECES, len(pieces))):
        if place > first and not _joined(text, pieces[place - 1], pieces[place]):
            break
        name += pieces[place][0]
        if not _begins(name):
            break
        if place - first + 1 > count and pieces[place][0] == "b":
            best = (place - first + 1, name)
    if best is None:
        return None
    names = _sorted_names()
    begun = [other for other in names[bisect_left(names, best[1]) :][:40] if other.startswith(best[1])]
    return best[0], catalogue.aliases()[min(begun, key=len)]


def _named(model_id: str, start: int, end: int) -> Named:
    """A short name's model: of a checkpoint that another maker quantised, its base in that format."""
    quant = weight_word_in(model_id)
    if quant:
        base = catalogue.aliases().get(catalogue.normalise(unquantised(model_id.rpartition("/")[2])), model_id)
        if _maker(base) != _maker(model_id) and not weight_word_in(base):
            model_id = in_format(base, quant)
    return Named(model_id, start, end, quant=quant)


def _maker(model_id: str) -> str:
    return model_id.partition("/")[0]


def _longest(text: str, pieces: list[re.Match[str]], first: int, names: Mapping[str, str]) -> int:
    name, best = "", 0
    if first and _touching(pieces[first - 1], pieces[first]):
        return 0
    for count in range(1, min(_MOST_PIECES, len(pieces) - first) + 1):
        last = pieces[first + count - 1]
        if count > 1 and not _joined(text, pieces[first + count - 2], last):
            break
        name += last[0]
        if not _begins(name):
            break
        follows = pieces[first + count] if first + count < len(pieces) else None
        if name in names and not (follows and _touching(last, follows)):
            best = count
    return best


def _touching(left: re.Match[str], right: re.Match[str]) -> bool:
    return left.end() == right.start() and left[0].isascii() and right[0].isascii()


def _joined(text: str, left: re.Match[str], right: re.Match[str]) -> bool:
    """Whether two pieces may belong to one name. `phi 4 4096` is not phi 44096: two numbers need more than a space between."""
    gap = text[left.end() : right.start()]
    if gap == " " and left[0][-1].isdigit() and right[0][0].isdigit():
        return len(right[0]) <= 3
    return _GAP.match(gap) is not None


def _slips(scan: Scan) -> Iterator[Named]:
    pieces = list(_PIECE.finditer(scan.text))
    index = 0
    while index < len(pieces):
        best = None
        if pieces[index][0].isalpha() and pieces[index][0].isascii() and len(pieces[index][0]) >= 3:
            best = _nearest(scan.text, pieces, index)
        if best:
            count, model_id = best
            yield _whole(scan, _named(model_id, pieces[index].start(), pieces[index + count - 1].end()))
        index += best[0] if best else 1


def _nearest(text: str, pieces: list[re.Match[str]], first: int) -> tuple[int, str] | None:
    """The longest run of pieces that is an alias but for a slip: its digits are the same, its letters nearly."""
    best = None
    name = ""
    for count in range(1, min(7, len(pieces) - first) + 1):
        last = pieces[first + count - 1]
        if count > 1 and (last[0] in NO_NAMES or not _joined(text, pieces[first + count - 2], last)):
            break
        name += last[0]
        follows = pieces[first + count] if first + count < len(pieces) else None
        if any(char.isdigit() for char in name) and not (follows and _touching(last, follows)):
            near = _alias_near(name)
            best = (count, near) if near else best
    return best


@cache
def _sorted_names() -> list[str]:
    return sorted(catalogue.aliases())


def _begins(name: str) -> bool:
    """Whether an alias begins so."""
    names = _sorted_names()
    place = bisect_left(names, name)
    return place < len(names) and names[place].startswith(name)


@cache
def _by_digits() -> dict[str, list[tuple[str, str]]]:
    """Aliases by their digits, each with its letters."""
    found = defaultdict(list)
    for name in catalogue.aliases():
        found[_digits(name)].append((re.sub(r"[\d.]+", "", name), name))
    return dict(found)


def _digits(name: str) -> str:
    """The numbers in a name; a size is another number than the same digits without its b."""
    return ",".join(re.findall(r"\d+(?:\.\d+)*b?", name))


def _alias_near(name: str) -> str | None:
    from rapidfuzz.distance import OSA

    letters = re.sub(r"[\d.]+", "", name)
    if (sized := f"{name}b") in catalogue.aliases() and re.search(r"\d\d$", name):  # llama 405
        return catalogue.aliases()[sized]
    allowed = 2 if len(letters) >= 11 else 1
    near = [
        (OSA.distance(letters, other, score_cutoff=allowed), alias)
        for other, alias in _by_digits().get(_digits(name), ())
        if len(other) >= 4
    ]
    distance, alias = min(near, default=(allowed + 1, ""))
    return catalogue.aliases()[alias] if distance <= allowed else None
