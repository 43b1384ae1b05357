"""A model, as far as memory is concerned."""

import re
from dataclasses import dataclass, field

from knowledge.shapes.layers import Layer, Part

REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}")  # a Hugging Face id


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantization:
    """How a checkpoint's weights are stored.

    `method` is vLLM's word (fp8, awq, gptq, compressed-tensors, modelopt, mxfp4, bitsandbytes, gguf, …), `label` the contract's
    weight_quant (fp8, int8, int4, awq-int4, gptq-int4, gptq-int8, nvfp4, mxfp4, bnb-int4, gguf).
    `bits` counts a quantised weight with its scales (4.5 for NVFP4 in groups of 16); `parts` are those stored that way,
    every other part stays in 16 bits. `online` means vLLM quantises a 16-bit checkpoint while loading it.
    """

    method: str
    label: str
    bits: float
    parts: frozenset[Part]
    online: bool = False
    part_bits: dict[Part, float] = field(default_factory=dict)  # where a part's average differs from `bits`

    def bits_of(self, part: Part) -> float:
        """Bits a weight of this part takes on average, scales included; 16 for a part that is not quantised."""
        return self.part_bits.get(part, self.bits if part in self.parts else 16.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelShape:
    """Dimensions, layers and weights of one model. Parameters are counts of the whole model, sizes are bytes.

    `dtype` is what vLLM loads with --dtype auto (bfloat16, float16; float32 checkpoints load as 16 bits as vLLM decides).
    `kv_cache_dtype` is what the checkpoint itself forces (a kv_cache_scheme), else "auto".
    `max_context` is the model's own limit in tokens, as vLLM derives it; `default_context` what vLLM takes when none is given,
    None when that is the limit too (LongRoPE models start with their original length). `checkpoint_bytes` is the real size of the weights
    that vLLM loads, None when only parameters are known. `outside` are the weights outside the decoder layers.
    """

    model_id: str
    architecture: str
    layers: tuple[Layer, ...]
    outside: dict[Part, int]
    hidden_size: int
    intermediate_size: int
    vocab_size: int
    attention_heads: int
    kv_heads: int
    head_size: int
    max_context: int
    dtype: str
    tied_embeddings: bool
    experts: int = 0
    experts_per_token: int = 0
    moe_intermediate_size: int = 0
    mtp_layers: int = 0
    max_image_tokens: int = 0
    multimodal: bool = False
    encoder_only: bool = False
    quantization: Quantization | None = None
    kv_cache_dtype: str = "auto"
    checkpoint_bytes: int | None = None
    default_context: int | None = None
    notes: tuple[str, ...] = ()

    def parameters(self) -> int:
        """Weights loaded without speculation: every part but MTP."""
        parts = [self.outside, *(layer.parameters for layer in self.layers)]
        return sum(count for counts in parts for part, count in counts.items() if part is not Part.MTP)
