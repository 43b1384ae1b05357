"""What PyTorch's allocator loses when a model is loaded: tensors are given memory in steps of 2 MiB.

A rest of 1 MiB or less behind a tensor is not used for another (c10/cuda/CUDACachingAllocator.cpp, kLargeBuffer, kSmallSize).
It explains three loads to 0.01 GiB: Qwen2.5-7B 14.25 GiB for 14.19 of weights, DeepSeek-R1-Distill-Qwen-14B on two cards 13.95
for 13.79, Llama-3.1-8B nothing. All versions since 0.5.
"""

from knowledge.shapes.layers import Part
from knowledge.shapes.model import ModelShape
from knowledge.units import MIB

STEP = 2 * MIB
SMALLEST_REST = MIB
LARGE = 10 * MIB  # smaller tensors share segments of 20 MiB


def lost(size: float) -> int:
    """Bytes lost behind a tensor of `size` bytes."""
    rest = -int(size) % STEP
    return rest if size >= LARGE and rest <= SMALLEST_REST else 0


def lost_in_layer(
    parameters: dict[Part, int], shape: ModelShape, ways: dict[Part, int], sizes: dict[Part, float]
) -> int:
    """Bytes lost in one decoder layer on one rank, for the matrices as vLLM fuses them.

    `ways` is over how many ranks a part is cut, `sizes` the bytes of one weight.
    """
    output = shape.attention_heads * shape.head_size * shape.hidden_size
    queries = max(0, parameters.get(Part.ATTENTION, 0) - output)
    keys = parameters.get(Part.KV_PROJECTION, 0)
    attention, kv = sizes[Part.ATTENTION], sizes[Part.KV_PROJECTION]
    fused = queries * attention / ways[Part.ATTENTION] + keys * kv / ways[Part.KV_PROJECTION]
    tensors = [fused, output * attention / ways[Part.ATTENTION]] if keys else []
    for part in (Part.MLP, Part.EXPERTS):
        whole = parameters.get(part, 0) * sizes[part] / ways[part]
        tensors += [whole * 2 / 3, whole / 3]
    return sum(lost(tensor) for tensor in tensors)
