"""Where one GPU's memory goes: the bar that explains an estimate."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from bot.settings import Language
from bot.text.figures import gib
from bot.text.phrases import say
from knowledge.fit.estimate import Estimate
from knowledge.memory.per_gpu import PerGpu


class Use(StrEnum):
    """What a piece of the memory is for, from the left of the bar to its right."""

    WEIGHTS = "weights"
    ACTIVATION = "activation"
    OVERHEADS = "overheads"
    ASKED = "asked"
    CACHE = "cache"
    SHORT = "short"
    OUTSIDE = "outside"


@dataclass(frozen=True, slots=True)
class Piece:
    """One piece, GiB."""

    use: Use
    gib: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryBar:
    """The bar of one GPU. GiB; `pieces` stand side by side and add up to `total`, or to more where it does not fit.

    `budget` is what vLLM may use. `asked` is what the asked requests of `context` tokens take of the cache.
    """

    model: str
    gpu: str
    context: int
    concurrency: int
    total: float
    budget: float
    asked: float
    pieces: tuple[Piece, ...]

    @property
    def length(self) -> float:
        """What the whole bar stands for: the card, or more where more is needed."""
        return max(self.total, sum(piece.gib for piece in self.pieces))


def memory_bar(estimate: Estimate) -> MemoryBar | None:
    """The bar of an estimate; None for one without a GPU."""
    memory = estimate.per_gpu
    if memory is None or estimate.gpu is None:
        return None
    asked = (estimate.kv_gib_per_request or 0.0) * max(1, estimate.concurrency) / max(1, estimate.dp or 1)
    return MemoryBar(
        model=estimate.model_id,
        gpu=estimate.gpu,
        context=estimate.context,
        concurrency=estimate.concurrency,
        total=memory.total.expected,
        budget=memory.budget.expected,
        asked=asked,
        pieces=tuple(piece for piece in _pieces(memory, asked) if piece.gib > 0),
    )


def _pieces(memory: PerGpu, asked: float) -> Iterator[Piece]:
    """What stands side by side: the asked requests first in the cache; what they lack reaches beyond the budget's line."""
    cache = max(0.0, memory.kv_cache.expected)
    yield Piece(Use.WEIGHTS, memory.weights.expected)
    yield Piece(Use.ACTIVATION, memory.activation.expected)
    yield Piece(Use.OVERHEADS, memory.non_torch.expected + memory.cuda_graphs.expected)
    yield Piece(Use.ASKED, min(asked, cache))
    yield Piece(Use.CACHE, cache - asked)
    yield Piece(Use.SHORT, asked - cache)
    if memory.kv_cache.expected >= asked:
        yield Piece(Use.OUTSIDE, memory.total.expected - memory.budget.expected)


def label(use: Use, bar: MemoryBar, language: Language) -> str:
    """What a piece is called."""
    return say(language, f"charts.{use}", context=bar.context, concurrency=bar.concurrency)


def title(bar: MemoryBar, language: Language) -> str:
    """The line above the bar."""
    return say(language, "charts.title", gpu=bar.gpu, total=bar.total, budget=bar.budget)


def in_words(bar: MemoryBar, language: Language) -> str:
    """The bar for who does not see it."""
    pieces = [f"{label(piece.use, bar, language)} {gib(piece.gib)}" for piece in bar.pieces]
    return say(language, "charts.told", title=title(bar, language), pieces=pieces)
