"""How many tokens a KV cache of so many bytes holds, in exactly the pages that vLLM would allocate.

Every byte count is per GPU unless named otherwise; a layout holds for the pipeline stage that binds.
"""

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from math import gcd

from knowledge.launch import Launch
from knowledge.memory import block_sizes, states
from knowledge.memory.capacity import HOLDS_BACK_NULL_BLOCK, LOGS_CONCURRENCY, Pool, binding_pool
from knowledge.memory.compressed import compressed_pages, entry_bytes_per_token, packed_groups
from knowledge.memory.drafts import draft_caches
from knowledge.memory.groups import Group, Members, grouped, merged
from knowledge.memory.in_flight import tokens_in_flight
from knowledge.memory.kv_dtypes import kv_dtype
from knowledge.memory.page_sizes import PageRules, page_spec, token_bytes
from knowledge.memory.stages import count_within, stage_bounds
from knowledge.shapes.layers import (
    Cache,
    ChunkedAttention,
    CompressedAttention,
    FullAttention,
    LatentAttention,
    RecurrentState,
    SlidingWindow,
)
from knowledge.versions import Version

ATTENTION = (FullAttention, SlidingWindow, ChunkedAttention, LatentAttention)
Placed = dict[Cache, tuple[int, ...]]  # the layers that have each cache, ascending


