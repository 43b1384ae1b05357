"""Multi-head latent attention: DeepSeek-V2 and V3, Kimi-K2, GLM-5 with their sparse indexers."""

from dataclasses import dataclass

from knowledge.shapes.blocks import linear, mlp, vector
from knowledge.shapes.decoder import Recipe, assemble
from knowledge.shapes.dimensions import (
    HEADS,
    HIDDEN,
    INTERMEDIATE,
    MOST_HEADS,
    VOCABULARY,
    WIDEST,
    Dimensions,
    read_layers,
)
from knowledge.shapes.experts import Moe, expert_weights, read_experts, shared_count, sparse_layers
from knowledge.shapes.fields import Fields
from knowledge.shapes.layers import Cache, LatentAttention, Part, SparseIndexer
from knowledge.shapes.mtp import predictor, read_mtp_layers
from knowledge.shapes.weights import Body, Draft, Weight

MOE = Moe(width=("moe_intermediate_size",), shared=shared_count)
RECIPE = Recipe(moe=MOE)


@dataclass(frozen=True, slots=True)
class Latent:
    """What latent attention is measured by, in elements. `q_rank` None: queries come straight from the hidden state."""

    hidden: int
    heads: int
    q_rank: int | None
    kv_rank: int
    nope: int
    rope: int
    value: int

    @property
    def cached(self) -> LatentAttention:
        """What a token leaves in the cache."""
        return LatentAttention(self.kv_rank + self.rope)


def read_latent(config: Fields) -> Latent:
    """The sizes of the latent attention."""
    return Latent(
        hidden=config.integer(*HIDDEN, high=WIDEST),
        heads=config.integer(*HEADS, high=MOST_HEADS),
        q_rank=config.optional("q_lora_rank", high=WIDEST),
        kv_rank=config.integer("kv_lora_rank", high=WIDEST),
        nope=config.integer("qk_nope_head_dim", high=WIDEST),
        rope=config.integer("qk_rope_head_dim", high=WIDEST),
        value=config.optional("v_head_dim", high=WIDEST) or _shared(config),
    )


def _shared(config: Fields) -> int:
    """A value head's size where the file does not say it (MiniCPM3): the hidden size shared among the heads."""
    return config.integer(*HIDDEN, high=WIDEST) // config.integer(*HEADS, high=MOST_HEADS)


def latent_attention(size: Latent, *, bias: bool = False) -> tuple[Weight, ...]:
    """The projections of one layer: down-projections are whole on every rank, up-projections sharded by heads."""
    queries = size.heads * (size.nope + size.rope)
    down = size.kv_rank + size.rope
    return (
        *_queries(size, queries, bias=bias),
        linear("self_attn.kv_a_proj_with_mqa", Part.REPLICATED, size.hidden, down, bias=bias),
        vector("self_attn.kv_a_layernorm", size.kv_rank),
        linear("self_attn.kv_b_proj", Part.ATTENTION, size.kv_rank, size.heads * (size.nope + size.value)),
        linear("self_attn.o_proj", Part.ATTENTION, size.heads * size.value, size.hidden, bias=bias),
    )


def _queries(size: Latent, queries: int, *, bias: bool) -> tuple[Weight, ...]:
    if size.q_rank is None:
        return (linear("self_attn.q_proj", Part.ATTENTION, size.hidden, queries),)
    return (
        linear("self_attn.q_a_proj", Part.REPLICATED, size.hidden, size.q_rank, bias=bias),
        vector("self_attn.q_a_layernorm", size.q_rank),
        linear("self_attn.q_b_proj", Part.ATTENTION, size.q_rank, queries),
    )


def indexer(config: Fields, size: Latent) -> tuple[tuple[Weight, ...], SparseIndexer]:
    """A sparse-attention indexer: whole on every rank. vLLM keeps its keys in fp8 with one float32 scale for every 128."""
    width = config.integer("index_head_dim", high=WIDEST)
    heads = config.integer("index_n_heads", high=MOST_HEADS)
    weights = (
        linear("self_attn.indexer.wq_b", Part.REPLICATED, size.q_rank or size.hidden, heads * width),
        linear("self_attn.indexer.wk", Part.REPLICATED, size.hidden, width),
        vector("self_attn.indexer.k_norm", 2 * width),
        Weight("self_attn.indexer.weights_proj", Part.REPLICATED, size.hidden * heads, linear=False),
    )
    return weights, SparseIndexer(width + 4 * -(-width // 128))


def read_deepseek(config: Fields) -> Body:
    """DeepSeek-V2, V3, V3.2, Kimi-K2, GLM-5: latent attention, dense layers first, then experts."""
    latent = read_latent(config)
    layers = read_layers(config)
    experts = read_experts(config, MOE)
    sparse = sparse_layers(config, layers) if experts else [False] * layers
    size = _dimensions(config, latent, layers)
    own_attention = (*latent_attention(latent, bias=config.flag("attention_bias")), vector("norms", 2 * latent.hidden))
    dense = mlp(latent.hidden, size.inner, bias=config.flag("mlp_bias")) if not all(sparse) else ()
    routed = expert_weights(latent.hidden, experts, MOE) if experts else ()
    indexed = indexes(config, layers)
    extra, keys = indexer(config, latent) if any(indexed) else ((), None)
    made: dict[tuple[bool, bool], Draft] = {}
    for kind in set(zip(sparse, indexed, strict=True)):
        is_sparse, has_index = kind
        caches: tuple[Cache, ...] = (latent.cached, keys) if has_index and keys else (latent.cached,)
        weights = (*own_attention, *(extra if has_index else ()), *(routed if is_sparse else dense))
        made[kind] = Draft(caches, weights)
    drafts = [made[kind] for kind in zip(sparse, indexed, strict=True)]
    body = assemble(config, RECIPE, size, drafts, experts)
    return predictor(body, read_mtp_layers(config))


def indexes(config: Fields, layers: int) -> list[bool]:
    """Which layers have an indexer of their own: GLM-5.2 shares one among four layers."""
    if config.optional("index_head_dim") is None:
        return [False] * layers
    kinds = config.per_layer("indexer_types", layers)
    return [True] * layers if kinds is None else [kind != "shared" for kind in kinds]


def _dimensions(config: Fields, latent: Latent, layers: int) -> Dimensions:
    return Dimensions(
        layers=layers,
        hidden=latent.hidden,
        heads=latent.heads,
        kv_heads=1,
        head_size=latent.nope + latent.rope,
        inner=config.optional(*INTERMEDIATE, low=0, high=WIDEST) or 0,
        vocab=config.integer(*VOCABULARY, high=WIDEST),
    )
