"""Finding a model by id, alias, typo, folder, or on the hub."""

import re
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from knowledge.catalogue.derived import derive
from knowledge.catalogue.index import lines, shape
from knowledge.catalogue.names import normalise
from knowledge.catalogue.quantised import with_quantization
from knowledge.catalogue.short_names import aliases
from knowledge.errors import Refusal
from knowledge.shapes.model import REPOSITORY, ModelShape

if TYPE_CHECKING:
    from knowledge.hub import HubAccess

CLOSE = 90  # rapidfuzz's ratio (0 to 100) from which a typo is taken for a name
SHORTEST_SLIP, ALIKE = 4, 80  # letters of a word in an id, and how alike its slip must be
NEAR = 60  # and from which a name is worth suggesting
LONGEST = 200
LONGEST_PATH = 4096
NUMBERS = re.compile(r"\d+(?:\.\d+)*")
ENDING = re.compile(
    r"[\s\-_.(]*(?:quantized[\-_.])?(?P<word>awq(?:-int4)?|gptq(?:-int[48])?|fp8(?:-dynamic)?|nvfp4|mxfp4|int[48]|w8a8|w4a16|bnb(?:-int4)?|gguf)\)?\s*$",
    re.IGNORECASE,
)


def ids() -> tuple[str, ...]:
    """The ids of all listed models, in the file's order."""
    return tuple(lines())


def find(name: str) -> ModelShape:
    """The listed model that `name` means: its id in any case, an alias, or one of them with a typo.

    A quantisation at the name's end (`llama 3.1 70b awq`) that is not listed is the base model in that quantisation; a listed
    name under another organisation (`unsloth/Qwen3-8B`) is that model, and a repository's name that has a listed one in it is
    taken as that, with a note. Refuses with code `unknown-model` and the nearest ids
    as `near`.
    """
    found = _exact_id(name)
    if found is not None:
        return shape(found)
    model = _mirror(name) or _with_ending(name)
    if model is None and (slip := _known_id(name)) is not None:
        return shape(slip)
    model = model or derive(name)
    if model is None:
        raise _unknown(name, normalise(name[:LONGEST]))
    return model


def _with_ending(name: str) -> ModelShape | None:
    """A listed model, or its like under another organisation, with a quantisation said at the name's end."""
    ended = ENDING.search(name[:LONGEST])
    if ended is None:
        return None
    said = name[: ended.start()]
    known = _exact_id(said) if "/" in said else _known_id(said)
    base = _mirror(said) if known is None else shape(known)
    if base is None:
        return None
    model = with_quantization(base, ended["word"])
    return model if known is not None else replace(model, model_id=name)


def _mirror(name: str) -> ModelShape | None:
    mirrored = _mirrored(name)
    return None if mirrored is None else replace(shape(mirrored), model_id=name)


def _exact_id(name: str) -> str | None:
    return _by_id().get(name.lower()) or aliases().get(normalise(name[:LONGEST]))


def _known_id(name: str) -> str | None:
    found = _exact_id(name)
    if found is not None:
        return found
    slip = _by_typo(normalise(name[:LONGEST]))
    return slip if slip is None or "/" not in name or _one_slip(name, slip) else None


def _one_slip(name: str, model_id: str) -> bool:
    """Whether two ids differ in the spelling of one long word: `GLM-4.5V` is not `GLM-4.5`, and `vl2` is not `V2`."""
    from rapidfuzz import fuzz

    said, meant = (re.split(r"[-_/]", text.lower()) for text in (name, model_id))
    differ = [pair for pair in zip(said, meant, strict=False) if pair[0] != pair[1]]
    return len(said) == len(meant) and all(
        min(map(len, pair)) >= SHORTEST_SLIP and fuzz.ratio(*pair) >= ALIKE and pair[0].isalpha() for pair in differ
    )


def _mirrored(name: str) -> str | None:
    """The listed model of the same name under another organisation."""
    organisation, _, rest = name.rpartition("/")
    found = aliases().get(normalise(rest)) if organisation else None
    return found if found is not None and normalise(found.rpartition("/")[2]) == normalise(rest) else None


