"""Sizes and names that stand for no listed model: `70b` alone, our default model, and families that nobody knows."""

import re

from bot.understand.model_ids import Named, of_id
from bot.understand.scan import SIZE, Scan, grammar
from bot.understand.small_words import BEFORE_SIZES
from knowledge import catalogue
from knowledge.catalogue.lookup import nearest
from knowledge.errors import Refusal

_SIZE = grammar(
    r"(?<![a-z\d.])(?:\d{1,3}x)?\d{1,4}(?:\.\d{1,2})?[ -]?b(?:illion"
    r"|n)?(?:[- ]?a\d{1,3}(?:\.\d)?b)?(?:[- ]?(?:parameters?|params?))?(?![a-z\d])"
    r"|(?<![\d.])\d{1,6}(?:\.\d)?\s?亿(?:参数)?"
)
_NAME_LIKE = grammar(r"(?<![\w./])(?P<name>[a-z][a-z.]{1,20}(?:[- ]?v?\d{1,2}(?:\.\d{1,2})?)?(?:-[a-z]{2,12})?)[- ]$")
_MADE_LIKE = grammar(
    r"(?<![\w./@-])(?!(?:kv|tp|pp|dp|ep|fp|bf|int|nf|w\d|gpu|cuda|sm|ctx|max|num|vllm|v\d|p\d|h\d|a\d|b\d"
    r"|l\d|rtx|mi|run|job|mtp|eagle|python|port|step|q\d|re|x\d|top|one|two"
    r"|\d)[\d_-])[a-z]{3,16}-(?:[a-z]{1,12}-)?v?\d[\w.]*(?:-[a-z]{2,12})*(?!\w)"
)
_GRADED = grammar(  # whisper large v3
    r"(?<![\w./@-])(?!(?:model|use|run|the|any|our|vllm)\b)[a-z]{4,16}[ -](?:tiny|mini|small|medium|large|base|turbo|ultra|xl)"
    r"[ -]v\d(?:\.\d)?(?![\w.])"
)
_JUST_BEFORE = grammar(
    r"(?:an?|the|our|my|any|some|of|for|with|on|in|to|and|or|run|serve|fit|host|load|use|that|this|model"
    r"|another|dense|moe|one|is|are|per|each|vs|than|from|only|small|big|large|mini|about|around|like|gb"
    r"|kv|ctx"
    r"|context|hi|hey|hello|can|will|would|does|do|how|what|which|x|w|a\d|vllm|serving|running|deploy"
    r"|deploying|draft|quantized|quantised|fp\d+|int\d+|bf\d+|awq|gptq|bit|bits|param|params|size|sized"
    r"|plus|same|tp|pp|dp)$"
)
_POINTER = grammar(
    r"\b(?:our|the (?:default|usual|current)|default|my) model\b|(?:我们的?|默认的?|现在的?|当前的?)模型"
)


def take_sizes(scan: Scan) -> tuple[str | None, Scan]:
    """The first bare size (`70b`, `32B`, `700亿`), and the scan with all of them marked."""
    found, scan = scan.take(_SIZE, SIZE)
    return (found[0][0] if found else None), scan


def billions(size: str) -> float:
    """How many billion parameters a size says: `70b`, `8x7B`, `700亿`."""
    numbers = [float(number) for number in re.findall(r"\d+(?:\.\d+)?", size.lower().partition("a")[0])]
    total = numbers[0] * numbers[1] if "x" in size and len(numbers) > 1 else numbers[0]
    return total / 10 if "亿" in size else total


def known(model: Named | None, scan: Scan) -> tuple[Named | None, Refusal | None]:
    """The model that was named, or why what was named as one is none."""
    if model is None:
        return None, unknown(scan)
    return (None, _unlisted(model.model_id)) if model.unknown else (model, None)


def unknown(scan: Scan) -> Refusal | None:
    """A model that is in no list: a family with a size (`foobar-7b`), or a word made as models' names are (`superchat-v2`)."""
    place = scan.text.find(SIZE)
    before = _NAME_LIKE.search(scan.text, max(0, place - 40), place) if place > 0 else None
    if before is not None and not any(_tells_nothing(word) for word in re.split(r"[- ]", before["name"])):
        end = place
        while scan.text[end : end + 1] == SIZE:
            end += 1
        return _refused(scan.said[before.start("name") : end].strip())
    made = _MADE_LIKE.search(scan.text) or _GRADED.search(scan.text)
    return _refused(scan.said[made.start() : made.end()]) if made else None


def _tells_nothing(word: str) -> bool:
    """Whether a word before a size is no family's name: `the`, `best`, `fine-tuned`, `hosting`."""
    return word in BEFORE_SIZES or _JUST_BEFORE.fullmatch(word) is not None or word.endswith(("ing", "ed", "ly"))


def _unlisted(name: str) -> Refusal:
    """What is said of a name that is no listed model's, with those nearest to it."""
    near = nearest(catalogue.normalise(name))
    hint = f"Did you mean {' or '.join(f'`{model_id}`' for model_id in near)}?" if near else "Give its Hugging Face id."
    return Refusal("unknown-model", f"`{name[:80]}` is not a listed model.", hint, name=name[:80], near=list(near))


def _refused(name: str) -> Refusal | None:
    try:
        catalogue.find(name)
    except Refusal as refusal:
        return refusal
    return None


def pointed_at(scan: Scan, size: str | None, default_model: str | None) -> Named | None:
    """The default model where the text points at it: `our model`, `默认模型`, or a bare size that is in its name."""
    if default_model is None:
        return None
    found = _POINTER.search(scan.text)
    if found is None and not (
        size and re.search(rf"(?<![\d.]){re.escape(size.replace(' ', ''))}(?![a-z])", default_model.lower())
    ):
        return None
    start, end = found.span() if found else (0, 0)
    return of_id(default_model, start, end)
