"""The page of one cache: how many tokens it covers and how many bytes one GPU spends on it."""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import assert_never

from knowledge.memory.kv_dtypes import latent_bytes, vector_bytes
from knowledge.memory.states import state_bytes
from knowledge.shapes.layers import (
    ChunkedAttention,
    FullAttention,
    LatentAttention,
    RecurrentState,
    SlidingWindow,
    SparseIndexer,
)

# Compressed attention has pages of several kinds, see `compressed`.
OnePage = FullAttention | SlidingWindow | ChunkedAttention | LatentAttention | SparseIndexer | RecurrentState


class Kind(StrEnum):
    """How the number of pages grows with the length of a request."""

    FULL = "full"  # every token
    WINDOW = "window"  # the window and what is in flight
    CHUNK = "chunk"  # one chunk and what is in flight
    STATE = "state"  # constant


@dataclass(frozen=True, slots=True)
class PageSpec:
    """One cache of one layer, as one GPU holds it.

    `block_size` tokens share a page of `page_bytes` (padding included). `reach` is the window or chunk in tokens, for a state
    the pages that a sequence holds; 0 for full attention.
    """

    kind: Kind
    block_size: int
    page_bytes: int
    reach: int = 0

    def pages(self, context: int, in_flight: int) -> int:
        """Pages that a request of `context` tokens may hold while at most `in_flight` of them are being computed."""
        match self.kind:
            case Kind.FULL:
                return -(-context // self.block_size)
            case Kind.WINDOW:
                # One more, since a window rarely starts at the edge of a page.
                return -(-min(self.reach - 1 + in_flight, context) // self.block_size) + 1
            case Kind.CHUNK:
                return -(-min(self.reach + in_flight, context) // self.block_size)
            case Kind.STATE:
                return self.reach
        assert_never(self.kind)

    def stretched(self, ratio: int) -> "PageSpec":
        """The same cache with `ratio` times the tokens, and bytes, in a page."""
        return replace(self, block_size=self.block_size * ratio, page_bytes=self.page_bytes * ratio)


@dataclass(frozen=True, slots=True)
class PageRules:
    """What decides the size of a page.

    `kv_dtype` is vLLM's word. A state takes `state_pages` pages of at least `state_page_bytes` and is counted as covering
    `state_block_size` tokens; speculation of `speculative_tokens` a step lengthens its convolution.
    """

    block_size: int
    tp: int
    kv_dtype: str
    state_block_size: int = 0
    state_page_bytes: int = 0
    state_pages: int = 1
    speculative_tokens: int = 0


def page_spec(cache: OnePage, rules: PageRules) -> PageSpec:
    """`cache` under `rules`."""
    size = rules.block_size
    match cache:
        case FullAttention() | LatentAttention():
            return PageSpec(Kind.FULL, size, size * token_bytes(cache, rules))
        case SparseIndexer(bytes_per_token=indexed):
            return PageSpec(Kind.FULL, size, size * indexed)
        case SlidingWindow(window=window):
            return PageSpec(Kind.WINDOW, size, size * token_bytes(cache, rules), window)
        case ChunkedAttention(chunk=chunk):
            return PageSpec(Kind.CHUNK, size, size * token_bytes(cache, rules), chunk)
        case RecurrentState():
            own = state_bytes(cache, rules.tp, rules.speculative_tokens)
            return PageSpec(Kind.STATE, rules.state_block_size, max(own, rules.state_page_bytes), rules.state_pages)
    assert_never(cache)


def token_bytes(cache: OnePage, rules: PageRules) -> int:
    """Bytes of one token's keys and values (or latent) in one layer on one GPU; 0 for indexers and recurrent states.

    KV heads that are fewer than the GPUs are repeated; a latent is whole on every GPU.
    """
    match cache:
        case FullAttention() | SlidingWindow() | ChunkedAttention():
            heads = max(1, cache.kv_heads // rules.tp)
            return heads * sum(vector_bytes(size, rules.kv_dtype) for size in (cache.head_size, cache.value_head_size))
        case LatentAttention(latent_size=size):
            return latent_bytes(size, rules.kv_dtype)
        case SparseIndexer() | RecurrentState():
            return 0
    assert_never(cache)