@dataclass(frozen=True, slots=True)
class CacheLayout:
    """The pages of one launch.

    `block_size` is the tokens in a block of the group with the smallest; `in_flight` tokens keep a window's pages busy.
    `bytes_per_token` is the whole model's, unsharded: keys and values (or latents) of every layer that caches them, windows
    as if full; `bytes_per_token_per_gpu` the same on one GPU. Neither counts a sparse indexer, a recurrent state or a draft.
    `state_bytes_per_sequence` is what the recurrent layers of one GPU keep for a sequence of any length, without padding;
    `states_outside` says that it lies outside the pool, max_num_seqs of them.
    """

    pool: Pool
    block_size: int
    in_flight: int
    max_model_len: int
    version: Version
    bytes_per_token: int
    bytes_per_token_per_gpu: int
    state_bytes_per_sequence: int
    states_outside: bool = False

    @property
    def groups(self) -> tuple[Group, ...]:
        """The layers that share a block table, each."""
        return self.pool.groups

    @property
    def block_bytes(self) -> int:
        """Bytes of one block of the pool; 0 for a model without a cache."""
        return self.pool.block_bytes

    def blocks(self, kv_bytes: int) -> int:
        """Blocks in a cache of `kv_bytes`; the first of them is never handed out."""
        return max(0, kv_bytes) // self.block_bytes if self.block_bytes else 0

    def request_blocks(self, context: int) -> int:
        """Blocks that a request of `context` tokens takes from the pool."""
        return self.pool.request_blocks(self._pages(context))

    def request_bytes(self, context: int) -> int:
        """Bytes that a request of `context` tokens takes."""
        return self.request_blocks(context) * self.block_bytes

    def concurrency(self, kv_bytes: int, context: int) -> float:
        """Requests of `context` tokens that fit at once, as vLLM logs it; 0 for a model without a cache."""
        return self.blocks(kv_bytes) / max(1, self.request_blocks(context))

    def tokens(self, kv_bytes: int) -> int:
        """What that version logs as "GPU KV cache size" for a cache of `kv_bytes`."""
        if self.version >= LOGS_CONCURRENCY:
            return int(self.concurrency(kv_bytes, self.max_model_len) * self.max_model_len)
        return self.blocks(kv_bytes) // max(1, len(self.groups)) * self.block_size

    def fits_one(self, kv_bytes: int, context: int) -> bool:
        """Whether vLLM starts: one request of `context` tokens fits, beside the block that newer versions hold back."""
        held_back = self.block_bytes if self.version >= HOLDS_BACK_NULL_BLOCK else 0
        return 0 < kv_bytes - held_back >= self.pool.needed_bytes(self._pages(context))

    def max_context(self, kv_bytes: int, limit: int) -> int:
        """The most tokens, up to `limit`, of which one request fits; 0 when not even one token does."""
        if self.fits_one(kv_bytes, limit):
            return limit
        # Pages are only ever added where a block of some group is full, so whole blocks are all there is to try.
        step = gcd(*(group.spec.block_size for group in self.groups)) or 1
        full_blocks = range(1, limit // step + 1)
        return step * bisect_left(full_blocks, True, key=lambda count: not self.fits_one(kv_bytes, count * step))

    def _pages(self, context: int) -> tuple[int, ...]:
        return tuple(group.spec.pages(context, self.in_flight) for group in self.groups)


def cache_layout(launch: Launch) -> CacheLayout:
    """The pages that vLLM of that version would give each layer of the launch's model."""
    placed, drafted = _placed(launch)
    rules = _rules(launch, placed)
    outside = launch.version < states.IN_THE_POOL
    groups = _groups(drafted, rules, launch, outside=outside)
    pool, stage = binding_pool(groups, stage_bounds(len(launch.shape.layers), launch.pp), launch.version)
    recurrent = {cache: layers for cache, layers in placed.items() if isinstance(cache, RecurrentState)}
    return CacheLayout(
        pool=pool,
        block_size=min((group.spec.block_size for group in groups), default=rules.block_size),
        in_flight=tokens_in_flight(launch),
        max_model_len=launch.max_model_len,
        version=launch.version,
        bytes_per_token=_growth(placed, PageRules(1, 1, rules.kv_dtype), (0, len(launch.shape.layers))),
        bytes_per_token_per_gpu=_growth(placed, rules, stage),
        state_bytes_per_sequence=sum(
            states.state_bytes(cache, launch.tp) * count_within(layers, stage) for cache, layers in recurrent.items()
        ),
        states_outside=outside and bool(recurrent),
    )


def _placed(launch: Launch) -> tuple[Placed, Placed]:
    """The model's own caches, and those with a draft's."""
    own: dict[Cache, list[int]] = {}
    for index, layer in enumerate(launch.shape.layers):
        for cache in layer.caches:
            own.setdefault(cache, []).append(index)
    placed = {cache: tuple(layers) for cache, layers in own.items()}
    last = len(launch.shape.layers) - 1
    drafted = dict(placed)
    for cache in draft_caches(launch):
        drafted[cache] = (*drafted.get(cache, ()), last)
    return placed, drafted


def _growth(placed: Placed, rules: PageRules, stage: tuple[int, int]) -> int:
    return int(sum(_token_bytes(cache, rules) * count_within(layers, stage) for cache, layers in placed.items()))


def _token_bytes(cache: Cache, rules: PageRules) -> int | Fraction:
    return entry_bytes_per_token(cache) if isinstance(cache, CompressedAttention) else token_bytes(cache, rules)


def _rules(launch: Launch, placed: Placed) -> PageRules:
    """Block and page sizes; in a hybrid, attention's block is raised so that its page holds a recurrent state."""
    base = PageRules(block_sizes.base_block_size(launch, placed), launch.tp, kv_dtype(launch))
    drafts = states.speculative_tokens(launch)
    recurrent = [cache for cache in placed if isinstance(cache, RecurrentState)]
    if not recurrent or launch.version < states.IN_THE_POOL:
        return base
    largest = max(states.state_bytes(cache, launch.tp, drafts) for cache in recurrent)
    attention = next((cache for cache in placed if isinstance(cache, ATTENTION)), None)
    if attention is None:
        block, page = base.block_size, 0
    else:
        token, mla = token_bytes(attention, base), isinstance(attention, LatentAttention)
        block = block_sizes.aligned_block_size(launch, base.block_size, token, largest, mla=mla)
        page = block * token
    return PageRules(
        block_size=block,
        tp=launch.tp,
        kv_dtype=base.kv_dtype,
        state_block_size=states.state_block_size(launch, block if page else None),
        state_page_bytes=page,
        state_pages=states.state_pages(launch, hybrid=bool(page)),
        speculative_tokens=drafts,
    )


def _groups(placed: Placed, rules: PageRules, launch: Launch, *, outside: bool) -> tuple[Group, ...]:
    if any(isinstance(cache, CompressedAttention) for cache in placed):
        return packed_groups(_compressed(placed, rules), launch.version)
    pooled = (
        (page_spec(cache, rules), layers)
        for cache, layers in placed.items()
        if not isinstance(cache, CompressedAttention) and not (outside and isinstance(cache, RecurrentState))
    )
    return grouped(merged(pooled), launch.version)


def _compressed(placed: Placed, rules: PageRules) -> Members:
    return merged(
        (spec, layers)
        for cache, layers in placed.items()
        if isinstance(cache, CompressedAttention)
        for spec in compressed_pages(cache, rules.block_size)
    )
