"""What a pool of blocks holds: how each vLLM version counts a request, checks its start and logs its capacity."""

from dataclasses import dataclass

from knowledge.memory.groups import Group
from knowledge.versions import Version

LOGS_CONCURRENCY = Version(0, 20, 1)  # "GPU KV cache size" is concurrency × max_model_len; before, blocks × block size
COUNTS_PADDING = Version(0, 14)  # the start-up check counts the pages of padding layers too
COUNTS_PAGES = Version(0, 27)  # a request's blocks are its groups' pages; before, their bytes over the first group's
HOLDS_BACK_NULL_BLOCK = Version(0, 29)  # the start-up check leaves out the block that the pool never hands out


@dataclass(frozen=True, slots=True)
class Pool:
    """Blocks of `block_bytes` for `groups` on the pipeline stage that binds.

    In the concurrency a page of a group counts as its `weights` over the first one; in the start-up check it takes its `check_bytes`.
    """

    groups: tuple[Group, ...]
    block_bytes: int
    weights: tuple[int, ...]
    check_bytes: tuple[int, ...]

    def request_blocks(self, pages: tuple[int, ...]) -> int:
        """Blocks of a request that takes so many pages of each group."""
        if not pages:
            return 0
        return -(-sum(count * weight for count, weight in zip(pages, self.weights, strict=True)) // self.weights[0])

    def needed_bytes(self, pages: tuple[int, ...]) -> int:
        """Bytes that the start-up check wants for such a request."""
        return sum(count * size for count, size in zip(pages, self.check_bytes, strict=True))


def binding_pool(
    groups: tuple[Group, ...], stages: tuple[tuple[int, int], ...], version: Version
) -> tuple[Pool, tuple[int, int]]:
    """The pool of the stage whose blocks are largest, and that stage."""
    stage = max(stages, key=lambda stage: _block_bytes(groups, stage, version))
    return _pool(groups, stage, version), stage


def _pool(groups: tuple[Group, ...], stage: tuple[int, int], version: Version) -> Pool:
    size = _block_bytes(groups, stage, version)
    packed = len(groups) > 1 and any(len(group.members) > 1 for group in groups)
    own = tuple(group.block_bytes(stage) for group in groups)
    weights = own if packed and version < COUNTS_PAGES else (1,) * len(groups)
    if packed and version < HOLDS_BACK_NULL_BLOCK:
        check = (_tuple_bytes(groups, stage),) * len(groups)
    else:
        check = (size,) * len(groups) if version >= COUNTS_PADDING else own
    return Pool(groups, size, weights, check)


def _block_bytes(groups: tuple[Group, ...], stage: tuple[int, int], version: Version) -> int:
    """The widest group's, or before groups could be packed the sum over page sizes of the most pages that a group has."""
    if version >= COUNTS_PAGES:
        return max((group.block_bytes(stage) for group in groups), default=0)
    most: dict[int, int] = {}
    for group in groups:
        for size, count in group.page_counts(stage).items():
            most[size] = max(most.get(size, 0), count)
    return sum(size * count for size, count in most.items())


def _tuple_bytes(groups: tuple[Group, ...], stage: tuple[int, int]) -> int:
    """One page of each size that the first group has, as often as the group with most layers of a size needs it."""
    most = max(count for group in groups for count in group.page_counts(stage).values())
    return most * sum(groups[0].page_counts(stage))
