"""What stands behind a model's name and belongs to it: formats and dates change nothing, a size or a version makes it another model."""

import re

from bot.understand.precision import weight_word_in
from bot.understand.scan import grammar

_TAIL = grammar(r"(?:[-_.:]?[a-z0-9]+(?:\.\d+)?)+")
_WORD = grammar(r"v?\d+(?:\.\d+)*[a-z]*|[a-z]+")
_SIZED = grammar(r"\d(?:\.\d+)?b(?![a-z])")
_SIZE = grammar(r"(?:\d+x)?\d+(?:\.\d+)?b")
_LONGER_CONTEXT = grammar(r"1m")  # Qwen2.5-7B-Instruct-1M is not Qwen2.5-7B-Instruct
_VERSION = grammar(r"v\d{1,2}(?:\.\d{1,2})?|[1-9]\.\d{1,2}")
_SPACED_VERSION = grammar(
    r"\s(?P<version>v\d{1,2}(?:\.\d{1,2})?|[1-9]\.\d)(?![\w.%]|\s?(?:k\b|m\b|b\b|g|x\b|%|req|rps|qps|util))"
)
_SPACED_SIZE = grammar(r"\s\d{1,4}(?:\.\d{1,2})?\s?b(?![a-z0-9])")
_CHANGES_NOTHING = frozenset(
    ["instruct", "chat", "it", "hf", "base", "pt", "preview", "latest", "model", "dynamic", "static", "marlin", "bit", "bits", "x", "k", "m", "l", "s", "q", "quantized", "quantised", "w", "a", "tp", "pp", "dp", "ep", "on", "with", "gpu", "gpus", "card", "cards", "ctx", "context", "bs", "vllm", "and"]
)  # fmt: skip


def end_of(text: str, end: int) -> int:
    """Where the word ends that a name at text[:end] is the beginning of: `qwen3-8b` of `qwen3-8b-foo on`."""
    found = _TAIL.match(text, end)
    return found.end() if found and text[end : end + 1] != " " else end


def another(text: str, start: int, end: int) -> int | None:
    """Where the name of another model ends that begins with the name at text[start:end]; None when it is that name.

    A size or a longer context makes another model, and of a name without a size so does any word or version behind it.
    """
    name, tail_end = text[start:end], end_of(text, end)
    words = _WORD.findall(text[end:tail_end])
    if any((_SIZE.fullmatch(word) and word not in name) or _LONGER_CONTEXT.fullmatch(word) for word in words):
        return tail_end
    if _SIZED.search(name):
        return None
    if any(_tells(word) for word in words):
        return tail_end
    if not words and (size := _SPACED_SIZE.match(text, end)):
        return size.end()
    if words or re.search(r"\d", name):
        return None
    spaced = _SPACED_VERSION.match(text, end)
    return spaced.end("version") if spaced else None


def _tells(word: str) -> bool:
    """Whether a word behind a name without a size is part of the name."""
    if _VERSION.fullmatch(word):
        return True
    return len(word) >= 3 and word.isalpha() and word not in _CHANGES_NOTHING and weight_word_in(word) is None
