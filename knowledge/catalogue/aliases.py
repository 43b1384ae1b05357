"""Which model a short name means: hand-written names first, then those that follow from the ids by rule."""

import tomllib
from collections.abc import Mapping
from functools import cache

from knowledge.catalogue.index import DATA, lines
from knowledge.catalogue.names import INSTRUCT, normalise, quantised_as, short_forms, version, words

FILE = DATA / "model_aliases.toml"
SHORTEST = 3  # a rule makes no shorter name: too many words would be one

Rank = tuple[bool, int, float, int]


@cache
def aliases() -> Mapping[str, str]:
    """Normalised name to id. Of several models the instruct model is meant, then the newest."""
    best: dict[str, tuple[Rank, str]] = {}
    instructs = _instructs()
    for model_id in lines():
        base = _is_base(model_id, instructs)
        for level, name in short_forms(model_id):
            rank = (base and level > 0, level, -version(model_id), len(model_id))
            if len(name) >= SHORTEST and (name not in best or rank < best[name][0]):
                best[name] = (rank, model_id)
    return {name: model_id for name, (_, model_id) in best.items()} | _written()


def _written() -> dict[str, str]:
    with FILE.open("rb") as file:
        families = tomllib.load(file)
    return {normalise(name): model_id for model_id, names in families["names"].items() for name in names if model_id in lines()}


def _plain(model_id: str) -> str:
    return "-".join(word for word in words(model_id) if word not in INSTRUCT)


def _instructs() -> frozenset[str]:
    """Names of models that have an instruct or chat form, without that word."""
    return frozenset(_plain(model_id) for model_id in lines() if INSTRUCT - {"hf"} & set(words(model_id)))


def _is_base(model_id: str, instructs: frozenset[str]) -> bool:
    """Whether people who say this name mean its instruct form."""
    said = set(words(model_id))
    return not INSTRUCT - {"hf"} & said and not quantised_as(model_id) and _plain(model_id) in instructs
