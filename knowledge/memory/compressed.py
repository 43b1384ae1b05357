"""DeepSeek-V4's pages: compressed latents, their window, the indexer, and the compressors' own states, in one packed pool."""

from collections.abc import Sequence
from fractions import Fraction

from knowledge.memory.groups import Group, Members
from knowledge.memory.page_sizes import Kind, PageSpec
from knowledge.shapes.layers import CompressedAttention
from knowledge.versions import Version

# vllm/models/deepseek_v4 of 0.26 and 0.32: block sizes are fixed, pages are padded to what FlashMLA loads at once.
ALIGNMENT = 576
WINDOW_BLOCK = 64
STATE_BLOCKS = {4: 4, 128: 8}  # by compression ratio
LATENT_SIZE, INDEXER_SIZE = 512, 128
PADS_WINDOWS_UNTIL = Version(0, 27)  # a window's page is raised to the next of the compressed latents' pages
BALANCES_BUCKETS = Version(0, 29)  # only buckets that repeat evenly decide on the size of a group


def compressed_pages(cache: CompressedAttention, block_size: int) -> tuple[PageSpec, ...]:
    """Everything that one such layer keeps, in pages."""
    window = _page(Kind.WINDOW, WINDOW_BLOCK, WINDOW_BLOCK * cache.bytes_per_entry, cache.window)
    if cache.ratio <= 1:
        return (window,)
    entries = block_size // cache.ratio
    latent = _page(Kind.FULL, block_size, entries * cache.bytes_per_entry)
    pages = (window, latent, _compressor(cache.ratio, LATENT_SIZE))
    if not cache.indexer_bytes_per_entry:
        return pages
    indexer = _page(Kind.FULL, block_size, entries * cache.indexer_bytes_per_entry)
    return (*pages, indexer, _compressor(cache.ratio, INDEXER_SIZE))


def _page(kind: Kind, block_size: int, content: int, reach: int = 0) -> PageSpec:
    return PageSpec(kind, block_size, -(-content // ALIGNMENT) * ALIGNMENT, reach)


def _compressor(ratio: int, size: int) -> PageSpec:
    """The tokens that are still being compressed: key and score in float32, twice the ratio where entries overlap (4)."""
    overlap = 2 if ratio == 4 else 1
    block_size = STATE_BLOCKS.get(ratio, 8)
    return _page(Kind.WINDOW, block_size, block_size * 2 * overlap * size * 4, overlap * ratio)


def entry_bytes_per_token(cache: CompressedAttention) -> Fraction:
    """What a token adds to the compressed latents of one such layer, without the window and the indexer."""
    return Fraction(cache.bytes_per_entry, cache.ratio) if cache.ratio > 1 else Fraction(0)


def packed_groups(members: Members, version: Version) -> tuple[Group, ...]:
    """Caches that need equal numbers of pages together; the windows' groups split so that all fill a block alike."""
    buckets = _buckets(_padded(members) if version < PADS_WINDOWS_UNTIL else members)
    repeats = _repeats_per_group(buckets, version)
    return tuple(group for bucket in buckets for group in _split(bucket, repeats, version))


def _padded(members: Members) -> Members:
    sizes = sorted(spec.page_bytes for spec in members if spec.kind is Kind.FULL)
    return {
        PageSpec(
            spec.kind,
            spec.block_size,
            next((size for size in sizes if size >= spec.page_bytes), spec.page_bytes),
            spec.reach,
        ): layers
        for spec, layers in members.items()
    }


def _buckets(members: Members) -> list[Members]:
    """Members by what decides the number of their pages, those that grow with the context first."""
    buckets: dict[tuple[bool, int, int], dict[PageSpec, tuple[int, ...]]] = {}
    for spec, layers in members.items():
        buckets.setdefault((spec.kind is not Kind.FULL, spec.block_size, spec.reach), {})[spec] = layers
    return [buckets[key] for key in sorted(buckets, key=lambda key: key[0])]


def _repeats(bucket: Members) -> int:
    return max(len(layers) for layers in bucket.values())


def _even(bucket: Members) -> bool:
    return len({len(layers) for layers in bucket.values()}) == 1


def _repeats_per_group(buckets: Sequence[Members], version: Version) -> int:
    """The number of layers in a group that pads the buckets least; the largest of equally good ones."""
    if version >= BALANCES_BUCKETS:
        counts = [_repeats(bucket) for bucket in buckets if _even(bucket)]
        floor = max((_repeats(bucket) for bucket in buckets if _even(bucket) and len(bucket) > 1), default=max(counts))
    else:
        counts, floor = [_repeats(bucket) for bucket in buckets], _repeats(buckets[0])
    sizes = range(floor, max(*counts, floor) + 1)
    return min(sizes, key=lambda size: (sum(-count % size for count in counts), -size))


def _split(bucket: Members, repeats: int, version: Version) -> list[Group]:
    grows = next(iter(bucket)).kind is Kind.FULL
    whole = not _even(bucket) if version >= BALANCES_BUCKETS else grows
    count = 1 if whole else -(-_repeats(bucket) // repeats)
    return [Group(tuple((spec, layers[start::count]) for spec, layers in bucket.items())) for start in range(count)]
