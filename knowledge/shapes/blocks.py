"""The blocks that decoder layers are built from, as counts of weights."""

from dataclasses import dataclass

from knowledge.shapes.layers import Part
from knowledge.shapes.weights import Weight


@dataclass(frozen=True, slots=True)
class Heads:
    """What the attention of a layer is measured by, the whole model's, in elements. `value_size` None: as `head_size`."""

    hidden: int
    heads: int
    kv_heads: int
    head_size: int
    value_size: int | None = None


def attention(
    size: Heads, *, qkv_bias: bool = False, out_bias: bool = False, gated: bool = False, prefix: str = "self_attn."
) -> tuple[Weight, ...]:
    """Query, key, value and output projections. `gated` doubles the query projection (Qwen3-Next)."""
    value_size = size.head_size if size.value_size is None else size.value_size
    queries = size.heads * size.head_size * (2 if gated else 1)
    keys, values = size.kv_heads * size.head_size, size.kv_heads * value_size
    return (
        linear(prefix + "q_proj", Part.ATTENTION, size.hidden, queries, bias=qkv_bias),
        linear(prefix + "k_proj", Part.KV_PROJECTION, size.hidden, keys, bias=qkv_bias),
        linear(prefix + "v_proj", Part.KV_PROJECTION, size.hidden, values, bias=qkv_bias),
        linear(prefix + "o_proj", Part.ATTENTION, size.heads * value_size, size.hidden, bias=out_bias),
    )


def linear(name: str, part: Part, inputs: int, outputs: int, *, bias: bool = False) -> Weight:
    """One linear layer."""
    return Weight(name, part, inputs * outputs + (outputs if bias else 0))


def vector(name: str, count: int) -> Weight:
    """Norms, sinks and the like: small, whole on every rank, never quantised."""
    return Weight(name, Part.REPLICATED, count, linear=False)


def mlp(
    hidden: int, inner: int, *, gated: bool = True, bias: bool = False, prefix: str = "mlp.", part: Part = Part.MLP
) -> tuple[Weight, ...]:
    """A dense MLP: up and down projections, and a gate."""
    up = linear(prefix + "up_proj", part, hidden, inner, bias=bias)
    down = linear(prefix + "down_proj", part, inner, hidden, bias=bias)
    gate = (up._replace(name=prefix + "gate_proj"),) if gated else ()
    return (*gate, up, down)


def routed(hidden: int, count: int, one: tuple[Weight, ...], *, prefix: str = "mlp.") -> tuple[Weight, ...]:
    """A router over `count` experts of the weights of `one`; one name stands for all of them."""
    router = Weight(prefix + "gate", Part.REPLICATED, hidden * count, linear=False)
    return (router, *(weight._replace(number=weight.number * count, part=Part.EXPERTS) for weight in one))


def embedding(vocab: int, hidden: int, *, name: str = "embed_tokens") -> Weight:
    """The token embedding."""
    return Weight(name, Part.EMBEDDING, vocab * hidden, linear=False)


def lm_head(vocab: int, hidden: int, *, bias: bool = False) -> Weight:
    """The output projection over the vocabulary."""
    return linear("lm_head", Part.LM_HEAD, hidden, vocab, bias=bias)
