"""Which layers attend to a sliding window only, and how wide it is."""

from collections.abc import Callable, Sequence
from typing import Any

from knowledge.shapes.fields import LARGEST, Fields, refuse, whole
from knowledge.shapes.layers import Cache, FullAttention, SlidingWindow

SLIDING_WORDS = frozenset({"sliding_attention", "sliding_window_attention", "local_attention", "swa"})
MAX_POSITIONS = ("max_position_embeddings", "n_positions", "max_seq_len", "seq_length", "model_max_length")

Slides = Callable[[int], bool]  # does layer i (from 0) slide


def every(layer: int) -> bool:
    """All layers slide (Mistral 0.1, StarCoder2, Phi-3)."""
    return True


def every_other(layer: int) -> bool:
    """Layers 0, 2, 4 … slide (Gemma-2, gpt-oss)."""
    return layer % 2 == 0


def all_but_each(period: int) -> Slides:
    """All but each `period`-th layer slide (Gemma-3: 6; Cohere2, Olmo-3: 4)."""
    return lambda layer: (layer + 1) % period != 0


def read_window(config: Fields) -> int | None:
    """The window in tokens, None when the model does not use one: not set, switched off, or as wide as its context."""
    window = config.optional("sliding_window", "sliding_window_size", low=0)
    if not window or not config.flag("use_sliding_window", fallback=True):
        return None
    longest = config.optional(*MAX_POSITIONS)
    return None if longest is not None and window >= longest else window


def read_windows(config: Fields, layers: int, implied: Slides) -> list[int | None]:
    """For each layer its window, None where it attends to everything. `implied` is the class's rule when the file gives none."""
    window = read_window(config)
    if window is None:
        return [None] * layers
    slides = _said_by_layer(config, layers) or _said_by_pattern(config, layers)
    if slides is None:
        first = config.optional("max_window_layers", low=0) if "use_sliding_window" in config else None
        slides = [implied(layer) and (first is None or layer >= first) for layer in range(layers)]
    return [window if slide else None for slide in slides]


def _said_by_layer(config: Fields, layers: int) -> list[bool] | None:
    kinds = config.per_layer("layer_types", layers)
    return None if kinds is None else [kind in SLIDING_WORDS for kind in kinds]


def _said_by_pattern(config: Fields, layers: int) -> list[bool] | None:
    pattern: Any = config.raw("sliding_window_pattern")
    if pattern is None:
        return None
    if isinstance(pattern, str):
        return _letters(pattern, layers)
    period = whole("sliding_window_pattern", pattern, 1, LARGEST)
    return [all_but_each(period)(layer) for layer in range(layers)]


def _letters(pattern: str, layers: int) -> list[bool]:
    """`LLLG`: L slides, G is global, repeated over the layers; EXAONE's last layer is always global."""
    if not pattern or not set(pattern) <= {"L", "G"}:
        raise refuse("sliding_window_pattern", pattern, "which is not made of L and G")
    return [pattern[layer % len(pattern)] == "L" and layer != layers - 1 for layer in range(layers)]


def attention_caches(
    windows: Sequence[int | None], kv_heads: int, head_size: int, value_size: int | None = None
) -> list[tuple[Cache, ...]]:
    """What each layer caches: a window where there is one, else everything."""
    value_size = head_size if value_size is None else value_size
    full: tuple[Cache, ...] = (FullAttention(kv_heads, head_size, value_size),)
    return [full if window is None else (SlidingWindow(kv_heads, head_size, value_size, window),) for window in windows]
