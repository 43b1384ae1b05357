"""LFM2: short convolutions with attention layers between them."""

from knowledge.shapes.blocks import Heads, attention, linear, mlp, vector
from knowledge.shapes.decoder import Recipe, assemble
from knowledge.shapes.dimensions import WIDEST, Dimensions, read_dimensions
from knowledge.shapes.fields import Fields
from knowledge.shapes.hybrids import attends
from knowledge.shapes.layers import Part, RecurrentState
from knowledge.shapes.recurrent import MODEL_DTYPE, small
from knowledge.shapes.weights import Body, Draft, Weight


def read_lfm2(config: Fields) -> Body:
    """LFM2: a layer is a convolution over a few tokens or attention, then an MLP."""
    size = read_dimensions(config)
    rest = (*mlp(size.hidden, _inner(config, size)), vector("norms", 2 * size.hidden))
    heads = attention(Heads(size.hidden, size.heads, size.kv_heads, size.head_size))
    attending = Draft(attends(size), (*heads, vector("self_attn.qk_norm", 2 * size.head_size), *rest))
    weights, state = _convolution(config, size.hidden)
    convolving = Draft((state,), (*weights, *rest))
    drafts = [attending if is_full else convolving for is_full in _full_layers(config, size.layers)]
    return assemble(config, Recipe(tied=True), size, drafts)


def _inner(config: Fields, size: Dimensions) -> int:
    """The MLP's width: two thirds of what is said, rounded up, unless the file switches that off."""
    said = config.integer("block_ff_dim", "intermediate_size", high=WIDEST)
    if not config.flag("block_auto_adjust_ff_dim", fallback=True):
        return said
    multiple = config.integer("block_multiple_of", high=WIDEST, fallback=256)
    width = int(config.number("block_ffn_dim_multiplier", 1.0) * int(2 * said / 3))
    return -(-width // multiple) * multiple


def _convolution(config: Fields, hidden: int) -> tuple[tuple[Weight, ...], RecurrentState]:
    kernel = config.integer("conv_L_cache", high=64)
    bias = config.flag("conv_bias")
    weights = (
        linear("conv.in_proj", Part.RECURRENT, hidden, 3 * hidden, bias=bias),
        linear("conv.out_proj", Part.RECURRENT, hidden, hidden, bias=bias),
        small("conv.conv", hidden * (kernel + bias)),
    )
    return weights, RecurrentState("short_conv", ((hidden * (kernel - 1), MODEL_DTYPE),), conv_tokens=kernel - 1)


def _full_layers(config: Fields, layers: int) -> list[bool]:
    kinds = config.per_layer("layer_types", layers)
    if kinds is not None:
        return [kind == "full_attention" for kind in kinds]
    chosen = config.items("full_attn_idxs")
    return [chosen is None or layer in chosen for layer in range(layers)]
