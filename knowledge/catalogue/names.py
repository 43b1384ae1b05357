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
DATE = re.compile(r"(?:2[3-6](?:0[1-9]|1[0-2])|0[1-9]|1[0-2]|202[3-6]|0[1-9]\d\d)$")
ACTIVE = re.compile(r"a\d+(?:\.\d+)?b$")
SEPARATORS = re.compile(r"[^\w.]+|_+|(?<!\d)\.|\.(?!\d)")
VERSION = re.compile(r"(?<![\d.])(\d{1,2}(?:\.\d{1,2})?)(?![\d.]*[bm\d])")
FAMILY_VERSION = re.compile(r"^([a-z]+)\d+(?:\.\d+)?$|^([a-z]+)$")


def normalise(text: str) -> str:
    """The form in which names are compared: NFKC (full width becomes ASCII), lower case, only letters and digits.

    A dot between two digits stays, since 2.5 is not 25; whatever else separates words is dropped.
    """
    return SEPARATORS.sub("", unicodedata.normalize("NFKC", text).lower())


def stem(model_id: str) -> str:
    """The id's name without its organisation and its quantisation."""
    return QUANTISED.sub("", model_id.rpartition("/")[2])


def quantised_as(model_id: str) -> str:
    """The quantisation in an id's name, lower case (`awq`, `gptq-int4`, `fp8-dynamic`); empty when there is none."""
    found = QUANTISED.search(model_id)
    return found["word"].lower() if found else ""


def words(model_id: str) -> list[str]:
    """The words of an id's name, lower case, organisation and maker dropped."""
    split = re.split(r"[-_ ]", model_id.rpartition("/")[2].lower())
    return split[1:] if len(split) > 1 and split[0] in MAKERS else split


def short_forms(model_id: str) -> Iterator[tuple[int, str]]:
    """Normalised forms of an id, each with how far it is from the id: 0 whole, 1 name, 2 without -Instruct and the like,
    3 without its date, 4 without the active parameters (A3B), 5 without the version of its family. Dots are optional."""
    said = words(model_id)
    plain = [word for word in said if word not in INSTRUCT] or said
    undated = [word for word in plain if not DATE.match(word)] or plain
    total = [word for word in undated if not ACTIVE.match(word)]
    forms = [model_id, model_id.rpartition("/")[2], *("-".join(form) for form in (said, plain, undated, total))]
    levels = (0, 1, 1, 2, 3, 4)
    for level, form in zip(levels, forms, strict=True):
        yield from _dotted(level, form)
    yield from _dotted(5, "-".join(_versionless(total)))


def _dotted(level: int, form: str) -> Iterator[tuple[int, str]]:
    name = normalise(form)
    yield level, name
    if "." in name:
        yield level, name.replace(".", "")


def _versionless(said: list[str]) -> list[str]:
    """`qwen2.5-72b` as `qwen-72b`, `llama-3.3-70b` as `llama-70b`; nothing when no size remains to tell it by."""
    if not any(re.fullmatch(r"(?:\d+x)?\d+(?:\.\d+)?[bm]", word) for word in said):
        return said
    rest = [re.sub(r"^([a-z]+)\d(?:\.\d+)?$", r"\1", word) for word in said[:1]] + said[1:]
    return [word for place, word in enumerate(rest) if not (place == 1 and re.fullmatch(r"v?\d(?:\.\d)?", word))]


def version(model_id: str) -> float:
    """The version of an id's family, 0 when it names none."""
    head = "-".join(words(model_id)[:2])
    found = re.search(r"(?:^|[a-z-])v?(\d{1,2}(?:\.\d{1,2})?)(?=-|$)", head)
    return float(found[1]) if found else 0.0
