"""Questions to think about first and reveal then: written ones, and ones made of the entries; figures are computed when they are shown."""

import random
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from math import floor, log10
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from knowledge.entries.loading import every, find
from knowledge.entries.schema import Language, Release
from knowledge.fit.request import FitRequest
from knowledge.units import GIB, MIB

if TYPE_CHECKING:
    from knowledge.entries.schema import Entry

FILE = Path(__file__).parent / "data" / "quiz.toml"
FIRST = 3  # questions that every quiz begins with
DIGITS = 2  # of estimated tokens that are shown
Line = Annotated[str, Field(min_length=1)]


class Part(BaseModel):
    """A table of the file: frozen, unknown keys refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Both(Part):
    """The same in both languages. `{name.figure}` in it stands for a computed figure."""

    en: Line
    zh: Line

    def text(self, language: Language) -> str:
        """In that language."""
        return self.en if language == "en" else self.zh


class KvFigures(Part):
    """The KV cache of a model: what the estimator is asked. `tokens` is a length to multiply with."""

    of: Literal["kv"]
    model: Line
    kv_dtype: str | None = None
    tokens: int = Field(default=1, ge=1)


class FitFigures(Part):
    """A launch that the estimator is asked about."""

    of: Literal["fit"]
    model: Line
    gpu: Line
    count: int = Field(default=1, ge=1)
    tp: int | None = Field(default=None, ge=1)
    context: int | None = Field(default=None, ge=1)
    gpu_memory_utilization: float | None = Field(default=None, gt=0, le=1)
    kv_cache_dtype: str | None = None
    vllm_version: Release | None = None


Figures = Annotated[KvFigures | FitFigures, Field(discriminator="of")]


class Question(Part):
    """One question. Without an `answer` of its own it is answered by the short answer of `entry`, which is where to read on."""

    id: Line
    entry: Line
    ask: Both
    answer: Both | None = None
    figures: dict[str, Figures] = Field(default_factory=dict)


class Forms(Part):
    """How questions are made of an entry: of a log line, of a metric (`when` names what it does), of an experiment."""

    log: Both
    metric: Both
    experiment: Both
    when: dict[str, Both]


class Quiz(Part):
    """The whole file; the first three questions come first in every quiz."""

    questions: tuple[Question, ...] = Field(min_length=FIRST)
    forms: Forms


@dataclass(frozen=True, slots=True)
class Kv:
    """Bytes of one token, and of all `tokens` asked about as GiB."""

    bytes: int
    mib: float
    gib: float


@dataclass(frozen=True, slots=True)
class Fit:
    """A launch's figures: GiB and bytes per GPU; tokens of pool and longest context, rounded down to two digits; requests at once."""

    weights: float
    pool: float
    tokens: int
    context: int
    at_once: float
    bytes_per_gpu: int


@dataclass(frozen=True, slots=True)
class Shown:
    """A question in one language with its figures; `title` names the entry to read on in."""

    id: str
    ask: str
    answer: str
    entry: str
    title: str


@cache
def quiz() -> Quiz:
    """What the file says."""
    return Quiz.model_validate(tomllib.loads(FILE.read_text(encoding="utf-8")))


def questions() -> tuple[Question, ...]:
    """Every question: the written ones in their order, then those made of entries."""
    made = (question for entry in every() for question in _made(entry, quiz().forms))
    return (*quiz().questions, *made)


def round_of(count: int | None = None, seed: int | None = None) -> tuple[Question, ...]:
    """So many questions, all when None. The first three are always the same; a seed shuffles the rest."""
    all_of_them = questions()
    rest = list(all_of_them[FIRST:])
    if seed is not None:
        random.Random(seed).shuffle(rest)  # noqa: S311 - for variety, not for secrets
    return (*all_of_them[:FIRST], *rest)[:count]


def named(question_id: str) -> Question | None:
    """The question of that id, None for one that is no longer asked."""
    return next((question for question in questions() if question.id == question_id), None)


def shown(question: Question, language: Language) -> Shown:
    """The question as it is put and answered now."""
    entry = find(question.entry)
    text = entry.text(language)
    computed = {name: _computed(figures) for name, figures in question.figures.items()}
    answer = question.answer.text(language).format(**computed) if question.answer else text.short
    return Shown(question.id, question.ask.text(language).format(**computed), answer, entry.id, text.title)


def _computed(figures: KvFigures | FitFigures) -> Kv | Fit:
    from knowledge.fit.estimator import estimates, kv_per_token

    if isinstance(figures, KvFigures):
        found = kv_per_token(figures.model, kv_dtype=figures.kv_dtype)
        size = found.kv_bytes_per_token
        return Kv(size, size / MIB, size * figures.tokens / GIB)
    request = FitRequest(**figures.model_dump(exclude={"of"}, exclude_none=True))
    (estimate,) = estimates(request, changes=False)
    per_gpu = estimate.per_gpu
    assert per_gpu is not None
    assert estimate.kv_cache_tokens is not None
    assert estimate.max_context is not None
    assert estimate.max_concurrency is not None
    return Fit(
        weights=per_gpu.weights.expected,
        pool=per_gpu.kv_cache.expected,
        tokens=_floor(estimate.kv_cache_tokens.expected),
        context=_floor(estimate.max_context.expected),
        at_once=estimate.max_concurrency.expected,
        bytes_per_gpu=estimate.kv_bytes_per_token_per_gpu or 0,
    )


def _floor(tokens: float) -> int:
    """Rounded down to two digits: estimates are no better than that."""
    if tokens < 1:
        return 0
    unit = 10 ** max(floor(log10(tokens)) + 1 - DIGITS, 0)
    return int(tokens // unit * unit)


def _made(entry: "Entry", forms: Forms) -> Iterator[Question]:
    """One of the longest log line, one of each metric, one of the experiment."""
    if entry.log_signatures:
        line = max(entry.log_signatures, key=len)
        yield _of(entry, "log", forms.log, {"line": line})
    for signal in entry.metric_signals:
        does = forms.when[signal.when]
        yield _of(entry, f"metric-{signal.metric.partition(':')[2]}", forms.metric, {"metric": signal.metric}, does)
    if entry.experiment:
        facts = {"parameter": entry.experiment.parameter, "values": ", ".join(entry.experiment.values)}
        answer = Both(en=_literal(entry.experiment.en), zh=_literal(entry.experiment.zh))
        yield _of(entry, "experiment", forms.experiment, facts).model_copy(update={"answer": answer})


def _of(entry: "Entry", kind: str, form: Both, facts: Mapping[str, str], does: Both | None = None) -> Question:
    said = {
        language: _literal(form.text(language).format(**facts, **({"does": does.text(language)} if does else {})))
        for language in ("en", "zh")
    }
    return Question(id=f"{entry.id}:{kind}", entry=entry.id, ask=Both(**said))


def _literal(text: str) -> str:
    """`text` as a form without figures."""
    return text.replace("{", "{{").replace("}", "}}")
