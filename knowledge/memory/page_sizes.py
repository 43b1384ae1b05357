"""The page of one cache: how many tokens it covers and how many bytes one GPU spends on it."""

from dataclasses import dataclass, replace
from enum import StrEnum
from math import ceil
from typing import assert_never

from knowledge.shapes.layers import (
    Cache,
    ChunkedAttention,
    CompressedAttention,
    FullAttention,
    LatentAttention,
    RecurrentState,
    SlidingWindow,
    SparseIndexer,
)


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
    the pages that a sequence holds; 0 for full attention. `padded` marks pages larger than their content.
    `latent` marks MLA's caches, which vLLM neither pads nor shares with others.
    """

    kind: Kind
    block_size: int
    page_bytes: int
    reach: int = 0
    latent: bool = False
    padded: bool = False

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

    def padded_to(self, page_bytes: int) -> "PageSpec":
        """The same cache in a larger page."""
        return replace(self, page_bytes=page_bytes, padded=True)


@dataclass(frozen=True, slots=True)
class PageRules:
    """What decides the size of a page: the launch's block size in tokens, TP, and the KV dtype (vLLM's word)."""

    block_size: int
    tp: int
    kv_dtype: str


def element_bytes(kv_dtype: str) -> int:
    """Bytes of one key or value element of an unpacked KV dtype."""
    if kv_dtype == "float32":
        return 4
    return 1 if kv_dtype.startswith(("fp8", "int8")) else 2


def vector_bytes(size: int, kv_dtype: str) -> int:
    """Bytes of `size` elements of one head and token. nvfp4 packs two a byte with one fp8 scale for 16 (vLLM since 0.19)."""
    if kv_dtype.startswith("nvfp4"):
        return size // 2 + size // 16
    return size * element_bytes(kv_dtype)


def page_spec(cache: Cache, rules: PageRules) -> PageSpec:
    """`cache` under `rules`."""
    match cache:
        case FullAttention():
            return PageSpec(Kind.FULL, rules.block_size, rules.block_size * token_bytes(cache, rules))
        case SlidingWindow(window=window):
            return PageSpec(Kind.WINDOW, rules.block_size, rules.block_size * token_bytes(cache, rules), window)
        case ChunkedAttention(chunk=chunk):
            return PageSpec(Kind.CHUNK, rules.block_size, rules.block_size * token_bytes(cache, rules), chunk)
        case LatentAttention(latent_size=size):
            return PageSpec(
                Kind.FULL, rules.block_size, rules.block_size * vector_bytes(size, rules.kv_dtype), latent=True
            )
        case SparseIndexer(bytes_per_token=size):
            return PageSpec(Kind.FULL, rules.block_size, rules.block_size * size, latent=True)
        case CompressedAttention():
            return PageSpec(
                Kind.FULL,
                rules.block_size,
                ceil(rules.block_size / max(1, cache.ratio)) * cache.bytes_per_entry,
                latent=True,
            )
        case RecurrentState():
            return PageSpec(Kind.STATE, rules.block_size, state_bytes(cache, rules.tp), reach=1)
    assert_never(cache)


def state_bytes(state: RecurrentState, tp: int) -> int:
    """Bytes of one sequence's state in one layer on one of `tp` GPUs."""
    return sum(elements // tp * size for elements, size in state.parts)


def token_bytes(cache: Cache, rules: PageRules) -> int:
    """Bytes of one token's keys and values (or latent) in one layer on one GPU; 0 for indexers and recurrent states."""
    match cache:
        case FullAttention() | SlidingWindow() | ChunkedAttention():
            return _head_bytes(cache, rules)
        case LatentAttention(latent_size=size):
            return vector_bytes(size, rules.kv_dtype)
        case CompressedAttention(ratio=ratio, bytes_per_entry=size):
            return size // max(1, ratio)
        case SparseIndexer() | RecurrentState():
            return 0
    assert_never(cache)


def _head_bytes(cache: FullAttention | SlidingWindow | ChunkedAttention, rules: PageRules) -> int:
    """One token's keys and values; KV heads that are fewer than the GPUs are repeated."""
    heads = max(1, cache.kv_heads // rules.tp)
    return heads * (vector_bytes(cache.head_size, rules.kv_dtype) + vector_bytes(cache.value_head_size, rules.kv_dtype))
