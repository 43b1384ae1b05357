"""What points to an entry exactly: a flag, variable or metric however it is spelt, a piece of a log line."""

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from knowledge.entries.schema import Entry

_PART = re.compile(r"[a-z0-9]+")
_LONGEST = 8  # words of a name
_SHORTEST = 8  # letters of a name that is looked for among words written apart
_NEAR = 90  # of 100: one or two slips in a long name


def squeezed(name: str) -> str:
    """`--max-num-seqs`, `max_num_seqs` and `Max num seqs` are one; a metric's `vllm:` is left out."""
    return "".join(_PART.findall(name.lower().removeprefix("vllm:").removeprefix("--no-")))


def folded(line: str) -> str:
    """A log line in lower case, its spaces single."""
    return " ".join(line.lower().split())


def names_of(entry: "Entry") -> Iterator[str]:
    """The entry's names, squeezed; short ones are left to the words."""
    return (name for each in entry.names if len(name := squeezed(each)) >= _SHORTEST)


def named(text: str, names: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """Entries whose flag, variable or metric the text names, with the name; slips in long names are forgiven.

    A name inside a longer one does not count: `--max-num-batched-tokens` names no `--max-num-batched`.
    """
    spans = [(start, end, written) for start, end, written in _written(text) if written in names]
    found: dict[str, str] = {}
    for start, end, written in spans:
        if not any(first <= start and end <= last and (first, last) != (start, end) for first, last, _ in spans):
            for entry in names[written]:
                found.setdefault(entry, written)
    return found or _nearly(text, names)


def logged(text: str, signatures: tuple[tuple[str, str], ...]) -> dict[str, str]:
    """Entries of which a log line stands in the text, with the piece of it."""
    plain = folded(text)
    return {entry: piece for piece, entry in reversed(signatures) if piece in plain}


def _written(text: str) -> Iterator[tuple[int, int, str]]:
    """Every run of up to eight words as one name, with the first word's number and the one behind the last."""
    parts = _PART.findall(text.lower())
    for start in range(len(parts)):
        name = ""
        for end, part in enumerate(parts[start : start + _LONGEST], start + 1):
            name += part
            if len(name) >= _SHORTEST:
                yield start, end, name


def _nearly(text: str, names: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    from rapidfuzz import fuzz, process

    for word in re.findall(r"[a-z][a-z0-9]*(?:[-_][a-z0-9]+)+", text.lower())[:10]:
        near = process.extractOne(squeezed(word), names.keys(), scorer=fuzz.ratio, score_cutoff=_NEAR)
        if near:
            return dict.fromkeys(names[near[0]], near[0])
    return {}
