"""Decoders whose windowed layers differ from their full ones in more than the window: gpt-oss, MiMo-V2, Step-3.7, Llama-4, Gemma-4."""

from collections.abc import Mapping, Sequence

from knowledge.shapes.blocks import Heads, attention, linear, mlp, vector
from knowledge.shapes.decoder import Recipe, assemble
from knowledge.shapes.dimensions import MOST_HEADS, WIDEST, Dimensions, read_dimensions
from knowledge.shapes.experts import (
    Moe,
    expert_weights,
    read_experts,
    shared_count,
    shared_size,
    sparse_layers,
)
from knowledge.shapes.fields import Fields, refuse, whole
from knowledge.shapes.layers import Cache, ChunkedAttention, FullAttention, Part, SlidingWindow, SparseIndexer
from knowledge.shapes.mtp import predictor, read_mtp_layers
from knowledge.shapes.weights import Body, Draft, Weight
from knowledge.shapes.windows import attention_caches, every_other, read_windows

GPT_OSS_MOE = Moe(width=("intermediate_size",), bias=True, router_bias=True)
STEP_MOE = Moe(width=("moe_intermediate_size",), shared=shared_size, prefix="moe.")
MIMO_MOE = Moe(width=("moe_intermediate_size",), shared=shared_count)
LLAMA4_MOE = Moe(width=("intermediate_size",), shared=lambda config, width: width, prefix="feed_forward.")
MINIMAX_M3_MOE = Moe(width=("intermediate_size",), shared=shared_size, prefix="block_sparse_moe.")


def read_gpt_oss(config: Fields) -> Body:
    """gpt-oss: biases everywhere, sinks, every other layer windowed."""
    size = read_dimensions(config)
    experts = read_experts(config, GPT_OSS_MOE)
    if experts is None:
        raise refuse("num_local_experts", None, "though every gpt-oss layer has experts")
    heads = Heads(size.hidden, size.heads, size.kv_heads, size.head_size)
    bias = config.flag("attention_bias", fallback=True)
    weights = (
        *attention(heads, qkv_bias=bias, out_bias=bias),
        vector("self_attn.sinks", size.heads),
        *expert_weights(size.hidden, experts, GPT_OSS_MOE),
        vector("norms", 2 * size.hidden),
    )
    windows = read_windows(config, size.layers, every_other)
    drafts = [Draft(caches, weights) for caches in attention_caches(windows, size.kv_heads, size.head_size)]
    return assemble(config, Recipe(), size, drafts, experts)


def _mixed(sparse: Sequence[bool], sliding: Sequence[bool], made: Mapping[tuple[bool, bool], Draft]) -> list[Draft]:
    return [made[kind] for kind in zip(sliding, sparse, strict=True)]


def read_mimo_v2(config: Fields) -> Body:
    """MiMo-V2: windowed layers have KV heads and sizes of their own, values are narrower than keys."""
    size = read_dimensions(config)
    marks = config.per_layer("hybrid_layer_pattern", size.layers)
    if marks is None:
        raise refuse("hybrid_layer_pattern", None, "without which windowed layers cannot be told from the others")
    sliding = [bool(whole("hybrid_layer_pattern", mark, 0, 1)) for mark in marks]
    experts = read_experts(config, MIMO_MOE)
    sparse = sparse_layers(config, size.layers) if experts else [False] * size.layers
    window = config.integer("sliding_window", "sliding_window_size")
    made: dict[tuple[bool, bool], Draft] = {}
    for slides, is_sparse in set(zip(sliding, sparse, strict=True)):
        heads = _mimo_heads(config, size, slides)
        value = heads.value_size or heads.head_size
        cache: Cache = (
            SlidingWindow(heads.kv_heads, heads.head_size, value, window)
            if slides
            else FullAttention(heads.kv_heads, heads.head_size, value)
        )
        rest = expert_weights(size.hidden, experts, MIMO_MOE) if is_sparse and experts else mlp(size.hidden, size.inner)
        sinks = config.flag("add_swa_attention_sink_bias" if slides else "add_full_attention_sink_bias")
        small = vector("norms", 2 * size.hidden + (heads.heads if sinks else 0))
        bias = config.flag("attention_bias")
        made[slides, is_sparse] = Draft((cache,), (*attention(heads, qkv_bias=bias), *rest, small))
    return assemble(config, Recipe(), size, _mixed(sparse, sliding, made), experts)


def _mimo_heads(config: Fields, size: Dimensions, slides: bool) -> Heads:
    value = config.integer("v_head_dim", high=WIDEST, fallback=size.head_size)
    if not slides:
        return Heads(size.hidden, size.heads, size.kv_heads, size.head_size, value)
    return Heads(
        size.hidden,
        config.integer("swa_num_attention_heads", high=MOST_HEADS, fallback=size.heads),
        config.integer("swa_num_key_value_heads", high=MOST_HEADS, fallback=size.kv_heads),
        config.integer("swa_head_dim", high=WIDEST, fallback=size.head_size),
        config.integer("swa_v_head_dim", high=WIDEST, fallback=value),
    )


def read_step3p7(config: Fields) -> Body:
    """Step-3.5 and 3.7: three windowed layers to one full, a gate a head, dense layers first."""
    size = read_dimensions(config)
    experts = read_experts(config, STEP_MOE)
    sparse = sparse_layers(config, size.layers) if experts else [False] * size.layers
    windows = read_windows(config, size.layers, lambda layer: layer % 4 != 0)
    rest = {
        False: mlp(size.hidden, size.inner),
        True: expert_weights(size.hidden, experts, STEP_MOE) if experts else (),
    }
    own = {slides: _step_attention(config, size, slides) for slides in (False, True)}
    caches = attention_caches(windows, size.kv_heads, size.head_size)
    drafts = [
        Draft(cache, (*own[window is not None], *rest[is_sparse]))
        for cache, window, is_sparse in zip(caches, windows, sparse, strict=True)
    ]
    body = assemble(config, Recipe(), size, drafts, experts)
    return predictor(body, read_mtp_layers(config), Draft((), (*own[False], *rest[False])))


