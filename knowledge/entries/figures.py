"""Numbers in an entry's texts: the same in both languages, and each with its evidence."""

import re
from collections.abc import Iterator

from knowledge.entries.faults import Fault, claims
from knowledge.entries.schema import Entry
from knowledge.versions import NEWEST, OLDEST

_VALUE = re.compile(r"--[a-zA-Z][\w-]*(?:[ =]'\{[^']*\}'|[ =][\w.-]*\d[\w.]*)?|\bVLLM_[A-Z0-9_]+(?:=\S+)?")
_NUMBER = re.compile(r"(?<![\w.,#])\d+(?:,\d{3})*(?:\.\d+)*(?![\w]*[a-zA-Z_])")
_WORD = re.compile(r"[A-Za-z_]\w*[-_.]?\d[\w.-]*|(?<![\d,.])\d+(?:\.\d+)?[A-Za-z_]\w*")
_CODES = frozenset({"0", "1", "2", "200", "400", "401", "403", "404", "500", "503"})  # counting, on and off, HTTP


def figure_faults(entry: Entry) -> Iterator[Fault]:
    """Numbers that stand in one language only, and numbers that no evidence lists in its `figures`."""
    shown = {figure for evidence in entry.evidence for figure in evidence.figures}
    for pair in claims(entry):
        english, chinese = figures_in(pair.en), figures_in(pair.zh)
        for figure in sorted((english ^ chinese) - _CODES):
            yield Fault(entry.id, pair.place, f"the number {figure} stands in one language only")
        for figure in sorted((english & chinese) - shown - _CODES):
            yield Fault(entry.id, pair.place, f"no evidence has the number {figure} in its figures")


def figures_in(text: str) -> set[str]:
    """The numbers of a text. Releases, names such as H100 or fp8, and values written behind a flag are none."""
    bare = _WORD.sub(" ", _VALUE.sub(" ", text))
    return {number for number in _NUMBER.findall(bare) if not _release(number)}


def _release(number: str) -> bool:
    parts = number.split(".")
    if len(parts) not in (2, 3) or parts[0] != "0" or not all(part.isdigit() for part in parts):
        return False
    return str(int(parts[1])) == parts[1] and OLDEST.minor <= int(parts[1]) <= NEWEST.minor
