"""NVIDIA's own: Nemotron-H, one block a layer (Mamba-2, attention, MLP or experts), and Nemotron-NAS, whose layers all differ."""

from collections.abc import Mapping
from typing import Any

from knowledge.shapes.blocks import Heads, attention, linear, mlp, routed, vector
from knowledge.shapes.decoder import Recipe, assemble
from knowledge.shapes.dimensions import (
    HEADS,
    HIDDEN,
    LAYERS,
    MOST_HEADS,
    VOCABULARY,
    WIDEST,
    Dimensions,
    read_head_size,
    read_layers,
)
from knowledge.shapes.experts import Experts, Moe, read_experts
from knowledge.shapes.fields import Fields, refuse
from knowledge.shapes.hybrids import attends, state_bytes
from knowledge.shapes.layers import FullAttention, Part
from knowledge.shapes.mtp import predictor, read_mtp_layers
from knowledge.shapes.recurrent import Mamba2
from knowledge.shapes.weights import Body, Draft, Weight

KINDS = {"mamba": "M", "attention": "*", "mlp": "-", "moe": "E"}
MOE = Moe(width=("moe_intermediate_size",))


def read_nemotron_h(config: Fields) -> Body:
    """Nemotron-H, Nemotron-3: a letter a layer in hybrid_override_pattern."""
    pattern = _pattern(config)
    size = _dimensions(config, len(pattern))
    experts = read_experts(config, MOE) if "E" in pattern else None
    made = {letter: _block(config, size, experts, letter) for letter in set(pattern)}
    body = assemble(config, Recipe(), size, [made[letter] for letter in pattern], experts)
    ahead = read_mtp_layers(config)
    if not ahead or not {"*", "E"} <= set(made):
        return body
    return predictor(body, ahead, Draft((), made["*"].weights + made["E"].weights))


def _pattern(config: Fields) -> str:
    kinds = config.items("layers_block_type")
    layers = len(kinds) if kinds and config.raw(*LAYERS) is None else read_layers(config)
    listed = config.per_layer("layers_block_type", layers)
    pattern = (
        config.word("hybrid_override_pattern")
        if listed is None
        else "".join(KINDS.get(str(kind), "?") for kind in listed)
    )
    if not pattern or not set(pattern) <= set(KINDS.values()):
        raise refuse("hybrid_override_pattern", pattern, "which is not made of M, *, - and E")
    if len(pattern) != layers:
        raise refuse("hybrid_override_pattern", pattern, f"{len(pattern)} letters for {layers} layers")
    return pattern


def _dimensions(config: Fields, layers: int) -> Dimensions:
    hidden = config.integer(*HIDDEN, high=WIDEST)
    heads = config.integer(*HEADS, high=MOST_HEADS)
    return Dimensions(
        layers=layers,
        hidden=hidden,
        heads=heads,
        kv_heads=config.optional("num_key_value_heads", high=heads) or heads,
        head_size=read_head_size(config, hidden, heads),
        inner=config.optional("intermediate_size", low=0, high=WIDEST) or 0,
        vocab=config.integer(*VOCABULARY, high=WIDEST),
    )


def _block(config: Fields, size: Dimensions, experts: Experts | None, letter: str) -> Draft:
    norm = (vector("norm", size.hidden),)
    match letter:
        case "M":
            mamba = _mamba(config, size.hidden)
            return Draft((mamba.cached(),), (*mamba.weights("mixer."), *norm))
        case "*":
            heads = Heads(size.hidden, size.heads, size.kv_heads, size.head_size)
            return Draft(attends(size), (*attention(heads, prefix="mixer."), *norm))
        case "E" if experts is not None:
            return Draft((), (*_experts(config, size, experts), *norm))
    bias = config.flag("mlp_bias")
    return Draft((), (*mlp(size.hidden, size.inner, gated=False, bias=bias, prefix="mixer."), *norm))


def _mamba(config: Fields, hidden: int) -> Mamba2:
    return Mamba2(
        hidden=hidden,
        heads=config.integer("mamba_num_heads", high=MOST_HEADS),
        head_size=config.integer("mamba_head_dim", high=WIDEST),
        state=config.integer("ssm_state_size", high=WIDEST),
        groups=config.integer("n_groups", high=MOST_HEADS),
        kernel=config.integer("conv_kernel", high=64),
        state_bytes=state_bytes(config, "mamba_ssm_cache_dtype", fallback=4),
        bias=config.flag("use_bias"),
        conv_bias=config.flag("use_conv_bias", fallback=True),
    )


