"""Decoders from before Llama, and those with config keys of their own: GPT-2, GPT-J, GPT-NeoX, BigCode, OPT, BLOOM, MPT, Falcon, Phi, DBRX, ChatGLM, Qwen."""

from dataclasses import replace

from knowledge.shapes.blocks import Heads, attention, embedding, mlp, vector
from knowledge.shapes.decoder import Recipe, assemble, read_decoder
from knowledge.shapes.dimensions import (
    HEADS,
    HIDDEN,
    MOST_HEADS,
    VOCABULARY,
    WIDEST,
    Dimensions,
    read_dimensions,
    read_layers,
)
from knowledge.shapes.experts import Experts, Moe, expert_weights
from knowledge.shapes.fields import Fields, refuse
from knowledge.shapes.weights import Body, Draft, Weight
from knowledge.shapes.windows import attention_caches

LEARNED = Recipe(tied=True, final_norms=2, positions=0)


def _uniform(config: Fields, recipe: Recipe, size: Dimensions, weights: tuple[Weight, ...]) -> Body:
    """A decoder of equal layers that attend to everything."""
    caches = attention_caches([None] * size.layers, size.kv_heads, size.head_size)
    return assemble(config, recipe, size, [Draft(cache, weights) for cache in caches])


def _heads(size: Dimensions) -> Heads:
    return Heads(size.hidden, size.heads, size.kv_heads, size.head_size)


def _four(size: Dimensions) -> Dimensions:
    """The MLP is four times the hidden size unless it is said."""
    return size if size.inner else replace(size, inner=4 * size.hidden)


def read_gpt2(config: Fields) -> Body:
    """GPT-2, and BigCode's GPT with one KV head."""
    size = _four(read_dimensions(config))
    if config.flag("multi_query"):
        size = replace(size, kv_heads=1)
    weights = (
        *attention(_heads(size), qkv_bias=True, out_bias=True),
        *mlp(size.hidden, size.inner, gated=False, bias=True),
        vector("norms", 4 * size.hidden),
    )
    return _uniform(config, LEARNED, size, weights)


def read_gptj(config: Fields) -> Body:
    """GPT-J: one norm, no bias in attention."""
    size = _four(read_dimensions(config))
    own = (*attention(_heads(size)), *mlp(size.hidden, size.inner, gated=False, bias=True))
    recipe = Recipe(final_norms=2, lm_head_bias=True)
    return _uniform(config, recipe, size, (*own, vector("norms", 2 * size.hidden)))


def read_gpt_neox(config: Fields) -> Body:
    """GPT-NeoX and Pythia."""
    size = read_dimensions(config)
    bias = config.flag("attention_bias", fallback=True)
    weights = (
        *attention(_heads(size), qkv_bias=bias, out_bias=bias),
        *mlp(size.hidden, size.inner, gated=False, bias=True),
        vector("norms", 4 * size.hidden),
    )
    return _uniform(config, Recipe(final_norms=2), size, weights)


def read_opt(config: Fields) -> Body:
    """OPT: a position table with two rows more than positions."""
    size = read_dimensions(config)
    inner = config.integer("ffn_dim", high=WIDEST)
    bias = config.flag("enable_bias", fallback=True)
    weights = (
        *attention(_heads(size), qkv_bias=bias, out_bias=bias),
        *mlp(size.hidden, inner, gated=False, bias=bias),
        vector("norms", 4 * size.hidden),
    )
    return _uniform(config, replace(LEARNED, positions=2), replace(size, inner=inner), weights)


def read_bloom(config: Fields) -> Body:
    """BLOOM: a norm after the embedding, no positions."""
    size = _four(read_dimensions(config))
    weights = (
        *attention(_heads(size), qkv_bias=True, out_bias=True),
        *mlp(size.hidden, size.inner, gated=False, bias=True),
        vector("norms", 4 * size.hidden),
    )
    return _uniform(config, Recipe(tied=True, final_norms=4), size, weights)


def read_phi(config: Fields) -> Body:
    """Phi-1.5 and Phi-2: one norm, biases everywhere."""
    size = _four(read_dimensions(config))
    weights = (
        *attention(_heads(size), qkv_bias=True, out_bias=True),
        *mlp(size.hidden, size.inner, gated=False, bias=True),
        vector("norms", 2 * size.hidden),
    )
    return _uniform(config, Recipe(final_norms=2, lm_head_bias=True), size, weights)


def read_phi3_small(config: Fields) -> Body:
    """Phi-3-small: biases everywhere, the up projection twice as wide as the down projection."""
    size = read_dimensions(config)
    weights = (
        *attention(_heads(size), qkv_bias=True, out_bias=True),
        *mlp(size.hidden, size.inner, bias=True),
        vector("norms", 4 * size.hidden),
    )
    return _uniform(config, Recipe(tied=True, final_norms=2), size, weights)


def read_mpt(config: Fields) -> Body:
    """MPT: sizes under names of its own, ALiBi unless it learned positions."""
    own = config.section("attn_config") or Fields({})
    size = _keyed(config, own)
    inner = size.hidden * config.integer("expansion_ratio", high=64)
    bias = not config.flag("no_bias", fallback=True)
    norms = vector("norms", (4 if bias else 2) * size.hidden)
    weights = (
        *attention(_heads(size), qkv_bias=bias, out_bias=bias),
        *mlp(size.hidden, inner, gated=False, bias=bias),
        norms,
    )
    body = _uniform(config, Recipe(tied=True), replace(size, inner=inner), weights)
    if own.flag("alibi"):
        return body
    positions = embedding(config.integer("max_seq_len", high=WIDEST), size.hidden, name="wpe")
    return replace(body, outside=(*body.outside, positions))


