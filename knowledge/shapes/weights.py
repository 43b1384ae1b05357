"""A model's weights by module, as the checkpoint names them: what is counted, and what a quantisation's ignore list is matched against."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from knowledge.shapes.layers import Cache, Part


class Weight(NamedTuple):
    """The weights of one module, `number` of them. `linear` are those that a quantisation may store in fewer bits.

    `name` is relative to its layer (or to the model, outside the layers); for routed experts one name stands for all.
    """

    name: str
    part: Part
    number: int
    linear: bool = True


@dataclass(frozen=True, slots=True)
class Draft:
    """One layer before its weights are summed up by part: what it caches and its modules."""

    caches: tuple[Cache, ...]
    weights: tuple[Weight, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """What an architecture was read to be made of. `outside` are the modules outside the decoder layers.

    Figures mean what they mean in ModelShape.
    """

    layers: tuple[Draft, ...]
    outside: tuple[Weight, ...]
    hidden_size: int
    intermediate_size: int
    vocab_size: int
    attention_heads: int
    kv_heads: int
    head_size: int
    tied_embeddings: bool
    experts: int = 0
    experts_per_token: int = 0
    moe_intermediate_size: int = 0
    mtp_layers: int = 0
    encoder_only: bool = False
    notes: tuple[str, ...] = field(default=())


def by_part(weights: Iterable[Weight]) -> dict[Part, int]:
    """How many weights each part has."""
    counts: dict[Part, int] = defaultdict(int)
    for weight in weights:
        counts[weight.part] += weight.number
    return {part: count for part, count in counts.items() if count}


def moved(weights: Iterable[Weight], part: Part, prefix: str = "") -> tuple[Weight, ...]:
    """The same weights counted as another part, their names under `prefix`."""
    return tuple(weight._replace(part=part, name=prefix + weight.name) for weight in weights)
