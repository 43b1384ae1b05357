"""What the name of an unlisted repository says it is: a quantised build, or a fine-tune, of a listed model."""

import re
from dataclasses import replace

from knowledge.catalogue.index import shape
from knowledge.catalogue.names import SIZE, normalise
from knowledge.catalogue.quantised import with_quantization
from knowledge.catalogue.short_names import aliases
from knowledge.shapes.model import ModelShape

NOTE = "taken-as-listed"  # the answer is that of the listed model whose name this one has in it

# Words at a name's end that say how its weights are stored, and what they mean, the most telling first.
LABELS = (
    ("gguf", "gguf"),
    ("bnb", "bnb-int4"),
    ("awq", "awq-int4"),
    ("gptq", "gptq-int4"),
    ("nvfp4", "nvfp4"),
    ("fp4", "nvfp4"),
    ("mxfp4", "mxfp4"),
    ("w8a8", "int8"),
    ("int8", "int8"),
    ("8bit", "int8"),
    ("w4a16", "int4"),
    ("autoround", "int4"),
    ("int4", "int4"),
    ("4bit", "int4"),
    ("fp8", "fp8"),
    ("bf16", "bf16"),
    ("fp16", "bf16"),
)
BESIDE = frozenset(
    {"unsloth", "dynamic", "static", "quantized", "sym", "asym", "hf", "marlin", "128g", "g128", "32g", "block", "kv"}
)
EIGHT_BIT = frozenset({"8bit", "int8", "8b"})

# Words that make another model of it: what they name shares neither layers nor weights with the rest of the name.
OTHER_MODEL = frozenset(
    {
        "air", "assistant", "audio", "clip", "coder", "dflash", "draft", "eagle", "eagle3", "embedding", "flash", "guard", "internvl", "large",
        "llava", "mamba", "math", "medium", "medusa", "mini", "minitron", "moe", "mtp", "multimodal", "nano", "nemotron", "next", "ocr", "omni",
        "onevision", "pixtral", "pruned", "reranker", "reward", "small", "speculator", "super", "tiny", "ultra", "v", "vision", "vl", "xl",
    }
)  # fmt: skip
MILLIONS = re.compile(r"\d{1,2}m")  # of tokens: no model is that small
CONTEXT = re.compile(r"(\d{1,4})([km])")
KILO = {"k": 1024, "m": 1_000_000}


def derive(name: str) -> ModelShape | None:
    """The listed model that a repository's name has in it, in the quantisation at its end, under that name; None when it has none.

    `RedHatAI/Qwen2.5-7B-Instruct-quantized.w8a8`, `cyankiwi/gemma-4-31B-it-AWQ-4bit`, `allenai/Llama-3.1-Tulu-3-70B`. A size in the
    name must be the listed model's, and no word may make another model of it.
    """
    organisation, _, rest = name.rpartition("/")
    if not organisation:
        return None
    words, label = _quantisation([word for word in re.split(r"[-_ ]+|\.(?=[wW]\d)", rest) if word])
    found, left = _listed([word.lower() for word in words])
    if found is None:
        return None
    model = shape(found)
    model = model if label is None else with_quantization(model, label)
    return replace(model, model_id=name, notes=(*model.notes, NOTE), max_context=_context(left) or model.max_context)


def _quantisation(words: list[str]) -> tuple[list[str], str | None]:
    """The words before those that say a quantisation, and its label."""
    said: list[str] = []
    while words and _says_storage(words):
        said.append(words.pop().lower())
    label = next((label for word, label in LABELS if word in said), None)
    return words, "gptq-int8" if label == "gptq-int4" and EIGHT_BIT & set(said) else label


def _says_storage(words: list[str]) -> bool:
    last = words[-1].lower()
    bits = last in ("4b", "8b") and len(words) > 1 and words[-2].lower() == "gptq"
    return bits or last in BESIDE or any(last == word for word, _ in LABELS)


def _context(rest: list[str]) -> int | None:
    """The tokens that a word such as `200k` says; None when no word does."""
    found = next((match for word in rest if (match := CONTEXT.fullmatch(word))), None)
    return int(found[1]) * KILO[found[2]] if found else None


def _listed(words: list[str]) -> tuple[str | None, list[str]]:
    """The id whose name is some of these words, the most there are, and the words left over."""
    sizes = {place for place, word in enumerate(words) if SIZE.fullmatch(word) and not MILLIONS.fullmatch(word)}
    for run in _runs(words):
        rest = [word for place, word in enumerate(words) if place not in run]
        later = (word for place, word in enumerate(words) if place > run[0] and place not in run)
        if sizes <= set(run) and OTHER_MODEL.isdisjoint(rest) and not any(map(_is_release, later)):
            found = aliases().get(normalise("-".join(words[place] for place in run)))
            if found is not None:
                return found, rest
    return None, []


def _runs(words: list[str]) -> list[tuple[int, ...]]:
    """Places of words that may name a model, the most first: a run that begins with a letter, or the beginning of a name with its version
    and a later part, where only words without digits stand between.
    """
    count = len(words)
    whole = {tuple(range(start, end)) for start in range(count) for end in range(start + 2, count + 1)}
    around = {
        (*range(before), *range(after, end))
        for before in range(1, count)
        for after in range(before + 1, count)
        for end in range(after + 1, count + 1)
        if any(map(_has_digit, words[:before])) and not any(map(_has_digit, words[before:after]))
    }
    runs = [run for run in whole | around if words[run[0]][0].isalpha()]
    return sorted(runs, key=lambda run: (-len(run), run))


def _has_digit(word: str) -> bool:
    return any(letter.isdigit() for letter in word)


def _is_release(word: str) -> bool:
    """Whether leaving the word out would change which release of a family is meant: `3`, `1.5`, but not a date or `v2` of a fine-tune."""
    return bool(re.fullmatch(r"\d{1,2}|\d+\.\d+", word))
