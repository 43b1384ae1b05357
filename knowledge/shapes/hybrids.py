"""Models whose layers are of two kinds, with a recurrent state or with attention: Jamba, Granite-4, Falcon-H1, Qwen3-Next, MiniMax."""

from knowledge.shapes.blocks import Heads, attention, mlp, vector
from knowledge.shapes.decoder import Recipe, assemble, switched
from knowledge.shapes.dimensions import MOST_HEADS, WIDEST, Dimensions, read_dimensions
from knowledge.shapes.experts import Experts, Moe, expert_weights, read_experts, shared_size
from knowledge.shapes.fields import Fields, refuse
from knowledge.shapes.layers import Cache, FullAttention
from knowledge.shapes.mtp import predictor, read_mtp_layers
from knowledge.shapes.recurrent import BYTES, MODEL_DTYPE, DeltaNet, Mamba1, Mamba2, lightning
from knowledge.shapes.weights import Body, Draft, Weight

ATTENTION_WORDS = frozenset({"attention", "full_attention"})
QWEN_MOE = Moe(width=("moe_intermediate_size",), shared=shared_size, shared_gate=True)


def state_bytes(config: Fields, *names: str, fallback: int = MODEL_DTYPE) -> int:
    """Bytes of an element of the recurrent state: a dtype that the file names, else the model's own."""
    word = config.word(*names)
    return BYTES.get(word, fallback)


def attends(size: Dimensions) -> tuple[Cache, ...]:
    """What a full-attention layer caches."""
    return (FullAttention(size.kv_heads, size.head_size, size.head_size),)


def own_attention(config: Fields, size: Dimensions, *, gated: bool = False) -> tuple[Weight, ...]:
    """The projections of a full-attention layer, biased where the file says so."""
    heads = Heads(size.hidden, size.heads, size.kv_heads, size.head_size)
    bias = switched(config, "attention_bias")
    return attention(heads, qkv_bias=bias, out_bias=bias, gated=gated)


def attention_layers(config: Fields, layers: int, words: frozenset[str] = ATTENTION_WORDS) -> list[bool]:
    """Which layers have attention, as a list of kinds says."""
    for name in ("layer_types", "layers_block_type"):
        kinds = config.per_layer(name, layers)
        if kinds is not None:
            return [kind in words for kind in kinds]
    raise refuse("layer_types", None, "without which attention layers cannot be told from the others")


