"""A text as signs: stems of English words, pairs of Chinese characters, and the synonyms that both languages share.

The tokeniser of the search. A sign that stands for several words (knowledge/data/synonyms.toml) begins with `=`.
"""

import re
import tomllib
import unicodedata
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
_DIGIT = re.compile(r"\d")
_RELEASE = re.compile(r"(?<![\d.])(?:v0\.\d|0\.\d{1,2}\.\d|0\.(?:1\d|2[\dx]|3[0-3])(?![\d.]))")
_NO_RELEASE = re.compile(  # a share of the card, or billions
    r"(?:util\w*|fraction|比例|利用率|\bat|各|设|=)\s?(?:of |to |成|为|是)?0?\.\d{1,2}(?![\d.])|0?\.\d{1,2}\s?(?:each|util\w*|%)|\d\.\d{1,2}b\b"
)
_SHARE = re.compile(r"(?<![\d.])0?\.[3-9]\d?(?![\d.])")
_WINDOW = re.compile(r"(?<![\d.,])(?:4096|8192|16384|32768|40960|65536|131072|163840|262144|1048576)(?!\d)")
_NAMED_CARD = r"(?:rtx\s?)?(?:[ahlvbt]\d{1,3}|[2-5]0[5-9]0(?:\s?ti)?|\d{2}\s?gb?)"
_MIXED = re.compile(rf"(?<![\w.]){_NAMED_CARD}\s?(?:\+|and|with|plus|和|与|跟|加|配)\s?(?:an? )?{_NAMED_CARD}(?![\w.])")
_RELEASES = re.compile(rf"{_RELEASE.pattern}\S*[^\d.].{{0,60}}?{_RELEASE.pattern}")
_NUMBERS = (
    ("=multigpu", _CARDS),
    ("=longtext", _LENGTH),
    ("=release", _RELEASE),
    ("=share", _SHARE),
    ("window", _WINDOW),
    ("=mixedgpu", _MIXED),
    ("=regress", _RELEASES),
)
_OF_RELEASES = frozenset({"=release", "=regress"})
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
# Words of everyday speech: they are rare among the entries, and yet say little about which one is meant.
_EVERYDAY = (
    "about above actually add after again all almost along already also although always another anything around ask away back because "
    "become before behind being believe better big bit both bring call came case certain change check clear come correct course day deal "
    "depend different difference directly done down each easy either else end enough even ever every everything exactly example except "
    "expect explain far feel few find fine first follow found full general give given go goes going gone good great guess half happen "
    "hard hear hold idea important inside instead interesting issue job keep kind know known large last later least leave left less let "
    "little long look lot made main make many matter maybe mean means mention mine more most mostly much must myself name near need never "
    "new next nice nobody none normal normally nothing number off often old once one open option order other our out outside over own "
    "part pass people per perhaps person place plan point possible pretty probably problem put question quite rather ready real really "
    "reason recommend right said same say says second see seem seems send sense several short show side simple since single situation "
    "size small someone something sometimes soon sort start stay step stop such suddenly suggest suppose sure take takes talk tell test "
    "thanks thing things think third though thought through time times today together told too took total toward turn two type under "
    "understand until up upon usual usually value various very via wait want wants was way week well went whatever whenever whether while "
    "whole without wonder word work works world worth wrong year yes yet"
)
_ENDINGS = ("ingly", "edly", "ings", "ing", "ies", "ed", "es", "s", "ly")
_CODES = frozenset({"137", "400", "401", "403", "404", "429", "500", "502", "503", "504"})
_COUNTED = _CODES | {"4bit", "8bit", "1p1d", "3d"}
_OLD_CARDS = frozenset(
    {"t4", "v100", "p100", "p40", "2080", "2080ti", "1080ti"}
)  # whose age is often the trouble itself
_PARALLEL = frozenset({"tp", "pp", "dp", "ep"})
_LONGEST = 6  # words of an English phrase


def everyday(sign: str) -> bool:
    """Whether a sign is a word of everyday speech."""
    return sign in _everyday()


@lru_cache(maxsize=1)
def _everyday() -> frozenset[str]:
    return frozenset(stem(word) for word in _EVERYDAY.split())


@dataclass(frozen=True, slots=True)
class Synonyms:
    """Signs by phrase: English ones by their stems, those with Chinese characters by their first character.

    `beginnings` are the stems that an English phrase of several words may begin with.
    """

    english: dict[str, tuple[str, ...]]
    beginnings: frozenset[str]
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
        frozenset(phrase.split(" ")[0] for phrase in english if " " in phrase),
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
    words = _WORD.findall(folded)
    found = [sign for word in words if (sign := _sign(word))]
    found += _phrases([stem(word) for word in words])
    if _HAN.search(folded):
        found += _pairs(folded)
        found += _chinese(_squeezed(folded))
    if _DIGIT.search(folded):
        small = text.lower()
        bare = _NO_RELEASE.sub(" ", small)
        found += [sign for sign, pattern in _NUMBERS if pattern.search(bare if sign in _OF_RELEASES else small)]
    return found


@lru_cache(maxsize=16_384)
def signs_of_line(line: str) -> tuple[str, ...]:
    """The signs of an entry's line, each once: what a line says twice says no more."""
    return tuple(dict.fromkeys(signs(line)))


@lru_cache(maxsize=8192)
def _sign(word: str) -> str | None:
    """What one word stands for by itself; None where it says nothing."""
    if word in _STOP or len(word) == 1 or (word.isdigit() and word not in _CODES):
        return None
    if word in _OLD_CARDS:
        return word
    if _MODEL_NAME.match(word) or _CARD_NAME.match(word):
        return None
    if word[0].isdigit() and word not in _COUNTED:
        return None
    if word[:2] in _PARALLEL and word[2:].isdigit():
        return word[:2]
    return stem(word)


def _phrases(stems: list[str]) -> list[str]:
    known = synonyms()
    found: list[str] = []
    for start, first in enumerate(stems):
        if first in known.english:
            found += known.english[first]
        if first in known.beginnings:
            for end in range(start + 2, min(start + _LONGEST, len(stems)) + 1):
                found += known.english.get(" ".join(stems[start:end]), ())
    return found


def _pairs(folded: str) -> list[str]:
    runs = _HAN.findall(folded)
    return [run[place : place + 2] for run in runs for place in range(max(len(run) - 1, 1))]


def _chinese(squeezed: str) -> list[str]:
    known = synonyms().chinese
    return [
        sign
        for place, character in enumerate(squeezed)
        for phrase, sign in known.get(character, ())
        if squeezed.startswith(phrase, place)
    ]


def _squeezed(folded: str) -> str:
    return "".join(_HAN_OR_WORD.findall(folded))
