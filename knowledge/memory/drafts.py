"""The caches that speculative decoding adds: a draft's layers stand on the last pipeline stage, after the model's own."""

from knowledge.launch import Launch
from knowledge.shapes.layers import Cache, CompressedAttention, Layer, RecurrentState

ONE_LAYER_HEADS = frozenset({"eagle", "eagle3"})


def draft_caches(launch: Launch) -> tuple[Cache, ...]:
    """What the draft caches, layer by layer; nothing without one (n-gram).

    A draft with a shape of its own has that shape's layers. An EAGLE head without one is a layer like the model's last
    attention, MTP as many of those as the checkpoint has MTP layers (DeepSeek-V4's keep a window alone).
    """
    speculation = launch.speculation
    if speculation is None:
        return ()
    if speculation.draft is not None:
        return tuple(cache for layer in speculation.draft.layers for cache in layer.caches)
    if speculation.method in ONE_LAYER_HEADS:
        return _like_the_last(launch.shape.layers)
    return _like_the_last(launch.shape.layers) * max(1, launch.shape.mtp_layers) if speculation.method == "mtp" else ()


def _like_the_last(layers: tuple[Layer, ...]) -> tuple[Cache, ...]:
    """The last attention layer's caches, of those that cache most: an MTP layer always has its own indexer (GLM-5.2)."""
    attention = (
        tuple(_alone(cache) for cache in layer.caches if not isinstance(cache, RecurrentState))
        for layer in reversed(layers)
    )
    return max(attention, key=len, default=())


def _alone(cache: Cache) -> Cache:
    if isinstance(cache, CompressedAttention):
        return CompressedAttention(1, cache.window, cache.bytes_per_entry)
    return cache
