"""Telling shapes apart by identity: they hold dicts and hundreds of layers, so what is computed from one is cached by which it is."""

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
