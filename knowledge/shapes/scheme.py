"""What a quantisation config says about each module: in which form it is stored, or that it stays in 16 bits."""

from collections.abc import Sequence
from dataclasses import dataclass

from knowledge.shapes.layers import Part
from knowledge.shapes.model import Quantization
from knowledge.shapes.patterns import Patterns, canonical
from knowledge.shapes.storage import Storage
from knowledge.shapes.weights import Body, Weight

UNQUANTISED = 16.0
NOTHING = Patterns(())


@dataclass(frozen=True, slots=True)
class Rule:
    """`storage` for the modules that `targets` names (None: for every linear layer but the output head and encoders)."""

    storage: Storage
    targets: Patterns | None = None
    parts: frozenset[Part] | None = None

    def covers(self, name: str, weight: Weight) -> bool:
        """Whether the rule is about this module."""
        if self.parts is not None and weight.part not in self.parts:
            return False
        if self.targets is not None:
            return self.targets.match(name)
        return weight.part not in {Part.LM_HEAD, Part.VISION}


@dataclass(frozen=True, slots=True, kw_only=True)
class Scheme:
    """A checkpoint's quantisation. The first rule that covers a module decides; `ignored` modules stay in 16 bits."""

    method: str
    rules: tuple[Rule, ...]
    ignored: Patterns = NOTHING
    kv_cache_dtype: str = "auto"

    def bits(self, name: str, weight: Weight) -> float:
        """Bits a weight of this module takes, scales included."""
        if not weight.linear or self.ignored.match(name):
            return UNQUANTISED
        return next((rule.storage.bits for rule in self.rules if rule.covers(name, weight)), UNQUANTISED)


def summarise(scheme: Scheme, body: Body) -> Quantization:
    """The scheme by part: bits are averaged where a part is stored in more than one form."""
    bits: dict[Part, float] = {}
    counts: dict[Part, int] = {}
    for name, weight in _modules(body):
        bits[weight.part] = bits.get(weight.part, 0.0) + weight.number * scheme.bits(name, weight)
        counts[weight.part] = counts.get(weight.part, 0) + weight.number
    average = {part: bits[part] / counts[part] for part in bits if counts[part]}
    main = _main(scheme)
    quantised = frozenset(part for part, value in average.items() if value < UNQUANTISED)
    return Quantization(
        method=scheme.method,
        label=main.label,
        bits=main.bits,
        parts=quantised,
        part_bits={part: average[part] for part in quantised if abs(average[part] - main.bits) > 1e-9},
    )


def _main(scheme: Scheme) -> Storage:
    """The form that names the whole: the one with the fewest bits."""
    return min((rule.storage for rule in scheme.rules), key=lambda storage: storage.bits)


def _modules(body: Body) -> Sequence[tuple[str, Weight]]:
    modules = [
        (canonical(f"layers.{index}.{weight.name}"), weight)
        for index, layer in enumerate(body.layers)
        for weight in layer.weights
    ]
    modules.extend((canonical(weight.name), weight) for weight in body.outside if weight.part is not Part.MTP)
    return modules
