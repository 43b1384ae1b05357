"""Which model a short name means: hand-written names first, then those that follow from the ids by rule."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache

from knowledge.catalogue.index import DATA, lines
from knowledge.catalogue.names import INSTRUCT, normalise, quantised_as, short_forms, version, words

FILE = DATA / "model_aliases.toml"
SHORTEST = 3  # a rule makes no shorter name: too many words would be one

CHAT = INSTRUCT - {"hf"}

Rank = tuple[bool, int, float, int]


@cache
def aliases() -> Mapping[str, str]:
    """Normalised name to id. Of several models the instruct model is meant, then the newest."""
    best: dict[str, tuple[Rank, str]] = {}
    split = {model_id: words(model_id) for model_id in lines()}
    instructs = _instructs(split.values())
    for model_id, said in split.items():
        base = _is_base(model_id, said, instructs)
        newest = -version(said)
        for level, name in short_forms(model_id, said):
            rank = (base and level > 0, level, newest, len(model_id))
            if len(name) >= SHORTEST and (name not in best or rank < best[name][0]):
                best[name] = (rank, model_id)
    found = {name: model_id for name, (_, model_id) in best.items()}
    spoken = {name: model_id for name, (rank, model_id) in best.items() if rank[1]}
    return {**_renamed({**spoken, **_written()}), **found, **_written()}


@cache
def _file() -> dict[str, dict[str, list[str]]]:
    with FILE.open("rb") as file:
        return tomllib.load(file)


def _written() -> dict[str, str]:
    return {normalise(name): model_id for model_id, names in _file()["names"].items() for name in names}


def _renamed(names: Mapping[str, str]) -> dict[str, str]:
    """Names of a family with the family's other names: `通义72b` beside `qwen72b`."""
    families = _file()["families"]
    begins = re.compile("|".join(sorted(families, key=len, reverse=True)))
    renamed: dict[str, str] = {}
    for name, model_id in names.items():
        found = begins.match(name)
        if found and found.end() < len(name):
            rest = name[found.end() :]
            for other in families[found[0]]:
                renamed[other + rest] = model_id
    return renamed


def _plain(said: Iterable[str]) -> str:
    return "-".join(word for word in said if word not in INSTRUCT)


def _instructs(names: Iterable[list[str]]) -> frozenset[str]:
    """Names of models that have an instruct or chat form, without that word."""
    return frozenset(_plain(said) for said in names if not CHAT.isdisjoint(said))


def _is_base(model_id: str, said: list[str], instructs: frozenset[str]) -> bool:
    """Whether people who say this name mean its instruct form."""
    return CHAT.isdisjoint(said) and not quantised_as(model_id) and _plain(said) in instructs
