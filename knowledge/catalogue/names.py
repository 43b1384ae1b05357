"""Model names as people type them: one normal form, and the short forms that follow from an id by rule."""

import re
import unicodedata
from collections.abc import Iterator

INSTRUCT = frozenset({"instruct", "chat", "it", "hf"})
MAKERS = frozenset({"meta", "c4ai", "nvidia"})  # said before the family's own name
QUANTISED = re.compile(
    r"[-.](?:quantized\.)?(?P<word>awq(?:-int4)?|gptq(?:-int[48])?|fp8(?:-dynamic|-static-pertensor)?|nvfp4|w[48]a(?:16|8))$",
    re.IGNORECASE,
)
SIXTEEN_BIT = re.compile(r"-bf16$", re.IGNORECASE)
DATE = re.compile(r"(?:2[3-6](?:0[1-9]|1[0-2])|0[1-9]|1[0-2]|202[3-6]|0[1-9]\d\d)$")
ACTIVE = re.compile(r"a\d+(?:\.\d+)?b$")
SEPARATORS = re.compile(r"[^\w.]+|_+|(?<!\d)\.|\.(?!\d)")
SIZE = re.compile(r"(?:\d+x)?\d+(?:\.\d+)?[bm]")
FAMILY = re.compile(r"([a-z]+)(\d(?:\.\d)?)$")
NUMBER = re.compile(r"v?\d(?:\.\d)?")


def normalise(text: str) -> str:
    """The form in which names are compared: NFKC (full width becomes ASCII), lower case, only letters and digits.

    A dot between two digits stays, since 2.5 is not 25; `+` is plus; whatever else separates words is dropped.
    """
    folded = text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).lower()
    return SEPARATORS.sub("", folded.replace("+", "plus"))


def stem(model_id: str) -> str:
    """The id's name without its organisation and how its weights are stored."""
    return QUANTISED.sub("", SIXTEEN_BIT.sub("", model_id.rpartition("/")[2]))


def quantised_as(model_id: str) -> str:
    """The quantisation in an id's name, lower case (`awq`, `gptq-int4`, `fp8-dynamic`); empty when there is none."""
    found = QUANTISED.search(model_id)
    return found["word"].lower() if found else ""


def words(model_id: str) -> list[str]:
    """The words of an id's name, lower case, organisation and maker dropped."""
    split = re.split(r"[-_ ]", model_id.rpartition("/")[2].lower())
    return split[1:] if len(split) > 1 and split[0] in MAKERS else split


def short_forms(model_id: str, said: list[str]) -> Iterator[tuple[int, str]]:
    """Normalised forms of an id with the words `said`, each with how far it is from the id: 0 whole, 1 name, 2 without -Instruct
    and the like, 3 without its date, 4 without the active parameters (A3B), 5 without the version of its family. Dots are optional.
    """
    plain = [word for word in said if word not in INSTRUCT] or said
    undated = [word for word in plain if not DATE.match(word)] or plain
    total = [word for word in undated if not ACTIVE.match(word)]
    yield 0, normalise(model_id)
    yield 1, normalise(model_id.rpartition("/")[2])
    seen: set[str] = set()
    for level, form in enumerate((said, plain, undated, total, versionless(total)), start=1):
        name = normalise("-".join(form))
        if name not in seen:
            seen.add(name)
            yield level, name
            if "." in name:
                yield level, name.replace(".", "")


def versionless(said: list[str]) -> list[str]:
    """`qwen2.5-72b` as `qwen-72b`, `llama-3.3-70b` as `llama-70b`; the same words when no size remains to tell it by."""
    if not any(SIZE.fullmatch(word) for word in said):
        return said
    first = FAMILY.match(said[0])
    head = first[1] if first else said[0]
    return [head, *(word for place, word in enumerate(said[1:]) if place or not NUMBER.fullmatch(word))]


def version(said: list[str]) -> float:
    """The version of the family in an id's words, 0 when they name none."""
    for word in said[:2]:
        found = FAMILY.match(word)
        number = found[2] if found else word.removeprefix("v") if NUMBER.fullmatch(word) else None
        if number is not None:
            return float(number)
    return 0.0