def _experts(config: Fields, size: Dimensions, experts: Experts) -> tuple[Weight, ...]:
    """Experts without gates; from Nemotron-3-Super on they work on a narrower latent vector."""
    latent = config.optional("moe_latent_size", high=WIDEST)
    one = mlp(latent or size.hidden, experts.width, gated=False, prefix="mixer.experts.0.", part=Part.EXPERTS)
    weights = routed(size.hidden, experts.count, one, prefix="mixer.")
    shared = config.optional("moe_shared_expert_intermediate_size", low=0, high=WIDEST)
    if shared:
        weights += mlp(size.hidden, shared, gated=False, prefix="mixer.shared_experts.")
    if latent:
        weights += (
            linear("mixer.fc1_latent_proj", Part.REPLICATED, size.hidden, latent),
            linear("mixer.fc2_latent_proj", Part.REPLICATED, latent, size.hidden),
        )
    return weights


def read_nemotron_nas(config: Fields) -> Body:
    """Llama-Nemotron Super and Ultra: every layer has its own attention and MLP, or none."""
    hidden = config.integer(*HIDDEN, high=WIDEST)
    heads = config.integer(*HEADS, high=MOST_HEADS)
    head_size = read_head_size(config, hidden, heads)
    layers = read_layers(config)
    blocks = config.per_layer("block_configs", layers)
    if blocks is None:
        raise refuse("block_configs", None, "without which no layer is known")
    sizes = Heads(hidden, heads, heads, head_size)
    drafts = [_nas_block(sizes, block) for block in blocks]
    kept = [cache.kv_heads for draft in drafts for cache in draft.caches if isinstance(cache, FullAttention)]
    widths = [_nas_width(hidden, block) for block in blocks]
    size = Dimensions(
        layers=layers,
        hidden=hidden,
        heads=heads,
        kv_heads=max(kept, default=heads),
        head_size=head_size,
        inner=max(widths, default=0),
        vocab=config.integer(*VOCABULARY, high=WIDEST),
    )
    return assemble(config, Recipe(), size, drafts)


def _nas_block(sizes: Heads, block: Any) -> Draft:
    weights: tuple[Weight, ...] = ()
    caches: tuple[FullAttention, ...] = ()
    own = _part(block, "attention")
    if own.flag("replace_with_linear"):
        weights += (linear("self_attn.linear_attn", Part.ATTENTION, sizes.hidden, sizes.hidden), _norm("input", sizes))
    elif not own.flag("no_op"):
        group = own.integer("n_heads_in_group", high=sizes.heads)
        kv_heads = sizes.heads // group
        caches = (FullAttention(kv_heads, sizes.head_size, sizes.head_size),)
        weights += (*attention(Heads(sizes.hidden, sizes.heads, kv_heads, sizes.head_size)), _norm("input", sizes))
    width = _nas_width(sizes.hidden, block)
    if _part(block, "ffn").flag("replace_with_linear"):
        weights += (linear("mlp.linear_mlp", Part.MLP, sizes.hidden, sizes.hidden), _norm("post", sizes))
    elif width:
        weights += (*mlp(sizes.hidden, width), _norm("post", sizes))
    return Draft(caches, weights)


def _norm(name: str, sizes: Heads) -> Weight:
    return vector(f"{name}_layernorm", sizes.hidden)


def _nas_width(hidden: int, block: Any) -> int:
    """The width of a layer's MLP: two thirds of a multiple of the hidden size, rounded up to 256; 0 where it has none."""
    ffn = _part(block, "ffn")
    if ffn.flag("no_op") or ffn.flag("replace_with_linear"):
        return 0
    said = ffn.optional("intermediate_size", high=WIDEST)
    return said or -(-int(2 * ffn.number("ffn_mult", 4.0) * hidden / 3) // 256) * 256


def _part(block: Any, name: str) -> Fields:
    if not isinstance(block, Mapping) or not isinstance(block.get(name), Mapping):
        raise refuse("block_configs", block, f"a layer without `{name}`")
    return Fields(block[name])
