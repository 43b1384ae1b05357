"""A text as signs: stems of English words, pairs of Chinese characters, and the synonyms that both languages share.

The tokeniser of the search. A sign that stands for several words (knowledge/data/synonyms.toml) begins with `=`.
"""

import re
import tomllib
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

SYNONYMS = Path(__file__).parent.parent / "data" / "synonyms.toml"
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]+")
_HAN_OR_WORD = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]|[a-z0-9]+")
_WORD = re.compile(r"[a-z]+[0-9]*[a-z0-9]*|[0-9]+[a-z]+[a-z0-9]*|[0-9]+")
_CARDS = re.compile(
    r"(?<![a-z0-9])(?:[2-9]|1[0-6])\s?[x×*]\s?(?=[a-z0-9])|(?:[2-9]|1[0-6]|两|双|四|八)\s?(?:张|块|卡)|(?<![a-z0-9])(?:two|three|four|eight|[2-9]|1[0-6])\s(?:[a-z0-9]+\s)?(?:gpus|cards|[a-z]?\d{3,4}s?)\b"
)
_LENGTH = re.compile(r"(?<![a-z0-9.])\d{2,4}k(?![a-z0-9])|(?<![a-z0-9.])[12]m\s?(?:token|context|ctx)|\d+\s?万")
_CARD_NAME = re.compile(r"(?:[ahlvbt]\d{1,3}[a-z]?|[0-9]{4}(?:ti)?|rtx|gtx|gh200|gb\d{3}|mi\d{3}x?)$")
_MODEL_NAME = re.compile(
    r"(?:llama|qwen|qwq|deepseek|mistral|mixtral|gemma|glm|kimi|phi|yi|baichuan|internlm|codellama|gpt|oss|vicuna|falcon|command|minimax|instruct|coder)[0-9a-z]*$"
    r"|\d+b$|[rv]\d$"
)
_SMALL = (
    "a an the is are was be been am do does did i my me we our you your it its this that these those of to in on at for with and or "
    "but so if as by from than then there here have has had can could would should will may might just only get gets got when what "
    "which how why where who some any vllm please pls help hi hey im ive u r lol bc like use using used run running server serve "
    "model models set try tried still now not no"
)
_STOP = frozenset(_SMALL.split())
_ENDINGS = ("ingly", "edly", "ings", "ing", "ies", "ed", "es", "s", "ly")
_CODES = frozenset({"400", "401", "404", "500", "502", "503", "504"})
_LONGEST = 6  # words of an English phrase


@dataclass(frozen=True, slots=True)
class Synonyms:
    """Signs by phrase: English ones by their stems, those with Chinese characters by their first character."""

    english: dict[str, tuple[str, ...]]
    chinese: dict[str, tuple[tuple[str, str], ...]]


@lru_cache(maxsize=1)
def synonyms() -> Synonyms:
    """The phrases of the data file."""
    english: dict[str, list[str]] = {}
    chinese: dict[str, list[tuple[str, str]]] = {}
    for sign, phrases in tomllib.loads(SYNONYMS.read_text(encoding="utf-8")).items():
        for phrase in phrases.split("|"):
            if _HAN.search(phrase):
                squeezed = _squeezed(fold(phrase))
                chinese.setdefault(squeezed[0], []).append((squeezed, f"={sign}"))
            else:
                english.setdefault(" ".join(stem(word) for word in _WORD.findall(fold(phrase))), []).append(f"={sign}")
    return Synonyms(
        {phrase: tuple(signs) for phrase, signs in english.items()},
        {first: tuple(pairs) for first, pairs in chinese.items()},
    )


def fold(text: str) -> str:
    """Lower case, narrow, and with hyphens and underscores as spaces."""
    return re.sub(r"[-_/.,:;()\[\]{}'\"`]+", " ", unicodedata.normalize("NFKC", text).lower().replace("'", ""))


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """A word without its ending: `queues`, `queued` and `queueing` are one."""
    if len(word) <= 3 or word[-1].isdigit():
        return word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)] + ("y" if ending == "ies" else "")
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "ls":
        word = word[:-1]
    return word.removesuffix("e") if len(word) > 3 else word


def signs(text: str) -> list[str]:
    """The signs of a text, each as often as it stands there."""
    folded = fold(text)
    return [*_plain(folded), *_meant(folded)]


def _plain(folded: str) -> Iterator[str]:
    for word in _WORD.findall(folded):
        if word in _STOP or (word.isdigit() and word not in _CODES):
            continue
        if _MODEL_NAME.match(word):
            yield "=model"
        elif _CARD_NAME.match(word):
            yield "=card"
        elif len(word) > 1:
            yield stem(word)
    for run in _HAN.findall(folded):
        yield from (run[place : place + 2] for place in range(max(len(run) - 1, 1)))


def _meant(folded: str) -> Iterator[str]:
    known = synonyms()
    stems = [stem(word) for word in _WORD.findall(folded)]
    for start in range(len(stems)):
        for end in range(start + 1, min(start + _LONGEST, len(stems)) + 1):
            yield from known.english.get(" ".join(stems[start:end]), ())
    squeezed = _squeezed(folded)
    for place, character in enumerate(squeezed):
        for phrase, sign in known.chinese.get(character, ()):
            if squeezed.startswith(phrase, place):
                yield sign
    if _CARDS.search(folded):
        yield "=multigpu"
    if _LENGTH.search(folded):
        yield "=longtext"


def _squeezed(folded: str) -> str:
    return "".join(_HAN_OR_WORD.findall(folded))
