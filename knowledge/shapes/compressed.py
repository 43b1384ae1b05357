"""DeepSeek-V4: compressed latent attention beside a sliding window, and hyper-connections."""

from knowledge.shapes.blocks import linear, vector
from knowledge.shapes.decoder import Recipe, assemble
from knowledge.shapes.dimensions import (
    HEADS,
    HIDDEN,
    MOST_HEADS,
    VOCABULARY,
    WIDEST,
    Dimensions,
    read_layers,
)
from knowledge.shapes.experts import Moe, expert_weights, read_experts, shared_count
from knowledge.shapes.fields import Fields, refuse, whole
from knowledge.shapes.layers import CompressedAttention, Part
from knowledge.shapes.mtp import predictor, read_mtp_layers
from knowledge.shapes.weights import Body, Draft, Weight

# vLLM 0.32 stores one latent of 512 as 448 bytes of fp8, 64 values of bfloat16 rope and 8 bytes of scales (models/deepseek_v4)
ROPE_BYTES, SCALE_BYTES = 2, 8
INDEXER_SCALE_BYTES = 4
RATIOS = frozenset({0, 4, 128})
INDEXED = 4  # layers compressed 4 to 1 choose their entries with an indexer
MOE = Moe(width=("moe_intermediate_size",), shared=shared_count)


def read_deepseek_v4(config: Fields) -> Body:
    """DeepSeek-V4 Flash and Pro."""
    size = Dimensions(
        layers=read_layers(config),
        hidden=config.integer(*HIDDEN, high=WIDEST),
        heads=config.integer(*HEADS, high=MOST_HEADS),
        kv_heads=1,
        head_size=config.integer("head_dim", high=WIDEST),
        inner=config.optional("intermediate_size", low=0, high=WIDEST) or 0,
        vocab=config.integer(*VOCABULARY, high=WIDEST),
    )
    experts = read_experts(config, MOE)
    if experts is None:
        raise refuse("n_routed_experts", None, "though every DeepSeek-V4 layer has experts")
    shared = (*_attention(config, size), *_streams(config, size), *expert_weights(size.hidden, experts, MOE))
    made = {
        ratio: Draft((_cache(config, size, ratio),), (*shared, *_compressor(config, size, ratio))) for ratio in RATIOS
    }
    body = assemble(config, Recipe(), size, [made[ratio] for ratio in _ratios(config, size.layers)], experts)
    mixing = config.integer("hc_mult", high=64)
    head = vector("hc_head", mixing * mixing * size.hidden + mixing + 1)
    body = _with(body, head)
    return predictor(body, read_mtp_layers(config), made[0])


def _with(body: Body, weight: Weight) -> Body:
    from dataclasses import replace

    return replace(body, outside=(*body.outside, weight))


def _ratios(config: Fields, layers: int) -> list[int]:
    listed = config.per_layer("compress_ratios", layers, extra=read_mtp_layers(config))
    if listed is None:
        raise refuse("compress_ratios", None, "without which the cache cannot be counted")
    ratios = [whole("compress_ratios", ratio, 0) for ratio in listed]
    if not set(ratios) <= RATIOS:
        raise refuse("compress_ratios", sorted(set(ratios) - RATIOS), "ratios that vLLM does not run")
    return ratios


def _cache(config: Fields, size: Dimensions, ratio: int) -> CompressedAttention:
    rope = config.integer("qk_rope_head_dim", high=size.head_size)
    entry = size.head_size - rope + ROPE_BYTES * rope + SCALE_BYTES
    index = config.integer("index_head_dim", high=WIDEST) + INDEXER_SCALE_BYTES if ratio == INDEXED else 0
    window = config.integer("sliding_window", "sliding_window_size")
    return CompressedAttention(ratio=ratio, window=window, bytes_per_entry=entry, indexer_bytes_per_entry=index)


def _attention(config: Fields, size: Dimensions) -> tuple[Weight, ...]:
    q_rank = config.integer("q_lora_rank", high=WIDEST)
    groups = config.integer("o_groups", high=MOST_HEADS)
    out_rank = config.integer("o_lora_rank", high=WIDEST)
    heads = size.heads * size.head_size
    return (
        linear("self_attn.q_a_proj", Part.REPLICATED, size.hidden, q_rank),
        linear("self_attn.q_b_proj", Part.ATTENTION, q_rank, heads),
        linear("self_attn.kv_proj", Part.REPLICATED, size.hidden, size.head_size),
        linear("self_attn.o_a_proj", Part.ATTENTION, heads, out_rank),
        linear("self_attn.o_b_proj", Part.ATTENTION, groups * out_rank, size.hidden),
        vector("self_attn.norms", q_rank + size.head_size + size.heads),
        vector("norms", 2 * size.hidden),
    )


def _streams(config: Fields, size: Dimensions) -> tuple[Weight, ...]:
    """The two hyper-connections of a layer."""
    mult = config.integer("hc_mult", high=64)
    mixing = (2 + mult) * mult
    return (vector("hyper_connections", 2 * (mixing * mult * size.hidden + mixing + 3)),)


def _compressor(config: Fields, size: Dimensions, ratio: int) -> tuple[Weight, ...]:
    if ratio == 0:
        return ()
    if ratio != INDEXED:
        return _compress("self_attn.compressor.", size.hidden, size.head_size, ratio, 1)
    width = config.integer("index_head_dim", high=WIDEST)
    heads = config.integer("index_n_heads", high=MOST_HEADS)
    return (
        *_compress("self_attn.compressor.", size.hidden, size.head_size, ratio, 2),
        *_compress("self_attn.indexer.compressor.", size.hidden, width, ratio, 2),
        linear("self_attn.indexer.wq_b", Part.REPLICATED, config.integer("q_lora_rank"), heads * width),
        Weight("self_attn.indexer.weights_proj", Part.REPLICATED, size.hidden * heads, linear=False),
    )


def _compress(prefix: str, hidden: int, width: int, ratio: int, overlap: int) -> tuple[Weight, ...]:
    """Projection and gate into `overlap` overlapping windows, a position bias, and a norm: kept in 16 bits or more."""
    return (
        Weight(prefix + "kv_gate", Part.REPLICATED, 2 * hidden * overlap * width, linear=False),
        vector(prefix + "position_bias", ratio * overlap * width + width),
    )
