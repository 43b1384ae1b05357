"""KV cache per token: the formula with the model's own numbers, and what contexts take."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import assert_never

from bot.answers.facts import short_name
from bot.answers.fit import assumed_line, sources_line
from bot.settings import Language
from bot.sheet import Menu, Sheet, Table
from bot.text.figures import count, size
from bot.text.phrases import say
from knowledge.fit.estimate import Estimate
from knowledge.memory.kv_dtypes import latent_bytes, vector_bytes
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
from knowledge.shapes.model import ModelShape

CONTEXTS = (8192, 32_768, 131_072)
Attention = FullAttention | SlidingWindow | ChunkedAttention


def kv_sheet(estimate: Estimate, shape: ModelShape, dtype: str, context: int | None, language: Language) -> Sheet:
    """The answer for one model. `dtype` is what the cache is stored in, `context` the asked one (None: usual ones are shown)."""
    per_token = estimate.kv_bytes_per_token
    known = {"model": short_name(shape.model_id), "size": size(per_token), "bytes": per_token, "dtype": dtype}
    known |= {"context": context, "total": size(held(shape, dtype, context))} if context else {}
    phrase = "lead_none" if not per_token else "lead_context" if context else "lead"
    windowed = any(isinstance(cache, SlidingWindow | ChunkedAttention) for cache in _kinds(shape))
    lengths = [context] if context else [each for each in CONTEXTS if each <= shape.max_context]
    return Sheet(
        lead=say(language, f"kv.{phrase}", **known),
        figures=(
            *((say(language, "kv.label_formula"), line) for line in formula(shape, dtype, language)),
            *_sizes(per_token, language),
            *((say(language, "kv.label_context", context=each), size(held(shape, dtype, each))) for each in lengths),
        ),
        notes=(say(language, "kv.note_window"),) if windowed else (),
        assumed=assumed_line(estimate, language, skip=("weight_quant",)),
        sources=sources_line(estimate, language),
        menus=(Menu.MODEL,),
    )


def kv_table(estimates: Sequence[Estimate], language: Language) -> Sheet:
    """The common models, where none was named."""
    heads = ("choices.column_model", "kv.column_token", "kv.column_thousand")
    rows = tuple(
        (short_name(one.model_id), size(one.kv_bytes_per_token), size(one.kv_bytes_per_token * 1024))
        for one in estimates
    )
    table = Table(columns=tuple(say(language, head) for head in heads), rows=rows)
    return Sheet(lead=say(language, "kv.table_lead"), table=table, menus=(Menu.MODEL,))


def formula(shape: ModelShape, dtype: str, language: Language) -> Iterator[str]:
    """One line for each kind of cache that the model's layers have, most layers first."""
    for cache, layers in _kinds(shape).most_common():
        yield _line(cache, layers, dtype, language)


def held(shape: ModelShape, dtype: str, context: int) -> int:
    """Bytes that one sequence of `context` tokens keeps in the whole model, without the rounding to blocks."""
    return sum(layers * _held_by(cache, dtype, context) for cache, layers in _kinds(shape).items())


def _kinds(shape: ModelShape) -> Counter[Cache]:
    return Counter(cache for layer in shape.layers for cache in layer.caches)


def _held_by(cache: Cache, dtype: str, context: int) -> int:
    match cache:
        case FullAttention():
            return context * _vectors(cache, dtype)
        case SlidingWindow():
            return min(context, cache.window) * _vectors(cache, dtype)
        case ChunkedAttention():
            return min(context, cache.chunk) * _vectors(cache, dtype)
        case LatentAttention():
            return context * latent_bytes(cache.latent_size, dtype)
        case SparseIndexer():
            return context * cache.bytes_per_token
        case CompressedAttention():
            entries = context // cache.ratio if cache.ratio else 0
            window = min(context, cache.window) * cache.bytes_per_entry
            return entries * (cache.bytes_per_entry + cache.indexer_bytes_per_entry) + window
        case RecurrentState():
            return sum(elements * element for elements, element in cache.parts)
    assert_never(cache)


def _vectors(cache: Attention, dtype: str) -> int:
    """Bytes of one token's keys and values in one layer."""
    return cache.kv_heads * (vector_bytes(cache.head_size, dtype) + vector_bytes(cache.value_head_size, dtype))


def _sizes(per_token: int, language: Language) -> Iterator[tuple[str, str]]:
    if per_token:
        yield say(language, "kv.label_token"), size(per_token)
        yield say(language, "kv.label_thousand"), size(per_token * 1024)


def _line(cache: Cache, layers: int, dtype: str, language: Language) -> str:
    match cache:
        case FullAttention():
            return _attention("full", cache, layers, dtype, language)
        case SlidingWindow():
            return _attention("window", cache, layers, dtype, language, reach=cache.window)
        case ChunkedAttention():
            return _attention("chunk", cache, layers, dtype, language, reach=cache.chunk)
        case LatentAttention():
            each = latent_bytes(cache.latent_size, dtype)
            known = {"layers": layers, "latent": cache.latent_size, "bytes": layers * each}
            return say(language, "kv.latent", dtype_bytes=_bytes(each, cache.latent_size), **known)
        case SparseIndexer():
            return say(
                language, "kv.indexer", layers=layers, each=cache.bytes_per_token, bytes=layers * cache.bytes_per_token
            )
        case CompressedAttention():
            return say(
                language,
                "kv.compressed",
                layers=layers,
                each=cache.bytes_per_entry,
                ratio=cache.ratio,
                reach=cache.window,
            )
        case RecurrentState():
            return say(language, "kv.state", layers=layers, size=size(layers * _held_by(cache, dtype, 0)))
    assert_never(cache)


def _attention(
    phrase: str,
    cache: Attention,
    layers: int,
    dtype: str,
    language: Language,
    reach: int = 0,
) -> str:
    head = vector_bytes(cache.head_size, dtype)
    value = vector_bytes(cache.value_head_size, dtype)
    same = head == value
    return say(
        language,
        f"kv.{phrase}",
        two="2 × " if same else "",
        layers=layers,
        kv_heads=cache.kv_heads,
        head=count(cache.head_size) if same else f"({cache.head_size} + {cache.value_head_size})",
        dtype_bytes=_bytes(head, cache.head_size),
        bytes=layers * _vectors(cache, dtype),
        reach=reach,
    )


def _bytes(taken: int, elements: int) -> str:
    return f"{taken / elements:.4g} B"
