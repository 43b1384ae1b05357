"""The plain decoder that most models are: attention over every token or a window, then an MLP or experts."""

from dataclasses import dataclass
from enum import StrEnum

from knowledge.shapes.blocks import Heads, attention, embedding, lm_head, mlp, vector
from knowledge.shapes.dimensions import Dimensions, read_dimensions
from knowledge.shapes.experts import Experts, Moe, expert_weights, read_experts, sparse_layers
from knowledge.shapes.fields import Fields, refuse
from knowledge.shapes.mtp import predictor, read_mtp_layers
from knowledge.shapes.weights import Body, Draft, Weight
from knowledge.shapes.windows import Slides, attention_caches, every, read_windows

Switch = bool | str  # always, never, or the config key that says so (absent: not)


class QkNorm(StrEnum):
    """Norms over queries and keys: none, over each head, or over all heads together."""

    NONE = "none"
    HEAD = "head"
    ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How a class builds its layers. Norms are counted in vectors of the hidden size (a LayerNorm with bias is two).

    `positions` is the number of extra rows of a learned position table (None: no table). `moe` None: never has experts.
    """

    gated: bool = True
    qkv_bias: Switch = False
    out_bias: Switch = False
    mlp_bias: Switch = False
    lm_head_bias: Switch = False
    norms: int = 2
    final_norms: int = 1
    qk_norm: QkNorm = QkNorm.NONE
    qk_norm_switch: Switch = True
    tied: bool = False
    positions: int | None = None
    slides: Slides = every
    moe: Moe | None = None


def switched(config: Fields, switch: Switch) -> bool:
    """Whether it is on for this model."""
    return config.flag(switch) if isinstance(switch, str) else switch


def read_decoder(config: Fields, recipe: Recipe) -> Body:
    """A plain decoder's layers and weights."""
    size = read_dimensions(config)
    experts = read_experts(config, recipe.moe) if recipe.moe else None
    sparse = sparse_layers(config, size.layers) if experts else [False] * size.layers
    windows = read_windows(config, size.layers, recipe.slides)
    shared = attention_weights(config, recipe, size)
    dense = (*shared, *_dense(config, recipe, size)) if not all(sparse) else ()
    routed = (*shared, *expert_weights(size.hidden, experts, recipe.moe)) if experts and recipe.moe else ()
    caches = attention_caches(windows, size.kv_heads, size.head_size)
    layers = [Draft(cache, routed if is_sparse else dense) for cache, is_sparse in zip(caches, sparse, strict=True)]
    return predictor(assemble(config, recipe, size, layers, experts), read_mtp_layers(config))


def attention_weights(config: Fields, recipe: Recipe, size: Dimensions) -> tuple[Weight, ...]:
    """Projections and norms of one layer."""
    weights = attention(
        Heads(size.hidden, size.heads, size.kv_heads, size.head_size),
        qkv_bias=switched(config, recipe.qkv_bias),
        out_bias=switched(config, recipe.out_bias),
    )
    norms = vector("norms", recipe.norms * size.hidden)
    return (*weights, norms, *_qk_norms(config, recipe, size))


def _qk_norms(config: Fields, recipe: Recipe, size: Dimensions) -> tuple[Weight, ...]:
    if not switched(config, recipe.qk_norm_switch):
        return ()
    match recipe.qk_norm:
        case QkNorm.NONE:
            return ()
        case QkNorm.HEAD:
            return (vector("self_attn.qk_norm", 2 * size.head_size),)
        case QkNorm.ALL:
            return (vector("self_attn.qk_norm", (size.heads + size.kv_heads) * size.head_size),)


def _dense(config: Fields, recipe: Recipe, size: Dimensions) -> tuple[Weight, ...]:
    if not size.inner:
        raise refuse("intermediate_size", None, "without which the MLP cannot be counted")
    return mlp(size.hidden, size.inner, gated=recipe.gated, bias=switched(config, recipe.mlp_bias))


def assemble(
    config: Fields, recipe: Recipe, size: Dimensions, layers: list[Draft], experts: Experts | None = None
) -> Body:
    """The layers with what stands around them: embedding, positions, final norm, output head."""
    tied = config.flag("tie_word_embeddings", fallback=recipe.tied)
    outside = [embedding(size.vocab, size.hidden), vector("norm", recipe.final_norms * size.hidden)]
    if recipe.positions is not None:
        rows = config.integer("max_position_embeddings", "n_positions") + recipe.positions
        outside.append(embedding(rows, size.hidden, name="embed_positions"))
    if not tied:
        outside.append(lm_head(size.vocab, size.hidden, bias=switched(config, recipe.lm_head_bias)))
    return Body(
        layers=tuple(layers),
        outside=tuple(outside),
        hidden_size=size.hidden,
        intermediate_size=size.inner,
        vocab_size=size.vocab,
        attention_heads=size.heads,
        kv_heads=size.kv_heads,
        head_size=size.head_size,
        tied_embeddings=tied,
        experts=experts.count if experts else 0,
        experts_per_token=experts.per_token if experts else 0,
        moe_intermediate_size=experts.width if experts else 0,
    )
