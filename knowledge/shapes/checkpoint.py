"""What a model's weights take on disk and loaded, in bytes."""

from knowledge.shapes.layers import Part
from knowledge.shapes.model import ModelShape

SIXTEEN_BIT = 16.0


def stored_bytes(model: ModelShape) -> int:
    """The weights that vLLM loads without speculation, from counts and bits by part: exact but for what a checkpoint adds."""
    return round(sum(_bits(model, part) * number for part, number in _parts(model) if part is not Part.MTP) / 8)


def loaded_bytes(model: ModelShape, total: int | None) -> int | None:
    """Of a quantised checkpoint's `total` bytes, those that vLLM loads without speculation; None where only a count is known.

    Multi-token prediction layers are taken off: in a quantised checkpoint they are mostly stored like the rest. A 16-bit
    model's counts are exact, and its checkpoint may be float32 or hold a tied head twice: its size says nothing more.
    """
    if total is None or model.quantization is None:
        return None
    main = model.parameters()
    ahead = sum(number for part, number in _parts(model) if part is Part.MTP)
    return total - round(ahead * stored_bytes(model) / main) if main else total


def _bits(model: ModelShape, part: Part) -> float:
    return SIXTEEN_BIT if model.quantization is None else model.quantization.bits_of(part)


def _parts(model: ModelShape) -> list[tuple[Part, int]]:
    counts = [model.outside, *(layer.parameters for layer in model.layers)]
    return [pair for parts in counts for pair in parts.items()]
