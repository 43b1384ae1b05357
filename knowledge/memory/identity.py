"""Telling shapes apart by identity: they hold dicts and hundreds of layers, so what is computed from one is cached by which it is."""

from functools import lru_cache

from knowledge.shapes.model import ModelShape


class Same:
    """A shape as a cache key: equal only to itself."""

    __slots__ = ("shape",)

    def __init__(self, shape: ModelShape) -> None:
        self.shape = shape

    def __hash__(self) -> int:
        return id(self.shape)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self.shape is other.shape


def cache_kinds(shape: ModelShape) -> frozenset[type]:
    """Which kinds of cache any of its layers has."""
    return _kinds(Same(shape))


@lru_cache(maxsize=1024)
def _kinds(same: Same) -> frozenset[type]:
    return frozenset(type(cache) for layer in same.shape.layers for cache in layer.caches)
