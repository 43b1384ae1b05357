"""Buffers of latent and sparse attention that vLLM reserves while it profiles, whatever the dummy batch needs."""

from knowledge.launch import Launch
from knowledge.memory.identity import cache_kinds
from knowledge.shapes.layers import CompressedAttention, LatentAttention, SparseIndexer
from knowledge.units import MIB
from knowledge.versions import V1_DEFAULT, Version

FEWER_TOKENS = Version(0, 9)

PREFILL_TOKENS, EARLY_PREFILL_TOKENS = (
    65_536,
    131_072,
)  # of context projected up at once (layers/attention/mla_attention.py)
PROJECTED = 256  # key and value elements a head, without rope: 128 and 128 in every DeepSeek and Kimi

INDEXER_KEYS = 40  # × max_model_len, 132 B each (v1/attention/backends/mla/indexer.py); V4 has one a compressed entry
INDEXER_KEY_BYTES = 132
SPARSE_ROWS, SPARSE_ROW_BYTES = 5, 576 * 2  # flashmla_sparse.py: 5 × max_model_len rows of the latent in 16 bits
V4_CHUNKS, V4_ROW_BYTES = (
    4,
    512 * 2,
)  # models/deepseek_v4/nvidia/flashmla.py: compressed and windowed entries of four prefills
V4_RATIO = 4
LOGITS = 512 * MIB  # VLLM_SPARSE_INDEXER_MAX_LOGITS_MB


def projection_buffer(launch: Launch) -> int:
    """Bytes that dense latent attention allocates in the profiling run for keys and values of earlier context; 0 for others."""
    kinds = cache_kinds(launch.shape)
    if LatentAttention not in kinds or SparseIndexer in kinds or launch.version < V1_DEFAULT:
        return 0
    tokens = PREFILL_TOKENS if launch.version >= FEWER_TOKENS else EARLY_PREFILL_TOKENS
    tokens = min(max(8 * launch.max_model_len, 4 * launch.max_num_seqs * 64), tokens)
    return tokens * launch.shape.attention_heads * PROJECTED * 2 // launch.tp


def sparse_workspace(launch: Launch) -> int:
    """Bytes that sparse attention keeps for gathered keys, growing with max_model_len; 0 for others.

    DeepSeek-V4-Flash on two H20 (0.26) has 0.70 GiB less cache with 912,128 tokens than with 121,344: 1.12 GiB, beside the experts' 0.42.
    """
    kinds, length = cache_kinds(launch.shape), launch.max_model_len
    if CompressedAttention in kinds:
        entries = length // V4_RATIO
        gathered = V4_CHUNKS * V4_ROW_BYTES * (entries + launch.max_num_batched_tokens)
        return max(INDEXER_KEYS * INDEXER_KEY_BYTES * entries, gathered)
    if SparseIndexer in kinds:
        return max(INDEXER_KEYS * INDEXER_KEY_BYTES, SPARSE_ROWS * SPARSE_ROW_BYTES) * length
    return 0


def indexer_logits(launch: Launch) -> int:
    """Bytes of a sparse indexer's scores, alive within a layer; 0 for others."""
    kinds = cache_kinds(launch.shape)
    return LOGITS if CompressedAttention in kinds or SparseIndexer in kinds else 0
