"""The dimensions every decoder has, under the many names that config files give them."""

from dataclasses import dataclass

from knowledge.shapes.fields import MOST_LAYERS, Fields, refuse

LAYERS = ("num_hidden_layers", "num_layers", "n_layer", "n_layers")
HIDDEN = ("hidden_size", "n_embd", "d_model")
HEADS = ("num_attention_heads", "n_head", "n_heads")
KV_HEADS = ("n_head_kv", "num_kv_heads", "num_key_value_heads", "multi_query_group_num", "num_attention_groups")
HEAD_SIZE = ("head_dim", "kv_channels", "attention_head_dim", "hidden_size_per_head")
INTERMEDIATE = ("intermediate_size", "ffn_hidden_size", "ff_intermediate_size", "n_inner")
VOCABULARY = ("vocab_size", "padded_vocab_size", "embedding_size")
EXPERTS = ("num_experts", "moe_num_experts", "n_routed_experts", "num_local_experts")
EXPERTS_PER_TOKEN = (
    "num_experts_per_tok",
    "num_experts_per_token",
    "top_k_experts",
    "moe_topk",
    "moe_top_k",
    "moe_k",
    "experts_per_token",
)
MOST_HEADS = 2**16
WIDEST = 2**24


@dataclass(frozen=True, slots=True)
class Dimensions:
    """What every decoder layer is measured by, the whole model's, sizes in elements. `inner` is the MLP's width, 0 when not said."""

    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_size: int
    inner: int
    vocab: int


def read_layers(config: Fields) -> int:
    """How many decoder layers."""
    return config.integer(*LAYERS, high=MOST_LAYERS)


def read_dimensions(config: Fields) -> Dimensions:
    """The dimensions, or a refusal of those that cannot be."""
    hidden = config.integer(*HIDDEN, high=WIDEST)
    heads = config.integer(*HEADS, high=MOST_HEADS)
    kv_heads = config.optional(*KV_HEADS, high=MOST_HEADS) or heads
    if kv_heads > heads or heads % kv_heads:
        raise refuse("num_key_value_heads", kv_heads, f"which does not divide the {heads} attention heads")
    return Dimensions(
        layers=read_layers(config),
        hidden=hidden,
        heads=heads,
        kv_heads=kv_heads,
        head_size=read_head_size(config, hidden, heads),
        inner=config.optional(*INTERMEDIATE, low=0, high=WIDEST) or 0,
        vocab=config.integer(*VOCABULARY, high=WIDEST),
    )


def read_head_size(config: Fields, hidden: int, heads: int) -> int:
    """The size of one head: said, else the hidden size shared among the heads."""
    said = config.optional(*HEAD_SIZE, low=0, high=WIDEST)
    if said:
        return said
    if hidden % heads:
        raise refuse("num_attention_heads", heads, f"which does not divide the hidden size {hidden}")
    return hidden // heads
