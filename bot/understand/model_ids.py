"""Models named in full: hub ids, links to them, folders. And the id that a name alone means."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from bot.understand.precision import weight_word_in
from bot.understand.scan import Scan, grammar
from knowledge import catalogue

_PATH = grammar(r"(?<![\w./:<-])(?:~|\.{1,2})?/[\w.+-]+(?:/[\w.+-]+)+/?")
_NO_MODEL_ROOT = grammar(
    r"/(?:v\d|metrics|health|ping|dev|etc|proc|sys|usr|bin|var|lib|api|completions|chat|tokenize)(?:/|$)"
)
_SOURCE_FILE = grammar(r"\.(?:py|log|txt|json|ya?ml|toml|sh|so|cu|whl|js|md|csv|jsonl)$")
_LINK = grammar(
    r"https?://(?:www\.)?(?:huggingface\.co|hf\.co|modelscope\.cn/models|hf-mirror\.com)/([\w.-]+/[\w.-]+)(?:/\S*)?",
    re.IGNORECASE,
)
_ANY_LINK = grammar(r"https?://\S+")
_ID = grammar(r"(?<![\w./@:-])([A-Za-z0-9][\w-]{1,60}(?:\.[\w-]+)*)/([A-Za-z0-9][\w.-]{1,95})(?![\w/])")
_SIZED = grammar(r"\d(?:\.\d+)?[bm](?![a-z])|v?\d", re.IGNORECASE)
_RUN_BEFORE = grammar(r"(?:\b(?:fit|run|serve|host|load|deploy|try|launch|start|model|for)\s|[跑放装部署起])\s?$")
_ON_BEHIND = grammar(r"\s(?:on|in|onto)\s(?:an?\s|\d|one\b|two\b|our\s)|\s?(?:在|用|单卡|双卡|放得下)")
_CARD_LIKE = grammar(r"(?:rtx-?)?[a-z]{1,3}\d{2,4}[a-z]?|rtx\d{4}\w{0,6}", re.IGNORECASE)
_NO_ORGANISATION = grammar(
    r"(?:\d+|tok(?:en)?s?|input|output|in|out|and|read|kv|tp|pp|dp|ep|ttft|tpot|itl|k|v|w|req\w*|gpu|cpu"
    r"|awq|gptq|fp8|fp16|bf16|int[48]|h\d+|a\d+|yes|true|max|min|client|server|prefill|http|p\d+|mb|gb|gib"
    r"|.*s/)",
    re.IGNORECASE,
)
_QUANTISED = grammar(
    r"[-.](?:quantized\.)?(?:awq(?:-int4)?|gptq(?:-int[48])?|fp8(?:-\w+)?|nvfp4|int[48]|w\d+a\d+)$", re.IGNORECASE
)
_SIZE_IN_NAME = grammar(r"(?<![\d.a-z])(?:\d{1,2}x)?\d{1,4}(?:\.\d{1,2})?b(?![a-z])", re.IGNORECASE)
_ACTIVE = grammar(r"-a\d{1,3}(?:\.\d)?b(?![a-z])", re.IGNORECASE)
# Endings of checkpoints' names, by the contract's word for the format.
_ENDINGS = {
    "awq-int4": ("awq", "awq-int4"),
    "gptq-int4": ("gptq-int4",),
    "gptq-int8": ("gptq-int8",),
    "fp8": ("fp8",),
    "nvfp4": ("nvfp4",),
}


@dataclass(frozen=True, slots=True)
class Named:
    """A model that was named, at text[start:end]. `quant` is what the name itself states; `listed` says it is in the catalogue,
    `bare` that only a size was said, `full` that it was an id or a folder, `unknown` that it is the name of no listed model."""

    model_id: str
    start: int
    end: int
    listed: bool = True
    bare: bool = False
    full: bool = False
    quant: str | None = None
    unknown: bool = False


def named_in_full(scan: Scan) -> list[Named]:
    """Every id, link and folder in a text; of those that overlap the first kind counts."""
    found: list[Named] = []
    for named in (*_links(scan), *_ids(scan), *_paths(scan)):
        if all(named.end <= other.start or other.end <= named.start for other in found):
            found.append(named)
    return found


def without_links(scan: Scan) -> Scan:
    """The scan with links to anything else out of the way."""
    return scan.take(_ANY_LINK)[1]


def _links(scan: Scan) -> Iterator[Named]:
    for found in _LINK.finditer(scan.said):
        yield of_id(found[1], *found.span())


def _ids(scan: Scan) -> Iterator[Named]:
    for found in _ID.finditer(scan.said):
        organisation, name = found[1], found[2].rstrip(".-")
        end = found.start(2) + len(name)
        said = f"{organisation}/{name}"
        named = _SIZED.search(name) or "-" in name or _where_a_model_stands(scan.text, found.start(), end)
        if said.lower() in _ids_lower() or (named and _plausible(organisation, name)):
            yield of_id(said, found.start(), end)


def _where_a_model_stands(text: str, start: int, end: int) -> bool:
    """Whether what stands at text[start:end] is what is run: `fit foo/bar`, `foo/bar on 2 H100`."""
    return _RUN_BEFORE.search(text, max(0, start - 20), start) is not None or _ON_BEHIND.match(text, end) is not None


def _plausible(organisation: str, name: str) -> bool:
    if organisation.lower() in _organisations():
        return True
    letters = re.search(r"[A-Za-z]", name) and re.search(r"[A-Za-z]{2}", organisation)
    if not letters or _NO_ORGANISATION.fullmatch(organisation) or _CARD_LIKE.fullmatch(organisation):
        return False
    return not _NO_ORGANISATION.fullmatch(name) and not _SOURCE_FILE.search(name)


def of_id(said: str, start: int, end: int) -> Named:
    """A model named by its id at text[start:end], listed or not."""
    listed = _ids_lower().get(said.lower())
    return Named(listed or said, start, end, listed=listed is not None, full=True, quant=weight_word_in(listed or said))


def _paths(scan: Scan) -> Iterator[Named]:
    for found in _PATH.finditer(scan.said):
        path = found[0].rstrip("/.")
        if not _NO_MODEL_ROOT.match(path) and not _SOURCE_FILE.search(path):
            yield Named(
                path,
                found.start(),
                found.start() + len(path),
                listed=False,
                full=True,
                quant=weight_word_in(path.rpartition("/")[2]),
            )


@cache
def _ids_lower() -> dict[str, str]:
    return {model_id.lower(): model_id for model_id in catalogue.ids()}


@cache
def _organisations() -> frozenset[str]:
    return frozenset(model_id.partition("/")[0].lower() for model_id in catalogue.ids())


def base_of(model_id: str) -> str:
    """The model that a quantised checkpoint was made from, when it is listed; else the same."""
    return _ids_lower().get(unquantised(model_id).lower(), model_id)


def in_format(model_id: str, quant: str) -> str:
    """The listed checkpoint of the same maker in that format, else the model itself."""
    base = base_of(model_id)
    for ending in _ENDINGS.get(quant, ()):
        if listed := _ids_lower().get(f"{base}-{ending}".lower()):
            return listed
    return base


def of_another_size(model_id: str, size: str) -> str | None:
    """The same family's model of another size (`14b` after Qwen3-8B), None when none is listed."""
    name = unquantised(model_id.rpartition("/")[2])
    active = _ACTIVE.sub("", name)
    renamed = _SIZE_IN_NAME.sub(size.replace(" ", ""), active, count=1)
    if renamed.lower() in (active.lower(), name.lower()):
        return None
    return catalogue.aliases().get(catalogue.normalise(renamed))


def unquantised(name: str) -> str:
    """A checkpoint's name without its format."""
    return _QUANTISED.sub("", name)


def of_name(said: str) -> str:
    """The id that a name alone means: a listed model's, else the name as it was said."""
    return _ids_lower().get(said.lower()) or catalogue.aliases().get(catalogue.normalise(said)) or said