def read_jamba(config: Fields) -> Body:
    """Jamba: attention in every eighth layer, experts in every second."""
    size = read_dimensions(config)
    moe = Moe(width=("intermediate_size",), prefix="feed_forward.")
    experts = read_experts(config, moe)
    mamba = Mamba1(
        hidden=size.hidden,
        inner=size.hidden * config.integer("mamba_expand", high=64),
        state=config.integer("mamba_d_state", high=WIDEST),
        rank=config.optional("mamba_dt_rank", high=WIDEST) or -(-size.hidden // 16),
        kernel=config.integer("mamba_d_conv", high=64),
        bias=config.flag("mamba_proj_bias"),
        conv_bias=config.flag("mamba_conv_bias", fallback=True),
        norms=True,
    )
    norms = vector("norms", 2 * size.hidden)
    dense = mlp(size.hidden, size.inner, prefix="feed_forward.")
    routed = expert_weights(size.hidden, experts, moe) if experts else dense
    drafts = []
    for layer in range(size.layers):
        attending = _periodic(config, "attn_layer_period", "attn_layer_offset", layer)
        weights = own_attention(config, size) if attending else mamba.weights()
        rest = routed if _periodic(config, "expert_layer_period", "expert_layer_offset", layer) else dense
        drafts.append(Draft(attends(size) if attending else (mamba.cached(),), (*weights, *rest, norms)))
    return assemble(config, Recipe(), size, drafts, experts)


def _periodic(config: Fields, period: str, offset: str, layer: int) -> bool:
    return layer % config.integer(period) == config.integer(offset, low=0)


def mamba2(config: Fields, hidden: int) -> Mamba2:
    """A Mamba-2 layer under the names of Granite-4, Bamba and Falcon-H1."""
    inner = config.optional("mamba_d_ssm", high=WIDEST) or hidden * config.integer("mamba_expand", high=64)
    heads = config.integer("mamba_n_heads", high=MOST_HEADS)
    if inner % heads:
        raise refuse("mamba_n_heads", heads, f"which does not divide the inner size {inner}")
    return Mamba2(
        hidden=hidden,
        heads=heads,
        head_size=inner // heads,
        state=config.integer("mamba_d_state", high=WIDEST),
        groups=config.integer("mamba_n_groups", high=MOST_HEADS),
        kernel=config.integer("mamba_d_conv", high=64),
        bias=config.flag("mamba_proj_bias"),
        conv_bias=config.flag("mamba_conv_bias", fallback=True),
        norm=config.flag("mamba_rms_norm", fallback=True),
    )


def read_granite_hybrid(config: Fields) -> Body:
    """Granite-4: Mamba-2 or attention, then experts (none in the dense sizes) beside a shared MLP."""
    size = read_dimensions(config)
    moe = Moe(width=("intermediate_size",), shared=shared_size, prefix="block_sparse_moe.")
    experts = read_experts(config, moe)
    shared = config.integer("shared_intermediate_size", low=0, high=WIDEST)
    rest = expert_weights(size.hidden, experts, moe) if experts else mlp(size.hidden, shared, prefix="shared_mlp.")
    common = (*rest, vector("norms", 2 * size.hidden))
    attending = Draft(attends(size), (*own_attention(config, size), *common))
    layers = attention_layers(config, size.layers)
    if all(layers):
        return assemble(config, Recipe(tied=True), size, [attending] * size.layers, experts)
    mamba = mamba2(config, size.hidden)
    recurrent = Draft((mamba.cached(),), (*mamba.weights(), *common))
    return assemble(
        config, Recipe(tied=True), size, [attending if is_full else recurrent for is_full in layers], experts
    )


def read_falcon_h1(config: Fields) -> Body:
    """Falcon-H1: attention and Mamba-2 side by side in every layer."""
    size = read_dimensions(config)
    mamba = mamba2(config, size.hidden)
    weights = (
        *own_attention(config, size),
        *mamba.weights(),
        *mlp(size.hidden, size.inner, bias=config.flag("mlp_bias"), prefix="feed_forward."),
        vector("norms", 2 * size.hidden),
    )
    draft = Draft((*attends(size), mamba.cached()), weights)
    return assemble(config, Recipe(), size, [draft] * size.layers)


def read_bamba(config: Fields) -> Body:
    """Bamba: Mamba-2 or attention, then an MLP."""
    size = read_dimensions(config)
    mamba = mamba2(config, size.hidden)
    common = (*mlp(size.hidden, size.inner, prefix="feed_forward."), vector("norms", 2 * size.hidden))
    attending = Draft(attends(size), (*own_attention(config, size), *common))
    recurrent = Draft((mamba.cached(),), (*mamba.weights(), *common))
    chosen = config.items("attn_layer_indices") or ()
    drafts = [attending if layer in chosen else recurrent for layer in range(size.layers)]
    return assemble(config, Recipe(), size, drafts)


def read_qwen_hybrid(config: Fields) -> Body:
    """Qwen3-Next and Qwen3.5: three gated delta nets to one gated attention, then experts or an MLP."""
    size = read_dimensions(config)
    experts = read_experts(config, QWEN_MOE)
    rest = _qwen_rest(config, size, experts)
    net = delta_net(config, size.hidden)
    norms = (vector("norms", 2 * size.hidden),)
    heads = (*own_attention(config, size, gated=True), vector("self_attn.qk_norm", 2 * size.head_size))
    attending = Draft(attends(size), (*heads, *rest, *norms))
    recurrent = Draft((net.cached(),), (*net.weights(), *rest, *norms))
    drafts = [attending if is_full else recurrent for is_full in _full_layers(config, size.layers)]
    body = assemble(config, Recipe(), size, drafts, experts)
    return predictor(body, read_mtp_layers(config), attending)


def _qwen_rest(config: Fields, size: Dimensions, experts: Experts | None) -> tuple[Weight, ...]:
    return expert_weights(size.hidden, experts, QWEN_MOE) if experts else mlp(size.hidden, size.inner)


def _full_layers(config: Fields, layers: int) -> list[bool]:
    if config.raw("layer_types") is not None:
        return attention_layers(config, layers)
    interval = config.integer("full_attention_interval")
    return [(layer + 1) % interval == 0 for layer in range(layers)]


def delta_net(config: Fields, hidden: int) -> DeltaNet:
    """The gated delta net of Qwen3-Next and Qwen3.5, whose file may ask for a float32 state."""
    return DeltaNet(
        hidden=hidden,
        key_heads=config.integer("linear_num_key_heads", high=MOST_HEADS),
        value_heads=config.integer("linear_num_value_heads", high=MOST_HEADS),
        key_size=config.integer("linear_key_head_dim", high=WIDEST),
        value_size=config.integer("linear_value_head_dim", high=WIDEST),
        kernel=config.integer("linear_conv_kernel_dim", high=64),
        state_bytes=state_bytes(config, "mamba_ssm_dtype"),
    )


def read_minimax(config: Fields) -> Body:
    """MiniMax-Text-01: seven lightning layers to one of attention, experts in all."""
    size = read_dimensions(config)
    moe = Moe(width=("intermediate_size",), prefix="block_sparse_moe.")
    experts = read_experts(config, moe)
    if experts is None:
        raise refuse("num_local_experts", None, "though every MiniMax layer has experts")
    common = (*expert_weights(size.hidden, experts, moe), vector("norms", 2 * size.hidden))
    weights, state = lightning(size.hidden, size.heads, size.head_size)
    attending = Draft(attends(size), (*own_attention(config, size), *common))
    recurrent = Draft((state,), (*weights, *common))
    drafts = [attending if is_full else recurrent for is_full in attention_layers(config, size.layers)]
    return assemble(config, Recipe(), size, drafts, experts)
