"""Layers into groups of equal page bytes that share one pool of blocks, as each vLLM version does it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from knowledge.memory.page_sizes import Kind, PageSpec
from knowledge.memory.stages import count_within
from knowledge.versions import Version

SEPARATE_WINDOWS = Version(0, 9, 1)  # before: one group, windows cached like full attention
MIXED_SIZES = Version(0, 12)  # before: only layers with equal pages could be grouped
WIDER_TOLERANCE = Version(0, 18)  # 1.5, before 1.25
TOLERANCE_SINCE = Version(0, 12)

Members = Mapping[PageSpec, tuple[int, ...]]  # which layers have that cache, in order


@dataclass(frozen=True, slots=True)
class Group:
    """Layers with one block table. `members` are its caches with the layers that have them."""

    members: tuple[tuple[PageSpec, tuple[int, ...]], ...]

    @property
    def spec(self) -> PageSpec:
        """Any of its caches: all of them need the same number of pages."""
        return self.members[0][0]

    def block_bytes(self, stage: tuple[int, int]) -> int:
        """Bytes of one block over the layers of a pipeline stage."""
        return sum(spec.page_bytes * count_within(layers, stage) for spec, layers in self.members)


def grouped(members: Members, version: Version) -> tuple[Group, ...]:
    """The groups of a whole model; empty for one without a cache."""
    if version < SEPARATE_WINDOWS:
        members = merged((_as_full(spec), layers) for spec, layers in members.items())
    if not members:
        return ()
    if _one_type(members):
        return (Group(tuple(members.items())),)
    return _equal_groups(_equal_pages(members), version)


def _as_full(spec: PageSpec) -> PageSpec:
    return replace(spec, kind=Kind.FULL, reach=0) if spec.kind in (Kind.WINDOW, Kind.CHUNK) else spec


def merged(pairs: Iterable[tuple[PageSpec, tuple[int, ...]]]) -> dict[PageSpec, tuple[int, ...]]:
    merged: dict[PageSpec, tuple[int, ...]] = {}
    for spec, layers in pairs:
        merged[spec] = tuple(sorted(merged.get(spec, ()) + layers))
    return merged


def _one_type(members: Members) -> bool:
    """Whether every cache needs the same number of pages, whatever their sizes."""
    return len({(spec.kind, spec.block_size, spec.reach) for spec in members}) == 1


def _equal_pages(members: Members) -> Members:
    """Raises the tokens in the smaller pages to the largest page, or pads them where that does not divide."""
    largest = max(spec.page_bytes for spec in members)
    return merged((_enlarged(spec, largest), layers) for spec, layers in members.items())


def _enlarged(spec: PageSpec, largest: int) -> PageSpec:
    if spec.page_bytes == largest:
        return spec
    if spec.kind is Kind.STATE or largest % spec.page_bytes:
        return spec.padded_to(largest)
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
