"""Finding which of many pieces of text stand in a line, without looking for every one of them."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Set

GRAM = 4  # characters; a line is sampled at every fourth place, so a needle is found by one of four of its own
SHORTEST = 2 * GRAM - 1  # of a needle that every sampling must meet; shorter ones are looked for one by one

_SAMPLES = re.compile("." * GRAM, re.DOTALL)


class Needles:
    """An index over pieces of text, each with the number of what it belongs to."""

    def __init__(self, pieces: Iterable[tuple[str, int]]) -> None:
        """`pieces` are the needles and their owners; an owner may have several."""
        every = sorted(set(pieces))
        common = Counter(gram for needle, _ in every for gram in _grams(needle))
        self._short = [(needle, owner) for needle, owner in every if len(needle) < SHORTEST]
        self._long: dict[str, list[tuple[str, int]]] = defaultdict(list)
        for needle, owner in every:
            if len(needle) >= SHORTEST:
                for gram in _rarest(needle, common):
                    self._long[gram].append((needle, owner))
        self._keys = frozenset(self._long)

    def owners(self, text: str) -> list[int]:
        """The numbers of those that have a needle in `text`, in order."""
        found = {owner for needle, owner in self._short if needle in text}
        for gram in self._keys.intersection(_SAMPLES.findall(text)):
            found.update(owner for needle, owner in self._long[gram] if owner not in found and needle in text)
        return sorted(found)


def _grams(needle: str) -> list[str]:
    return [needle[at : at + GRAM] for at in range(len(needle) - GRAM + 1)]


def _rarest(needle: str, common: Counter[str]) -> Set[str]:
    """Of each run of four neighbouring grams, one of which every sampling meets, that whose grams are in the fewest needles."""
    grams = _grams(needle)
    runs = (grams[at : at + GRAM] for at in range(len(grams) - GRAM + 1))
    return set(min(runs, key=lambda run: sum(common[gram] for gram in run)))
