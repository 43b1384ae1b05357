"""Layers into groups that share one pool of blocks, as each vLLM version does it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from knowledge.memory.page_sizes import Kind, PageSpec
from knowledge.memory.stages import count_within
from knowledge.versions import Version

# Read in vllm/v1/core/kv_cache_utils.py of every release named here and the one before it.
SEPARATE_WINDOWS = Version(0, 9, 1)  # before, one group: windows were cached like full attention
SEPARATE_CHUNKS = Version(0, 14)  # before, off by default for its latency
TOLERANCE_SINCE = Version(0, 12)  # nearly as many layers of two kinds are padded to equal numbers: 1.25 times as many …
WIDER_TOLERANCE = Version(0, 18)  # … then 1.5

Members = Mapping[PageSpec, tuple[int, ...]]  # the layers that have each cache, ascending


@dataclass(frozen=True, slots=True)
class Group:
    """Layers with one block table. `members` are its caches with the layers that have them."""

    members: tuple[tuple[PageSpec, tuple[int, ...]], ...]

    @property
    def spec(self) -> PageSpec:
        """Any of its caches: all of them need the same number of pages."""
        return self.members[0][0]

    def page_counts(self, stage: tuple[int, int]) -> dict[int, int]:
        """How many pages of each size a block has over the layers of a pipeline stage."""
        counts: dict[int, int] = {}
        for spec, layers in self.members:
            counts[spec.page_bytes] = counts.get(spec.page_bytes, 0) + count_within(layers, stage)
        return counts

    def block_bytes(self, stage: tuple[int, int]) -> int:
        """Bytes of one block over the layers of a pipeline stage."""
        return sum(spec.page_bytes * count_within(layers, stage) for spec, layers in self.members)


def grouped(members: Members, version: Version) -> tuple[Group, ...]:
    """The groups of a whole model; empty for one without a cache."""
    members = merged((_as_cached(spec, version), layers) for spec, layers in members.items())
    if not members:
        return ()
    if _one_type(members):
        return (Group(tuple(members.items())),)
    return _equal_groups(_equal_pages(members), version)


def _as_cached(spec: PageSpec, version: Version) -> PageSpec:
    since = {Kind.WINDOW: SEPARATE_WINDOWS, Kind.CHUNK: SEPARATE_CHUNKS}.get(spec.kind)
    return replace(spec, kind=Kind.FULL, reach=0) if since and version < since else spec


def merged(pairs: Iterable[tuple[PageSpec, tuple[int, ...]]]) -> dict[PageSpec, tuple[int, ...]]:
    """`pairs` with the layers of equal caches together."""
    together: dict[PageSpec, tuple[int, ...]] = {}
    for spec, layers in pairs:
        together[spec] = tuple(sorted(together[spec] + layers)) if spec in together else layers
    return together


def _one_type(members: Members) -> bool:
    """Whether every cache needs the same number of pages, whatever their sizes."""
    return len({(spec.kind, spec.block_size, spec.reach) for spec in members}) == 1


def _equal_pages(members: Members) -> Members:
    """Raises the tokens in the smaller pages to the largest page, or pads them where that does not divide."""
    largest = max(spec.page_bytes for spec in members)
    return merged((_enlarged(spec, largest), layers) for spec, layers in members.items())


def _enlarged(spec: PageSpec, largest: int) -> PageSpec:
    if spec.kind is Kind.STATE or largest % spec.page_bytes:
        return replace(spec, page_bytes=largest)
    return spec.stretched(largest // spec.page_bytes)


def _equal_groups(members: Members, version: Version) -> tuple[Group, ...]:
    size = _group_size([len(layers) for layers in members.values()], version)
    groups = []
    for spec, layers in members.items():
        count = -(-len(layers) // size)
        groups += [Group(((spec, layers[start::count]),)) for start in range(count)]
    return tuple(groups)


def _group_size(counts: list[int], version: Version) -> int:
    """Layers of a group: the rarest kind's, or the commonest's when they are nearly as many, to pad little."""
    tolerance = 1.5 if version >= WIDER_TOLERANCE else 1.25
    if version >= TOLERANCE_SINCE and max(counts) < min(counts) * tolerance:
        return max(counts)
    return min(counts)