def read_dbrx(config: Fields) -> Body:
    """DBRX: experts in every layer, LayerNorms without bias."""
    size = _keyed(config, config.section("attn_config") or Fields({}))
    ffn = config.section("ffn_config") or Fields({})
    width = ffn.integer("ffn_hidden_size", high=WIDEST)
    experts = Experts(ffn.integer("moe_num_experts", high=2**16), ffn.integer("moe_top_k", high=2**16), width, 0)
    moe = Moe(prefix="ffn.")
    weights = (
        *attention(_heads(size)),
        *expert_weights(size.hidden, experts, moe),
        vector("norms", 2 * size.hidden),
    )
    caches = attention_caches([None] * size.layers, size.kv_heads, size.head_size)
    return assemble(config, Recipe(), size, [Draft(cache, weights) for cache in caches], experts)


def _keyed(config: Fields, own: Fields) -> Dimensions:
    """MPT's and DBRX's dimensions: KV heads stand in attn_config."""
    hidden = config.integer(*HIDDEN, high=WIDEST)
    heads = config.integer(*HEADS, high=MOST_HEADS)
    kv_heads = own.optional("kv_n_heads", high=heads) or heads
    if hidden % heads or heads % kv_heads:
        raise refuse("n_heads", heads, f"which does not go with hidden size {hidden} and {kv_heads} KV heads")
    vocab = config.integer(*VOCABULARY, high=WIDEST)
    return Dimensions(read_layers(config), hidden, heads, kv_heads, hidden // heads, 0, vocab)


def read_falcon(config: Fields) -> Body:
    """Falcon 7B (one KV head), 40B and 180B (groups, two norms), and the old ones with all heads."""
    size = _four(read_dimensions(config))
    grouped = config.flag("new_decoder_architecture")
    if not grouped:
        size = replace(size, kv_heads=1 if config.flag("multi_query", fallback=True) else size.heads)
    norms = 2 if grouped or not config.flag("parallel_attn", fallback=True) else 1
    bias = config.flag("bias")
    weights = (
        *attention(_heads(size), qkv_bias=bias, out_bias=bias),
        *mlp(size.hidden, size.inner, gated=False, bias=bias),
        vector("norms", 2 * norms * size.hidden),
    )
    return _uniform(config, Recipe(tied=True, final_norms=2), size, weights)


def read_chatglm(config: Fields) -> Body:
    """ChatGLM2, ChatGLM3, GLM-4: grouped queries, no bias but in queries, keys and values."""
    size = read_dimensions(config)
    if not config.flag("multi_query_attention"):
        size = replace(size, kv_heads=size.heads)
    bias = config.flag("add_bias_linear")
    weights = (
        *attention(_heads(size), qkv_bias=bias or config.flag("add_qkv_bias"), out_bias=bias),
        *mlp(size.hidden, size.inner, bias=bias),
        vector("norms", 2 * size.hidden),
    )
    final = 1 if config.flag("post_layer_norm", fallback=True) else 0
    return _uniform(config, Recipe(final_norms=final), size, weights)


def read_qwen(config: Fields) -> Body:
    """The first Qwen: intermediate_size counts gate and up projection together."""
    size = read_dimensions(config)
    size = replace(size, inner=size.inner // 2)
    bias = not config.flag("no_bias", fallback=True)
    weights = (
        *attention(_heads(size), qkv_bias=True, out_bias=bias),
        *mlp(size.hidden, size.inner, bias=bias),
        vector("norms", 2 * size.hidden),
    )
    return _uniform(config, Recipe(), size, weights)


def read_minicpm3(config: Fields) -> Body:
    """MiniCPM3 has latent attention's keys, but vLLM runs it as plain attention over all heads."""
    from knowledge.shapes.latent import latent_attention, read_latent

    latent = read_latent(config)
    size = replace(read_dimensions(config), kv_heads=latent.heads, head_size=latent.nope + latent.rope)
    weights = (*latent_attention(latent), *mlp(size.hidden, size.inner), vector("norms", 2 * size.hidden))
    return _uniform(config, Recipe(tied=True), size, weights)


def read_minicpmv(config: Fields) -> Body:
    """The language model of MiniCPM-V: a Llama, or since 2.6 a Qwen2, which alone has biases and a max_window_layers."""
    recipe = Recipe(qkv_bias=config.raw("max_window_layers") is not None)
    return read_decoder(config.over({"use_sliding_window": False}), recipe)


def read_molmo(config: Fields) -> Body:
    """Molmo: intermediate_size counts gate and up projection together; a second embedding for new tokens."""
    size = read_dimensions(config)
    size = replace(size, inner=size.inner // 2)
    weights = (
        *attention(_heads(size), qkv_bias=config.flag("qkv_bias")),
        *mlp(size.hidden, size.inner),
        vector("norms", 2 * size.hidden),
    )
    body = _uniform(config, Recipe(), size, weights)
    added = embedding(config.integer("additional_vocab_size", fallback=128), size.hidden, name="new_embedding")
    return replace(body, outside=(*body.outside, added))
