"""How much of a question an entry's own words are: what tells a question about vLLM from one that shares a word with it."""

from dataclasses import dataclass
from pathlib import Path

from knowledge.search.index import index
from knowledge.search.ranking import Hit
from knowledge.search.words import everyday, signs

PAIR = 1 / 3  # what a pair of Chinese characters counts, of which a word has several
SURELY, FEW, PLAINLY = 3.5, 2, 1.0  # enough words; or fewer in a good entry: of 250 others two come so far
RATHER = 0.7  # a score by share; none of 20 vague Chinese questions has it with three words
FAINTLY, LITTLE = 0.15, 3  # a score by share, and words, below which 16 of 55 near misses stay and 3 of 686 questions

FAINTLY_CHINESE = 0.06  # pairs that reach over two words are known to no entry, so the share is always small


@dataclass(frozen=True, slots=True)
class Told:
    """`words` and synonyms of a question that stand in the entry, everyday speech left out; `share` of its rare words that do, 0 to 1."""

    words: float
    share: float


def told(text: str, entry: str, extra_folder: Path | None = None) -> Told:
    """How much of `text` the entry's own words are. With nothing but everyday words and synonyms the share is 1."""
    found = index(extra_folder)
    card = found.cards[entry]
    own = {*card.subject, *card.symptoms, *card.short}
    said = {sign for sign in signs(text) if sign[0] == "=" or not everyday(sign)}
    words = sum(_count(sign) for sign in said if sign in own)
    rare = {sign: found.rarity.get(sign, found.unknown) * _count(sign) for sign in said if sign[0] != "="}
    whole = sum(rare.values())
    return Told(words, sum(weight for sign, weight in rare.items() if sign in own) / whole if whole else 1.0)


def plain(text: str, hit: Hit, extra_folder: Path | None = None) -> bool:
    """Whether so much of `text` is the entry's that it can be about nothing else."""
    found = told(text, hit.id, extra_folder)
    return found.words >= SURELY or (found.words >= FEW and hit.score * found.share >= PLAINLY)


def says_more(text: str, hit: Hit, extra_folder: Path | None = None) -> bool:
    """Whether a Chinese text of few synonyms says in other words which entry it means: 一次传多张图报错. In English every word counts already."""
    if text.isascii():
        return False
    found = told(text, hit.id, extra_folder)
    return found.words >= LITTLE and hit.score * found.share >= RATHER


def faint(text: str, hit: Hit, extra_folder: Path | None = None) -> bool:
    """Whether hardly anything of `text` is the entry's."""
    found = told(text, hit.id, extra_folder)
    return found.words < LITTLE and hit.score * found.share < (FAINTLY if text.isascii() else FAINTLY_CHINESE)


def _count(sign: str) -> float:
    return 1.0 if sign[0] == "=" or sign.isascii() else PAIR
