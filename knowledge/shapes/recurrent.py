"""Layers with a constant state a sequence: Mamba, Mamba-2, gated delta nets, KDA, lightning attention, short convolutions."""

from dataclasses import dataclass

from knowledge.shapes.blocks import linear, vector
from knowledge.shapes.layers import Part, RecurrentState
from knowledge.shapes.weights import Weight

BYTES = {"float32": 4, "bfloat16": 2, "float16": 2}
MODEL_DTYPE = 2  # bytes: what a state takes when nothing says otherwise


def small(name: str, number: int) -> Weight:
    """Convolutions, decays and the like: sharded with the heads, never quantised."""
    return Weight(name, Part.RECURRENT, number, linear=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mamba1:
    """A Mamba layer's sizes in elements."""

    hidden: int
    inner: int
    state: int
    rank: int
    kernel: int
    bias: bool = False
    conv_bias: bool = True
    norms: bool = False

    def weights(self, prefix: str = "mamba.") -> tuple[Weight, ...]:
        """Its modules."""
        conv = self.inner * (self.kernel + self.conv_bias)
        return (
            linear(prefix + "in_proj", Part.RECURRENT, self.hidden, 2 * self.inner, bias=self.bias),
            linear(prefix + "x_proj", Part.RECURRENT, self.inner, self.rank + 2 * self.state),
            linear(prefix + "dt_proj", Part.RECURRENT, self.rank, self.inner, bias=True),
            linear(prefix + "out_proj", Part.RECURRENT, self.inner, self.hidden, bias=self.bias),
            small(prefix + "conv1d", conv),
            small(prefix + "decay", self.inner * self.state + self.inner),
            vector(prefix + "norms", self.rank + 2 * self.state if self.norms else 0),
        )

    def cached(self) -> RecurrentState:
        """Its state."""
        kept = self.kernel - 1
        parts = ((self.inner * kept, MODEL_DTYPE), (self.inner * self.state, MODEL_DTYPE))
        return RecurrentState("mamba1", parts, conv_tokens=kept)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mamba2:
    """A Mamba-2 layer's sizes in elements; `state_bytes` an element of the recurrent state."""

    hidden: int
    heads: int
    head_size: int
    state: int
    groups: int
    kernel: int
    state_bytes: int = MODEL_DTYPE
    bias: bool = False
    conv_bias: bool = True
    norm: bool = True

    @property
    def inner(self) -> int:
        """The width of all heads together."""
        return self.heads * self.head_size

    @property
    def convolved(self) -> int:
        """The width that the convolution sees: the heads with B and C."""
        return self.inner + 2 * self.groups * self.state

    def weights(self, prefix: str = "mamba.") -> tuple[Weight, ...]:
        """Its modules."""
        into = self.inner + self.convolved + self.heads
        return (
            linear(prefix + "in_proj", Part.RECURRENT, self.hidden, into, bias=self.bias),
            linear(prefix + "out_proj", Part.RECURRENT, self.inner, self.hidden, bias=self.bias),
            small(prefix + "conv1d", self.convolved * (self.kernel + self.conv_bias)),
            small(prefix + "decay", 3 * self.heads + (self.inner if self.norm else 0)),
        )

    def cached(self) -> RecurrentState:
        """Its state."""
        kept = self.kernel - 1
        parts = ((self.convolved * kept, MODEL_DTYPE), (self.inner * self.state, self.state_bytes))
        return RecurrentState(
            "mamba2", parts, groups=self.groups, group_elements=2 * self.state * kept, conv_tokens=kept
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class DeltaNet:
    """A gated delta net's sizes in elements (Qwen3-Next, Qwen3.5)."""

    hidden: int
    key_heads: int
    value_heads: int
    key_size: int
    value_size: int
    kernel: int
    state_bytes: int = MODEL_DTYPE

    @property
    def convolved(self) -> int:
        """Queries, keys and values together."""
        return 2 * self.key_heads * self.key_size + self.value_heads * self.value_size

    def weights(self, prefix: str = "linear_attn.") -> tuple[Weight, ...]:
        """Its modules."""
        values = self.value_heads * self.value_size
        return (
            linear(prefix + "in_proj_qkv", Part.RECURRENT, self.hidden, self.convolved),
            linear(prefix + "in_proj_z", Part.RECURRENT, self.hidden, values),
            Weight(prefix + "in_proj_ba", Part.RECURRENT, self.hidden * 2 * self.value_heads),
            linear(prefix + "out_proj", Part.RECURRENT, values, self.hidden),
            small(prefix + "conv1d", self.convolved * self.kernel),
            small(prefix + "decay", 2 * self.value_heads),
            vector(prefix + "norm", self.value_size),
        )

    def cached(self) -> RecurrentState:
        """Its state."""
        kept = self.kernel - 1
        state = self.value_heads * self.value_size * self.key_size
        return RecurrentState(
            "gdn", ((self.convolved * kept, MODEL_DTYPE), (state, self.state_bytes)), conv_tokens=kept
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class KimiDelta:
    """Kimi delta attention's sizes in elements; its recurrent state is float32. `full_gate`: the output gate has full rank (K3)."""

    hidden: int
    heads: int
    head_size: int
    kernel: int
    full_gate: bool = False

    def weights(self, prefix: str = "self_attn.") -> tuple[Weight, ...]:
        """Its modules."""
        width = self.heads * self.head_size
        gate = (
            (linear(prefix + "g_proj", Part.RECURRENT, self.hidden, width),)
            if self.full_gate
            else _low_rank(prefix + "g", self.hidden, self.head_size, width)
        )
        return (
            linear(prefix + "qkv_proj", Part.RECURRENT, self.hidden, 3 * width),
            linear(prefix + "o_proj", Part.RECURRENT, width, self.hidden),
            *_low_rank(prefix + "f", self.hidden, self.head_size, width),
            *gate,
            linear(prefix + "b_proj", Part.RECURRENT, self.hidden, self.heads),
            small(prefix + "conv1d", 3 * width * self.kernel),
            small(prefix + "decay", width + self.heads),
            vector(prefix + "o_norm", self.head_size),
        )

    def cached(self) -> RecurrentState:
        """Its state."""
        kept = self.kernel - 1
        width = self.heads * self.head_size
        return RecurrentState("kda", ((3 * width * kept, MODEL_DTYPE), (width * self.head_size, 4)), conv_tokens=kept)


def _low_rank(name: str, hidden: int, rank: int, width: int) -> tuple[Weight, ...]:
    return (
        linear(name + "_a_proj", Part.REPLICATED, hidden, rank),
        linear(name + "_b_proj", Part.RECURRENT, rank, width),
    )


def lightning(hidden: int, heads: int, head_size: int) -> tuple[tuple[Weight, ...], RecurrentState]:
    """Lightning attention (MiniMax-Text-01): one matrix a head, in the model's dtype."""
    width = heads * head_size
    weights = (
        linear("self_attn.qkv_proj", Part.RECURRENT, hidden, 3 * width),
        linear("self_attn.out_proj", Part.RECURRENT, width, hidden),
        linear("self_attn.output_gate", Part.RECURRENT, hidden, width),
        vector("self_attn.norm", width),
    )
    return weights, RecurrentState("linear", ((width * head_size, MODEL_DTYPE),), conv_tokens=0)
