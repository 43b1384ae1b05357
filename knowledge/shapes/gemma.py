"""Gemma-4 (and 3n's shared caches): windowed and full layers of different sizes, layers that reuse another's cache, per-layer embeddings."""

from knowledge.shapes.blocks import Heads, attention, embedding, linear, mlp, routed, vector
from knowledge.shapes.decoder import Recipe, assemble
from knowledge.shapes.dimensions import MOST_HEADS, WIDEST, Dimensions, read_dimensions
from knowledge.shapes.experts import Experts, Moe, read_experts
from knowledge.shapes.fields import Fields
from knowledge.shapes.layers import Cache, FullAttention, Part, SlidingWindow
from knowledge.shapes.weights import Body, Draft, Weight
from knowledge.shapes.windows import all_but_each, read_windows

MOE = Moe(width=("moe_intermediate_size", "expert_intermediate_size"))
PERIOD = 6


def read_gemma4(config: Fields) -> Body:
    """Gemma-4, dense and with experts."""
    size = read_dimensions(config)
    experts = read_experts(config, MOE) if config.flag("enable_moe_block") else None
    windows = read_windows(config, size.layers, all_but_each(PERIOD))
    shared_from = size.layers - config.integer("num_kv_shared_layers", low=0, high=size.layers, fallback=0)
    made: dict[tuple[int | None, bool], Draft] = {}
    drafts = []
    for layer, window in enumerate(windows):
        kind = (window, layer >= shared_from)
        if kind not in made:
            made[kind] = _layer(config, size, experts, kind)
        drafts.append(made[kind])
    body = assemble(config, Recipe(tied=True), size, drafts, experts)
    return _with_layer_embeddings(config, body, size)


def _layer(config: Fields, size: Dimensions, experts: Experts | None, kind: tuple[int | None, bool]) -> Draft:
    window, reuses = kind
    heads = _heads(config, size, is_full=window is None)
    weights = (
        *_attention(config, heads, kind),
        *_mlp(config, size, reuses),
        *_small(config, size),
        *_experts(size, experts),
    )
    if reuses:
        return Draft((), weights)
    cache: Cache = (
        FullAttention(heads.kv_heads, heads.head_size, heads.head_size)
        if window is None
        else SlidingWindow(heads.kv_heads, heads.head_size, heads.head_size, window)
    )
    return Draft((cache,), weights)


def _heads(config: Fields, size: Dimensions, *, is_full: bool) -> Heads:
    """Full layers have heads of another size, and KV heads of another number."""
    if not is_full:
        return Heads(size.hidden, size.heads, size.kv_heads, size.head_size)
    kv_heads = config.optional("num_global_key_value_heads", high=MOST_HEADS) or size.kv_heads
    head_size = config.optional("global_head_dim", high=WIDEST) or size.head_size
    return Heads(size.hidden, size.heads, kv_heads, head_size)


def _attention(config: Fields, heads: Heads, kind: tuple[int | None, bool]) -> tuple[Weight, ...]:
    """Layers that reuse a cache have no keys and values of their own; full layers may use their keys as values."""
    window, reuses = kind
    bias = config.flag("attention_bias")
    projections = attention(heads, qkv_bias=bias, out_bias=bias)
    values_are_keys = window is None and config.flag("attention_k_eq_v")
    dropped = ("k_proj", "v_proj") if reuses else ("v_proj",) if values_are_keys else ()
    kept = tuple(weight for weight in projections if not weight.name.endswith(dropped or ("-",)))
    return (*kept, vector("self_attn.qk_norm", heads.head_size * (1 if reuses else 2)))


def _mlp(config: Fields, size: Dimensions, reuses: bool) -> tuple[Weight, ...]:
    wide = reuses and config.flag("use_double_wide_mlp")
    return mlp(size.hidden, size.inner * (2 if wide else 1))


def _small(config: Fields, size: Dimensions) -> tuple[Weight, ...]:
    width = config.optional("hidden_size_per_layer_input", low=0, high=WIDEST)
    norms = vector("norms", 4 * size.hidden)
    if not width:
        return (norms,)
    return (
        norms,
        linear("per_layer_input_gate", Part.REPLICATED, size.hidden, width),
        linear("per_layer_projection", Part.REPLICATED, width, size.hidden),
        vector("post_per_layer_input_norm", size.hidden),
    )


def _experts(size: Dimensions, experts: Experts | None) -> tuple[Weight, ...]:
    if experts is None:
        return ()
    one = mlp(size.hidden, experts.width, prefix="experts.0.", part=Part.EXPERTS)
    return (
        *routed(size.hidden, experts.count, one, prefix="router."),
        vector("router.scale", size.hidden + experts.count + 3 * size.hidden),
    )


def _with_layer_embeddings(config: Fields, body: Body, size: Dimensions) -> Body:
    """Small Gemma-4 models look up a vector for every layer and token."""
    from dataclasses import replace

    width = config.optional("hidden_size_per_layer_input", low=0, high=WIDEST)
    if not width:
        return body
    total = size.layers * width
    vocab = config.integer("vocab_size_per_layer_input", high=WIDEST, fallback=size.vocab)
    extra = (
        embedding(vocab, total, name="embed_tokens_per_layer"),
        linear("per_layer_model_projection", Part.REPLICATED, size.hidden, total),
        vector("per_layer_projection_norm", width),
    )
    return replace(body, outside=(*body.outside, *extra))
