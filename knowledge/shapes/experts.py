"""Mixture-of-experts layers: which layers have experts, how many, and how wide."""

from collections.abc import Callable
from dataclasses import dataclass

from knowledge.shapes.blocks import mlp, routed, vector
from knowledge.shapes.dimensions import EXPERTS, EXPERTS_PER_TOKEN, WIDEST
from knowledge.shapes.fields import Fields, refuse, whole
from knowledge.shapes.layers import Part
from knowledge.shapes.weights import Weight

MOST_EXPERTS = 2**16


@dataclass(frozen=True, slots=True, kw_only=True)
class Moe:
    """How a class names its experts. `width` are the keys of one expert's width; `shared` reads the shared experts' total width.

    `shared_gate` is Qwen's gate over the shared expert; `prefix` the modules' name. `gated` and `bias` are the experts' own.
    """

    width: tuple[str, ...] = ("moe_intermediate_size", "intermediate_size")
    shared: Callable[[Fields, int], int] = lambda config, width: 0
    shared_gate: bool = False
    prefix: str = "mlp."
    gated: bool = True
    bias: bool = False
    router_bias: bool = False


@dataclass(frozen=True, slots=True)
class Experts:
    """One model's experts: how many, how many a token uses, and their widths in elements."""

    count: int
    per_token: int
    width: int
    shared_width: int


def shared_count(config: Fields, width: int) -> int:
    """Shared experts as wide as the routed ones (DeepSeek, GLM, Kimi, Ernie)."""
    names = ("n_shared_experts", "num_shared_experts", "moe_num_shared_experts", "num_shared_expert")
    return width * (config.optional(*names, low=0, high=MOST_EXPERTS) or 0)


def shared_size(config: Fields, width: int) -> int:
    """One shared expert with a width of its own (Qwen, MiniMax, Granite)."""
    names = ("shared_expert_intermediate_size", "shared_intermediate_size", "share_expert_dim")
    return config.optional(*names, low=0, high=WIDEST) or 0


def read_experts(config: Fields, moe: Moe) -> Experts | None:
    """The experts, None when there are none."""
    count = config.optional(*EXPERTS, low=0, high=MOST_EXPERTS)
    if not count:
        return None
    width = config.integer(*moe.width, high=WIDEST)
    per_token = config.integer(*EXPERTS_PER_TOKEN, high=MOST_EXPERTS)
    if per_token > count:
        raise refuse("num_experts_per_tok", per_token, f"more than the {count} experts there are")
    return Experts(count, per_token, width, moe.shared(config, width))


def expert_weights(hidden: int, experts: Experts, moe: Moe) -> tuple[Weight, ...]:
    """Router, routed experts, and the shared expert with its gate."""
    one = mlp(hidden, experts.width, gated=moe.gated, prefix=moe.prefix + "experts.0.")
    weights = routed(hidden, experts.count, one, prefix=moe.prefix)
    if moe.bias:
        each = (2 if moe.gated else 1) * experts.width + hidden
        weights += (Weight(moe.prefix + "experts.biases", Part.EXPERTS, experts.count * each, linear=False),)
    if experts.shared_width:
        prefix = moe.prefix + "shared_experts."
        weights += mlp(hidden, experts.shared_width, gated=moe.gated, prefix=prefix)
    if moe.router_bias:
        weights += (vector(moe.prefix + "gate.bias", experts.count),)
    if moe.shared_gate:
        weights += (vector(moe.prefix + "shared_expert_gate", hidden),)
    return weights


def sparse_layers(config: Fields, layers: int) -> list[bool]:
    """Which layers have experts, from whichever keys the file uses; all of them when it uses none."""
    kinds = config.per_layer("mlp_layer_types", layers)
    if kinds is not None:
        return [kind == "sparse" for kind in kinds]
    marks = config.per_layer("moe_layer_freq", layers)
    if marks is not None:
        return [bool(whole("moe_layer_freq", mark, 0, 1)) for mark in marks]
    return [_is_sparse(config, layer, layers) for layer in range(layers)]


def _is_sparse(config: Fields, layer: int, layers: int) -> bool:
    if layer in (config.items("mlp_only_layers") or ()):
        return False
    step = config.integer("decoder_sparse_step", "interleave_moe_layer_step", "moe_layer_interval", fallback=1)
    first = config.integer("first_k_dense_replace", "moe_layer_start_index", low=0, fallback=0)
    last = config.integer("moe_layer_end_index", low=-1, fallback=layers - 1)
    if not first <= layer <= (layers - 1 if last < 0 else last):
        return False
    if "moe_layer_interval" in config:
        return (layer - first) % step == 0
    frequency = config.integer("moe_layer_freq", fallback=1)
    return (layer + 1) % step == 0 and layer % frequency == 0