def find_id(name: str) -> str:
    """The id of a listed model; refuses what `find` refuses, and what is not listed itself."""
    found = _known_id(name)
    if found is None:
        raise _unknown(name, normalise(name[:LONGEST]))
    return found


@cache
def _by_id() -> dict[str, str]:
    return {model_id.lower(): model_id for model_id in lines()}


def _by_typo(wanted: str) -> str | None:
    """The one name that `wanted` is a slip of: nearly the same letters, and the very same digits."""
    from rapidfuzz import fuzz, process

    digits = _digits(wanted)
    names = [name for name in aliases() if _digits(name) == digits]
    best = process.extractOne(wanted, names, scorer=fuzz.ratio, score_cutoff=CLOSE)
    return None if best is None else aliases()[best[0]]


def _digits(name: str) -> str:
    return "".join(letter for letter in name if letter.isdigit())


def _unknown(name: str, wanted: str) -> Refusal:
    near = nearest(wanted)
    hint = f"Did you mean {' or '.join(f'`{model_id}`' for model_id in near)}?" if near else "Give its Hugging Face id."
    shown = name[:80]
    return Refusal("unknown-model", f"`{shown}` is not a listed model.", hint, name=shown, near=list(near))


def nearest(wanted: str, most: int = 3) -> tuple[str, ...]:
    """The listed ids whose names come nearest, best first: alike in letters, and sharing numbers."""
    from rapidfuzz import fuzz, process

    names = aliases()
    numbers = set(NUMBERS.findall(wanted))
    hits = process.extract(wanted, list(names), scorer=fuzz.WRatio, score_cutoff=NEAR, limit=50)
    hits.sort(key=lambda hit: -hit[1] - 10 * len(numbers & set(NUMBERS.findall(hit[0]))))
    return tuple(dict.fromkeys(names[name] for name, _, _ in hits))[:most]


@dataclass(slots=True)
class _Door:
    """The ways to models that are not listed: the hub, closed until a program that may use the network opens it, and folders.

    `folders` None lets any be read, as for whoever sits at the terminal; else only these, by the name that the settings give them.
    """

    access: "HubAccess | None" = None
    folders: frozenset[str] | None = None


DOOR = _Door()


def open_hub(access: "HubAccess | None") -> None:
    """Let `resolve` fetch models that are not listed through `access`; None closes the door. Only a program's start calls it."""
    DOOR.access = access


def keep_to_folders(named: frozenset[str] | None) -> None:
    """Let `resolve` read only these folders: who asks from elsewhere has no business on this machine. None lets it read any."""
    DOOR.folders = named


def resolve(name: str, quantization: str | None = None) -> ModelShape:
    """The model that `name` means: a folder with a config.json, a listed model, or one on the hub; in `quantization` if given."""
    found = _resolved(name.strip())
    return found if quantization is None else with_quantization(found, quantization)


def _resolved(name: str) -> ModelShape:
    if is_folder(name):
        from knowledge.shapes.folder import read_folder

        return read_folder(Path(name).expanduser())
    if DOOR.access is None or not REPOSITORY.fullmatch(name) or _is_listed(name):
        return find(name)
    try:
        return DOOR.access.shape(name)
    except Refusal as refusal:
        built_on = _built_on(name)
        if built_on is not None:
            return built_on
        refusal.facts["near"] = list(nearest(normalise(name)))
        raise


def _built_on(name: str) -> ModelShape | None:
    """What can be said of a repository that the hub did not give; None when its name says nothing."""
    try:
        return find(name)
    except Refusal:
        return None


def is_folder(name: str) -> bool:
    """Whether it is a path to a folder with a config.json that may be read."""
    if DOOR.folders is not None and name not in DOOR.folders:
        return False
    if len(name) > LONGEST_PATH or (not name.startswith(("/", "~", ".")) and "/" not in name):
        return False
    try:
        return (Path(name).expanduser() / "config.json").is_file()
    except (OSError, RuntimeError, ValueError):
        return False


def _is_listed(name: str) -> bool:
    return name.lower() in _by_id() or normalise(name) in aliases() or _mirrored(name) is not None