def _step_attention(config: Fields, size: Dimensions, slides: bool) -> tuple[Weight, ...]:
    """Windowed layers may have more query heads than full ones."""
    other = config.section("attention_other_setting") or Fields({})
    wide = config.optional("num_sliding_attention_heads") or other.optional("num_attention_heads")
    heads = wide if slides and wide else size.heads
    return (
        *attention(Heads(size.hidden, heads, size.kv_heads, size.head_size)),
        linear("self_attn.g_proj", Part.ATTENTION, size.hidden, heads),
        vector("norms", 2 * size.hidden + 2 * size.head_size),
    )


def read_llama4(config: Fields) -> Body:
    """Llama-4: three chunked layers with rope to one full layer without, experts in every layer or every other."""
    size = read_dimensions(config)
    experts = read_experts(config, LLAMA4_MOE)
    sparse = _llama4_sparse(config, size.layers) if experts else [False] * size.layers
    dense_width = config.integer("intermediate_size_mlp", high=WIDEST)
    bias = config.flag("attention_bias")
    heads = Heads(size.hidden, size.heads, size.kv_heads, size.head_size)
    own = (*attention(heads, qkv_bias=bias, out_bias=bias), vector("norms", 2 * size.hidden))
    dense = (*own, *mlp(size.hidden, dense_width, prefix="feed_forward."))
    routed_ = (*own, *expert_weights(size.hidden, experts, LLAMA4_MOE)) if experts else dense
    full: tuple[Cache, ...] = (FullAttention(size.kv_heads, size.head_size, size.head_size),)
    chunk = config.optional("attention_chunk_size")
    chunked: tuple[Cache, ...] = (
        (ChunkedAttention(size.kv_heads, size.head_size, size.head_size, chunk),) if chunk else full
    )
    drafts = [
        Draft(chunked if roped else full, routed_ if is_sparse else dense)
        for roped, is_sparse in zip(_llama4_roped(config, size.layers), sparse, strict=True)
    ]
    return assemble(config, Recipe(), size, drafts, experts)


def _llama4_sparse(config: Fields, layers: int) -> list[bool]:
    listed = config.items("moe_layers")
    step = config.integer("interleave_moe_layer_step", fallback=1)
    if listed:
        return [layer in listed for layer in range(layers)]
    return [(layer + 1) % step == 0 for layer in range(layers)]


def _llama4_roped(config: Fields, layers: int) -> list[bool]:
    """Layers with rope are chunked; an empty list means all but every fourth."""
    listed = config.items("no_rope_layers")
    if listed:
        marks = config.per_layer("no_rope_layers", layers) or ()
        return [bool(whole("no_rope_layers", mark, 0, 1)) for mark in marks]
    period = config.integer("no_rope_layer_interval", fallback=4)
    return [(layer + 1) % period != 0 for layer in range(layers)]


def read_minimax_m3(config: Fields) -> Body:
    """MiniMax-M3: every layer caches everything; sparse layers choose blocks with an indexer whose keys are kept beside."""
    size = read_dimensions(config)
    experts = read_experts(config, MINIMAX_M3_MOE)
    sparse = sparse_layers(config, size.layers) if experts else [False] * size.layers
    dense_width = config.integer("dense_intermediate_size", high=WIDEST)
    heads = Heads(size.hidden, size.heads, size.kv_heads, size.head_size)
    own = (*attention(heads), vector("norms", 2 * size.hidden + 2 * size.head_size))
    full: tuple[Cache, ...] = (FullAttention(size.kv_heads, size.head_size, size.head_size),)
    extra, keys = _minimax_indexer(config, size.hidden)
    drafts = []
    for is_sparse, has_index in zip(sparse, _minimax_indexed(config, size.layers), strict=True):
        rest = (
            expert_weights(size.hidden, experts, MINIMAX_M3_MOE)
            if is_sparse and experts
            else mlp(size.hidden, dense_width)
        )
        drafts.append(Draft((*full, *keys) if has_index else full, (*own, *(extra if has_index else ()), *rest)))
    body = assemble(config, Recipe(), size, drafts, experts)
    return predictor(body, read_mtp_layers(config))


def _minimax_indexed(config: Fields, layers: int) -> list[bool]:
    own = config.section("sparse_attention_config") or Fields({})
    if not own.flag("use_sparse_attention"):
        return [False] * layers
    marks = own.per_layer("sparse_attention_freq", layers)
    return [True] * layers if marks is None else [bool(whole("sparse_attention_freq", mark, 0, 1)) for mark in marks]


def _minimax_indexer(config: Fields, hidden: int) -> tuple[tuple[Weight, ...], tuple[SparseIndexer, ...]]:
    """Its keys are bfloat16 by default (vLLM 0.32, models/minimax_m3)."""
    own = config.section("sparse_attention_config") or Fields({})
    width = own.optional("sparse_index_dim", high=WIDEST)
    if width is None:
        return (), ()
    count = own.integer("sparse_num_index_heads", high=MOST_HEADS)
    weights = (
        linear("self_attn.indexer.q_proj", Part.REPLICATED, hidden, count * width),
        linear("self_attn.indexer.k_proj", Part.REPLICATED, hidden, width),
        vector("self_attn.indexer.norms", 2 * width),
    )
    return weights, (SparseIndexer(2 * width),)
