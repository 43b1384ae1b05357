"""Kimi-Linear and Kimi-K3: Kimi delta attention with a latent-attention layer in between, then experts."""

from knowledge.shapes.blocks import linear, mlp, routed, vector
from knowledge.shapes.decoder import Recipe, assemble
from knowledge.shapes.dimensions import MOST_HEADS, VOCABULARY, WIDEST, Dimensions, read_layers
from knowledge.shapes.experts import Experts, Moe, read_experts, shared_count, sparse_layers
from knowledge.shapes.fields import Fields, refuse, whole
from knowledge.shapes.latent import Latent, latent_attention, read_latent
from knowledge.shapes.layers import Cache, Part
from knowledge.shapes.recurrent import KimiDelta
from knowledge.shapes.weights import Body, Draft, Weight

MOE = Moe(width=("moe_intermediate_size",), shared=shared_count)


def read_kimi_linear(config: Fields) -> Body:
    """Which layers are which stands in linear_attn_config, counted from 1."""
    latent = read_latent(config)
    layers = read_layers(config)
    size = Dimensions(
        layers=layers,
        hidden=latent.hidden,
        heads=latent.heads,
        kv_heads=1,
        head_size=latent.nope + latent.rope,
        inner=config.integer("intermediate_size", high=WIDEST),
        vocab=config.integer(*VOCABULARY, high=WIDEST),
    )
    experts = read_experts(config, MOE)
    sparse = sparse_layers(config, layers) if experts else [False] * layers
    delta = _delta(config, size.hidden)
    full = full_layers(config, layers)
    made = {
        kind: Draft(_caches(latent, delta, kind[0]), _weights(config, size, (latent, delta, experts), kind))
        for kind in set(zip(full, sparse, strict=True))
    }
    drafts = [made[kind] for kind in zip(full, sparse, strict=True)]
    residual = 2 * size.hidden if config.optional("attn_res_block_size") else 0
    return assemble(config, Recipe(final_norms=1 + (2 if residual else 0)), size, drafts, experts)


def full_layers(config: Fields, layers: int) -> list[bool]:
    """Which layers have latent attention."""
    linear_attention = config.section("linear_attn_config") or Fields({})
    listed = linear_attention.items("full_attn_layers")
    if listed is None:
        raise refuse("linear_attn_config", None, "without which attention layers cannot be told from the others")
    chosen = {whole("full_attn_layers", layer, 1, layers) for layer in listed}
    return [layer + 1 in chosen for layer in range(layers)]


def _delta(config: Fields, hidden: int) -> KimiDelta:
    own = config.section("linear_attn_config") or Fields({})
    return KimiDelta(
        hidden=hidden,
        heads=own.integer("num_heads", high=MOST_HEADS),
        head_size=own.integer("head_dim", high=WIDEST),
        kernel=own.integer("short_conv_kernel_size", high=64),
        full_gate=own.flag("use_full_rank_gate"),
    )


def _caches(latent: Latent, delta: KimiDelta, is_full: bool) -> tuple[Cache, ...]:
    return (latent.cached,) if is_full else (delta.cached(),)


def _weights(
    config: Fields, size: Dimensions, parts: tuple[Latent, KimiDelta, Experts | None], kind: tuple[bool, bool]
) -> tuple[Weight, ...]:
    latent, delta, experts = parts
    is_full, is_sparse = kind
    own = _latent(config, latent) if is_full else delta.weights()
    rest = _experts(config, size, experts) if is_sparse and experts else mlp(size.hidden, size.inner)
    residual = 4 if config.optional("attn_res_block_size") else 0  # two norms and two projections to one number
    return (*own, *rest, vector("norms", (2 + residual) * size.hidden))


def _latent(config: Fields, latent: Latent) -> tuple[Weight, ...]:
    weights = latent_attention(latent)
    if config.flag("mla_use_output_gate"):
        weights += (linear("self_attn.g_proj", Part.ATTENTION, latent.hidden, latent.heads * latent.value),)
    return weights


def _experts(config: Fields, size: Dimensions, experts: Experts) -> tuple[Weight, ...]:
    """K3's experts work on a narrower vector, with a projection before and after all of them."""
    width = config.optional("routed_expert_hidden_size", high=WIDEST)
    one = mlp(width or size.hidden, experts.width, prefix="mlp.experts.0.", part=Part.EXPERTS)
    weights = routed(size.hidden, experts.count, one)
    weights += mlp(size.hidden, experts.shared_width, prefix="mlp.shared_experts.")
    if width:
        weights += (
            linear("mlp.routed_expert_down_proj", Part.REPLICATED, size.hidden, width),
            linear("mlp.routed_expert_up_proj", Part.REPLICATED, width, size.hidden),
            vector("mlp.routed_expert_norm", width if config.flag("latent_moe_use_norm") else 0),
        )
    return weights
