"""Tokens in a block of attention's cache: what the backend takes, raised until a recurrent state fits into a page."""

from collections.abc import Iterable

from knowledge.launch import Launch
from knowledge.memory.kv_dtypes import BLACKWELL
from knowledge.shapes.layers import Cache, CompressedAttention, LatentAttention, SparseIndexer
from knowledge.versions import Version

DEFAULT = 16
COMPRESSED = 256  # DeepSeek-V4
SPARSE = {True: 64, False: 128}  # the indexer's kernels: of MLA, and of plain attention (MiniMax-M3: one block a page)
HOPPER = 9
ASKS_THE_BACKEND = Version(0, 20)  # before, MLA's block size was set by the card
FLASHINFER_MLA = Version(0, 12)  # Blackwell's first choice, before CUTLASS
ALIGNS_MLA_TO_128 = Version(0, 27)
WIDE_HEADS_ON_BLACKWELL = (Version(0, 12), Version(0, 20))  # FlashInfer took no head of 256 with a block of 16


def base_block_size(launch: Launch, caches: Iterable[Cache]) -> int:
    """The stated block size, or what the backend of that card and version takes."""
    kinds = {type(cache) for cache in caches}
    if CompressedAttention in kinds:
        return COMPRESSED
    if SparseIndexer in kinds:
        return max(launch.block_size or 0, SPARSE[LatentAttention in kinds])
    if launch.block_size:
        return launch.block_size
    return _mla_block_size(launch) if LatentAttention in kinds else DEFAULT


def _major(launch: Launch) -> int:
    capability = launch.gpu.compute_capability if launch.gpu is not None else None
    return capability[0] if capability else 0


def _mla_block_size(launch: Launch) -> int:
    """FlashMLA takes 64, CUTLASS 128, FlashInfer 32 or 64; the others any multiple of 16."""
    major, asks = _major(launch), launch.version >= ASKS_THE_BACKEND
    if major == BLACKWELL:
        if asks:
            return 32
        return 64 if launch.version >= FLASHINFER_MLA else 128
    return 64 if major == HOPPER and not asks else DEFAULT


def aligned_block_size(
    launch: Launch, base: int, attention_token_bytes: int, state_page_bytes: int, *, mla: bool
) -> int:
    """The smallest block, in the kernel's steps and at least `base`, whose page holds a state of `state_page_bytes`."""
    step = _kernel_step(launch, base, mla=mla)
    return max(base, step * -(-state_page_bytes // (step * attention_token_bytes)))


def _kernel_step(launch: Launch, base: int, *, mla: bool) -> int:
    version = launch.version
    if mla:
        if version >= ALIGNS_MLA_TO_128:
            return max(128, base)
        return base if version >= ASKS_THE_BACKEND else 64
    first, past = WIDE_HEADS_ON_BLACKWELL
    if first <= version < past and _major(launch) == BLACKWELL and launch.shape.head_size == 256:
        return 32
    return base if version >= ASKS_THE_BACKEND else DEFAULT
