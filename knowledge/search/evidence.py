"""How many words of a question are an entry's own: what tells a question about vLLM from one that shares a word with it."""

from pathlib import Path

from knowledge.search.index import index
from knowledge.search.words import everyday, signs

PAIR = 1 / 3  # what a pair of Chinese characters counts, of which a word has several


def evidence(text: str, entry: str, extra_folder: Path | None = None) -> float:
    """Words and synonyms of `text` that stand in the entry, everyday speech left out; a pair of Chinese characters is a third of one."""
    found = index(extra_folder)
    card = found.cards[entry]
    own = {*card.subject, *card.symptoms, *card.short}
    shared = {sign for sign in signs(text) if sign in own}
    return sum(
        1.0 if sign[0] == "=" or sign.isascii() else PAIR for sign in shared if sign[0] == "=" or not everyday(sign)
    )
