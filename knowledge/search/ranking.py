"""Ranks the entries for a question: exact signatures, then the signs of the words, and silence below a threshold."""

from dataclasses import dataclass
from pathlib import Path

from knowledge.entries import loading
from knowledge.search.index import Index, index, weight
from knowledge.search.signatures import logged, named
from knowledge.search.words import signs
from knowledge.versions import Version

LONGEST = 4_000  # characters of a question that are read
LOGGED, NAMED = 2.0, 0.35  # added for a log line, for a name
LINE = 0.8  # what the nearest single line counts beside the whole entry: best of 0 to 2 on public questions, flat from 0.5 on
ASKED = 0.75  # how much the words count for an entry that people rather meet in a log: found with lines left out, flat from 0.7 to 0.8
ENOUGH = 20.0  # weight of known signs, two rare words and a synonym or so, from which on a question has said enough
CONFIDENT = 0.4  # below it nothing is answered: of 247 public questions the least that was found has 0.48
KEPT = 0.55  # of the best score: what else is shown
SUBJECTS = 2  # entries that one word alone may stand for
_SLIP = 6  # letters of a word in which one slip is forgiven; two in one of ten


@dataclass(frozen=True, slots=True)
class Hit:
    """An entry, how well it fits (mostly 0 to 3; a right answer is seldom below 0.9) and by what it was found.

    `own` says that it is from the team's folder.
    """

    id: str
    score: float
    why: tuple[str, ...]
    own: bool = False


def search(text: str, *, limit: int = 3, version: Version | None = None, extra_folder: Path | None = None) -> list[Hit]:
    """The entries that answer `text`, best first; none when nothing fits well enough. Those that do not hold for `version` are left out."""
    ranked = _ranked(text, version, extra_folder)
    if not ranked or ranked[0].score < CONFIDENT or _lone(text, index(extra_folder)):
        return []
    return [hit for hit in ranked if hit.score >= KEPT * ranked[0].score][:limit]


def _lone(text: str, found: Index) -> bool:
    """Whether a single word is all there is, and it names no subject, or more than `SUBJECTS` of them: `hf`, `docker`."""
    plain = {sign for sign in signs(text) if sign[0] != "="}
    return len(plain) == 1 and " " not in text.strip() and not 1 <= found.subjects(*plain) <= SUBJECTS


def nearest(
    text: str, *, limit: int = 2, version: Version | None = None, extra_folder: Path | None = None
) -> list[Hit]:
    """What comes nearest, however far: to be offered, never to be said as the answer."""
    return _ranked(text, version, extra_folder)[:limit]


def _ranked(text: str, version: Version | None, extra_folder: Path | None) -> list[Hit]:
    found = index(extra_folder)
    text = text[:LONGEST]
    scores = _by_words(text, found)
    why: dict[str, list[str]] = {}
    for exact, bonus in ((named(text, found.names), NAMED), (logged(text, found.signatures), LOGGED)):
        for entry, by in exact.items():
            scores[entry] = scores.get(entry, 0.0) + bonus / len(found.names.get(by, (entry,)))
            why.setdefault(entry, []).append(by)
    hits = [
        Hit(entry, round(score, 4), tuple(why.get(entry, ())), found.entries[entry] != loading.FOLDER)
        for entry, score in scores.items()
        if version is None or found.cards[entry].holds_in(version)
    ]
    return sorted(hits, key=lambda hit: (-hit.score, hit.id))


def _by_words(text: str, found: Index) -> dict[str, float]:
    wanted = {_known(sign, found): None for sign in signs(text)}
    whole = sum(found.rarity.get(sign, found.unknown) * weight(sign) for sign in wanted)
    nearest_line = found.lines.scores(wanted)
    known = sum(found.rarity[sign] * weight(sign) for sign in wanted if sign in found.rarity)
    enough = min(1.0, known / ENOUGH)
    return {
        entry: enough * (_share(found, entry) * score / whole + LINE * nearest_line.get(entry, 0.0))
        for entry, score in found.scores(wanted)
    }


def _share(found: Index, entry: str) -> float:
    """How much the words of the whole entry count; a line that people say counts in full for every entry."""
    return ASKED if found.cards[entry].logged else 1.0


def _known(sign: str, found: Index) -> str:
    """A word that no entry has, read as the one it is a slip of."""
    if sign in found.rarity or len(sign) < _SLIP or not (sign.isascii() and sign.isalpha()):
        return sign
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    slips = 2 if len(sign) >= 10 else 1
    near = process.extractOne(sign, _words(found), scorer=OSA.distance, score_cutoff=slips)
    return near[0] if near else sign


def _words(found: Index) -> list[str]:
    return [sign for sign in found.rarity if sign.isascii() and sign.isalpha() and len(sign) >= _SLIP - 1]
