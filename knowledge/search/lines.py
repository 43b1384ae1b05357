"""How near a question comes to one thing that people say: the titles, symptoms and log lines of the entries, each for itself.

A whole entry has many lines, and a question that is almost one of them is lost among the words of the rest.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from knowledge.search.cards import Card


@dataclass(frozen=True, slots=True)
class Lines:
    """Every line's signs: `postings` has the lines of a sign, `owners` whose each is, `lengths` its norm; `rarity` is a sign's weight."""

    postings: dict[str, tuple[int, ...]]
    owners: tuple[str, ...]
    lengths: tuple[float, ...]
    rarity: dict[str, float]
    unknown: float

    def scores(self, wanted: Iterable[str]) -> dict[str, float]:
        """The cosine of a question with each entry's best line, 0 to 1."""
        asked = {sign: self.rarity.get(sign, self.unknown) for sign in wanted}
        length = math.sqrt(sum(weight**2 for weight in asked.values()))
        shared: defaultdict[int, float] = defaultdict(float)
        for sign, weight in asked.items():
            for line in self.postings.get(sign, ()):
                shared[line] += weight**2
        found: dict[str, float] = {}
        for line, product in shared.items():
            owner = self.owners[line]
            found[owner] = max(found.get(owner, 0.0), product / (length * self.lengths[line]))
        return found


def lines(cards: Iterable[Card]) -> Lines:
    """The lines of all entries."""
    said = [(card.id, line) for card in cards for line in card.lines]
    having = Counter(sign for _, found in said for sign in found)
    rarity = {sign: _weight(sign, len(said), count) for sign, count in having.items()}
    postings: defaultdict[str, list[int]] = defaultdict(list)
    for place, (_, found) in enumerate(said):
        for sign in found:
            postings[sign].append(place)
    return Lines(
        postings={sign: tuple(places) for sign, places in postings.items()},
        owners=tuple(owner for owner, _ in said),
        lengths=tuple(math.sqrt(sum(rarity[sign] ** 2 for sign in found)) for _, found in said),
        rarity=rarity,
        unknown=_weight("", len(said), 0),
    )


def _weight(sign: str, lines: int, having: int) -> float:
    """A synonym says most; a pair of Chinese characters least, since a word has several."""
    share = 4.0 if sign[:1] == "=" else 2.0 if sign.isascii() else 0.5
    return share * math.log(1 + (lines - having + 0.5) / (having + 0.5))
