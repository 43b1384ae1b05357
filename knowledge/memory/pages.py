"""How many tokens a KV cache of so many bytes holds, in exactly the pages that vLLM would allocate.

Every byte count is per GPU unless named otherwise; a layout holds for the pipeline stage that binds.
"""

from dataclasses import dataclass
from functools import cached_property

from knowledge.launch import Launch
from knowledge.memory.groups import Group, grouped, merged
from knowledge.memory.in_flight import tokens_in_flight
from knowledge.memory.page_sizes import PageRules, page_spec, state_bytes, token_bytes
from knowledge.memory.stages import count_within, stage_bounds
from knowledge.shapes.layers import Cache, RecurrentState
from knowledge.versions import Version

DEFAULT_BLOCK_SIZE = 16
LOGS_CONCURRENCY = Version(0, 20, 1)  # "GPU KV cache size" is concurrency × max_model_len; before, blocks × block size
HOLDS_BACK_NULL_BLOCK = Version(0, 29)  # the start-up check counts the block that the pool never hands out


@dataclass(frozen=True)
class CacheLayout:
    """The pages of one launch.

    `groups` share one pool of blocks of `block_bytes` each; `in_flight` tokens keep a window's pages busy.
    `bytes_per_token` is the whole model's, unsharded: keys and values of every layer that caches them, windows as if full;
    `bytes_per_token_per_gpu` the same on one GPU of the binding stage. Neither counts a sparse indexer or a recurrent state.
    `state_bytes_per_sequence` is what the recurrent layers of that stage keep for a sequence of any length.
    """

    groups: tuple[Group, ...]
    block_bytes: int
    in_flight: int
    max_model_len: int
    version: Version
    bytes_per_token: int
    bytes_per_token_per_gpu: int
    state_bytes_per_sequence: int

    @cached_property
    def block_size(self) -> int:
        """Tokens in a block of the group with the smallest."""
        return min((group.spec.block_size for group in self.groups), default=DEFAULT_BLOCK_SIZE)

    def blocks(self, kv_bytes: int) -> int:
        """Blocks in a cache of `kv_bytes`; the first of them is never handed out."""
        return max(0, kv_bytes) // self.block_bytes if self.block_bytes else 1

    def request_pages(self, context: int) -> int:
        """Blocks that a request of `context` tokens takes from the pool."""
        return sum(group.spec.pages(context, self.in_flight) for group in self.groups)

    def request_bytes(self, context: int) -> int:
        """Bytes that a request of `context` tokens takes."""
        return self.request_pages(context) * self.block_bytes

    def concurrency(self, kv_bytes: int, context: int) -> float:
        """Requests of `context` tokens that fit at once, as vLLM logs it."""
        return self.blocks(kv_bytes) / max(1, self.request_pages(context))

    def tokens(self, kv_bytes: int) -> int:
        """What that version logs as "GPU KV cache size" for a cache of `kv_bytes`."""
        if not self.groups:
            return 0
        if self.version >= LOGS_CONCURRENCY:
            return int(self.concurrency(kv_bytes, self.max_model_len) * self.max_model_len)
        return self.blocks(kv_bytes) // len(self.groups) * self.block_size

    def fits_one(self, kv_bytes: int, context: int) -> bool:
        """Whether vLLM starts: one request of `context` tokens fits beside the block that is held back."""
        held_back = self.block_bytes if self.version >= HOLDS_BACK_NULL_BLOCK else 0
        return 0 < kv_bytes - held_back >= self.request_bytes(context)

    def max_context(self, kv_bytes: int, limit: int) -> int:
        """The most tokens, up to `limit`, of which one request fits; 0 when not even one token does."""
        low, high = 0, limit
        while low < high:
            middle = (low + high + 1) // 2
            low, high = (middle, high) if self.fits_one(kv_bytes, middle) else (low, middle - 1)
        return low


def cache_layout(launch: Launch) -> CacheLayout:
    """The pages that vLLM of that version would give each layer of the launch's model."""
    rules = PageRules(launch.block_size or DEFAULT_BLOCK_SIZE, launch.tp, kv_dtype(launch))
    placed = _placed(launch)
    groups = grouped(merged((page_spec(cache, rules), layers) for cache, layers in placed.items()), launch.version)
    stages = stage_bounds(len(launch.shape.layers), launch.pp)
    stage = max(stages, key=lambda stage: _block_bytes(groups, stage))
    whole = PageRules(1, 1, rules.kv_dtype)
    sharded = PageRules(1, launch.tp, rules.kv_dtype)
    return CacheLayout(
        groups=groups,
        block_bytes=_block_bytes(groups, stage),
        in_flight=tokens_in_flight(launch),
        max_model_len=launch.max_model_len,
        version=launch.version,
        bytes_per_token=sum(token_bytes(cache, whole) * len(layers) for cache, layers in placed.items()),
        bytes_per_token_per_gpu=sum(
            token_bytes(cache, sharded) * count_within(layers, stage) for cache, layers in placed.items()
        ),
        state_bytes_per_sequence=sum(
            state_bytes(cache, launch.tp) * count_within(layers, stage)
            for cache, layers in placed.items()
            if isinstance(cache, RecurrentState)
        ),
    )


def kv_dtype(launch: Launch) -> str:
    """The KV dtype that vLLM stores: the launch's, the checkpoint's own, or the model's."""
    for dtype in (launch.kv_cache_dtype, launch.shape.kv_cache_dtype):
        if dtype != "auto":
            return dtype
    return launch.dtype


def _placed(launch: Launch) -> dict[Cache, tuple[int, ...]]:
    """Each different cache with the layers that have it."""
    placed: dict[Cache, list[int]] = {}
    for index, layer in enumerate(launch.shape.layers):
        for cache in layer.caches:
            placed.setdefault(cache, []).append(index)
    return {cache: tuple(layers) for cache, layers in placed.items()}


def _block_bytes(groups: tuple[Group, ...], stage: tuple[int, int]) -> int:
    return max((group.block_bytes(stage) for group in groups), default=0)
