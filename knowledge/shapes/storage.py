"""The forms that quantised weights are stored in: vLLM's word for the method, the contract's label, and bits with scales."""

from dataclasses import dataclass

BLOCK_SCALE = 32 / (128 * 128)  # DeepSeek-style fp8: one float32 for each block of 128 × 128


@dataclass(frozen=True, slots=True)
class Storage:
    """One form. `bits` a weight, scales and zero points included."""

    label: str
    bits: float


def grouped(bits: int, group: int | None, *, scale: int = 16, zero: int = 0) -> float:
    """Bits a weight when each group of `group` shares a scale (and a zero point); None or -1: one for a whole row, next to nothing."""
    return bits + ((scale + zero) / group if group and group > 0 else 0.0)


FP8 = Storage("fp8", 8.0)
FP8_BLOCK = Storage("fp8", 8.0 + BLOCK_SCALE)
MXFP8 = Storage("fp8", grouped(8, 32, scale=8))
INT8 = Storage("int8", 8.0)
NVFP4 = Storage("nvfp4", grouped(4, 16, scale=8))
MXFP4 = Storage("mxfp4", grouped(4, 32, scale=8))
AWQ = Storage("awq-int4", grouped(4, 128, zero=4))
GPTQ4 = Storage("gptq-int4", grouped(4, 128, zero=4))
GPTQ8 = Storage("gptq-int8", grouped(8, 128, zero=8))
PACKED4 = Storage("int4", grouped(4, 128))
NF4 = Storage("bnb-int4", grouped(4, 64, scale=32))  # bitsandbytes' default: a float32 absmax for every 64
BNB8 = Storage("int8", 8.0)
GGUF = Storage(
    "gguf", 4.85
)  # Q4_K_M, the file most people mean: 4.85 bits over a whole model (llama.cpp's quantize table)

# NVIDIA modelopt's algorithm names
MODELOPT = {
    "FP8": FP8,
    "FP8_PER_CHANNEL_PER_TOKEN": FP8,
    "FP8_PB_WO": FP8_BLOCK,
    "NVFP4": NVFP4,
    "W4A16_NVFP4": NVFP4,
    "NVFP4_AWQ": NVFP4,
    "MXFP4": MXFP4,
    "MXFP8": MXFP8,
    "W4A16_AWQ": PACKED4,
}
