"""What one decoder layer keeps in the KV cache for a sequence: the kinds that vLLM has a cache spec for.

Figures are the whole model's, before tensor parallelism; sizes in elements unless named bytes.
"""

from dataclasses import dataclass, field
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class FullAttention:
    """Keys and values of every token."""

    kv_heads: int
    head_size: int
    value_head_size: int


@dataclass(frozen=True, slots=True)
class SlidingWindow:
    """Keys and values of the last `window` tokens."""

    kv_heads: int
    head_size: int
    value_head_size: int
    window: int


@dataclass(frozen=True, slots=True)
class ChunkedAttention:
    """Keys and values since the last multiple of `chunk` tokens (Llama 4)."""

    kv_heads: int
    head_size: int
    value_head_size: int
    chunk: int


@dataclass(frozen=True, slots=True)
class LatentAttention:
    """MLA: one latent vector a token (kv_lora_rank + rope size), no V, whole on every TP rank."""

    latent_size: int


@dataclass(frozen=True, slots=True)
class SparseIndexer:
    """The key cache of a sparse-attention indexer (DeepSeek-V3.2, GLM-5): bytes a token, whole on every TP rank."""

    bytes_per_token: int


@dataclass(frozen=True, slots=True)
class CompressedAttention:
    """DeepSeek-V4: one latent entry every `ratio` tokens, beside a sliding window of the same latent size.

    `bytes_per_entry` is what vLLM stores (fp8 with its scales), whatever the model's dtype.
    """

    ratio: int
    window: int
    bytes_per_entry: int
    indexer_bytes_per_entry: int = 0


@dataclass(frozen=True, slots=True)
class RecurrentState:
    """A constant state a sequence: Mamba, Mamba-2, gated delta net, KDA, lightning attention.

    Each part is (elements, bytes an element), the convolution's first; `kind` is vLLM's name for it (mamba1, mamba2, gdn, kda,
    linear, short_conv). Parts shrink with TP as the heads do, but Mamba-2's B and C, which the convolution's part includes,
    only by whole `groups` of `group_elements` each: where TP does not divide them every GPU holds one.
    `conv_tokens` is how many past tokens the convolution keeps (its kernel less one); speculation adds its own to them.
    """

    kind: str
    parts: tuple[tuple[int, int], ...]
    groups: int = 0
    group_elements: int = 0
    conv_tokens: int = 3


Cache = (
    FullAttention
    | SlidingWindow
    | ChunkedAttention
    | LatentAttention
    | SparseIndexer
    | CompressedAttention
    | RecurrentState
)


class Part(StrEnum):
    """A kind of weight, as far as sharding and quantisation treat it differently."""

    EMBEDDING = "embedding"
    LM_HEAD = "lm_head"
    ATTENTION = "attention"  # projections, sharded over TP ranks by heads
    KV_PROJECTION = "kv_projection"  # k and v projections: replicated when TP exceeds the KV heads
    MLP = "mlp"  # dense MLP and shared experts
    EXPERTS = "experts"  # routed experts: sharded by TP, or whole experts by EP
    RECURRENT = "recurrent"  # Mamba, linear attention
    REPLICATED = "replicated"  # whole on every rank: norms, routers, MLA down-projections, indexers
    VISION = "vision"  # encoders and projectors of images, video, audio
    MTP = "mtp"  # multi-token prediction layers: loaded only when speculating with them


@dataclass(frozen=True, slots=True)
class Layer:
    """One decoder layer: what it caches (nothing for layers that share another's cache or have none) and its weights by part."""

    caches: tuple[Cache, ...]
    parameters: dict[Part, int] = field(default_factory=dict)
