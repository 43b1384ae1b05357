"""Small arithmetic that several fixes share: round figures, divisors, layouts."""

from knowledge.shapes.model import ModelShape

BLOCK = 16  # tokens of a KV cache block


def down(value: float, step: float) -> float:
    """`value` rounded down to a step, without the dust of binary fractions."""
    return int(value / step + 1e-9) * step


def whole_blocks(tokens: float) -> int:
    """Tokens in whole blocks."""
    return int(tokens) // BLOCK * BLOCK


def nice(tokens: int) -> int:
    """A round number of tokens not above `tokens`: a multiple of 8,192, 1,024 or 256."""
    for step in (8192, 1024, 256):
        if tokens >= step * 2:
            return tokens // step * step
    return whole_blocks(tokens)


def power_below(value: int) -> int:
    """The largest power of two not above `value` (at least 1)."""
    return 1 << max(0, value.bit_length() - 1)


def divisors(number: int, most: int) -> list[int]:
    """Divisors of `number` up to `most`, smallest first."""
    return [one for one in range(1, min(number, most) + 1) if number % one == 0]


def splits(shape: ModelShape, tp: int) -> bool:
    """Whether tensor parallelism over `tp` GPUs divides the heads, and the KV heads either way."""
    heads, kv = max(1, shape.attention_heads), max(1, shape.kv_heads)
    return heads % tp == 0 and (kv % tp == 0 or tp % kv == 0)


def factors(number: int) -> list[int]:
    """Prime factors, smallest first."""
    found, divisor = [], 2
    while divisor * divisor <= number:
        while number % divisor == 0:
            found.append(divisor)
            number //= divisor
        divisor += 1
    return [*found, number] if number > 1 else found
