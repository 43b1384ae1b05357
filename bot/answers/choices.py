"""Answers over many launches: which models, which cards, how many of them, and which layout to start with."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bot.answers.facts import cards, facts, short_name, worse
from bot.answers.fit import MOST_MORE, MOST_POINTS, assumed_line, cells, notes, points_of, sources_line, verdict_word
from bot.answers.sheet import Menu, Sheet, Table, Tone
from bot.settings import Language
from bot.text.figures import about, gib
from bot.text.phrases import say
from knowledge.fit.estimate import Estimate, Verdict

OF_ONE_MODEL = (
    "weight_quant",
    "kv_dtype",
    "dtype",
    "tp",
    "pp",
    "dp",
    "nodes",
    "gpu_mem_gb",
    "max_num_seqs",
    "max_num_batched_tokens",
)
MOST_CARDS = 10  # rows of a table of cards
SIXTEEN_BITS = ("bf16", "fp16")
HEADS = ("fit.column_verdict", "fit.column_left", "fit.column_longest", "fit.column_at_once")


@dataclass(frozen=True, slots=True)
class ModelRow:
    """One common model on each card that the question can mean: as it fits, None where vLLM would refuse it."""

    model_id: str
    by_card: tuple[Estimate | None, ...]


def models_sheet(rows: Sequence[ModelRow], language: Language, *, which: bool) -> Sheet:
    """The common models on each card that the name can mean. `which` asks for the largest one."""
    columns = [[row.by_card[place] for row in rows] for place in range(len(rows[0].by_card))]
    answered = [[estimate for estimate in column if estimate is not None] for column in columns]
    first, largest = answered[0][0], _largest(answered[0])
    what = _what(first, language)
    lead = (
        _which_lead(answered[0], largest, what, language)
        if which and len(columns) == 1
        else _models_lead(answered, what, language)
    )
    return Sheet(
        lead=lead,
        tone=_tone(answered),
        table=_one_card(answered[0], language) if len(columns) == 1 else _each_card(rows, answered, language),
        command_title=_title(largest, language) if largest else "",
        command=largest.serve_command if largest else None,
        notes=(_next(largest, language),),
        assumed=assumed_line(first, language, skip=OF_ONE_MODEL),
        sources=sources_line(first, language),
        menus=(Menu.MODEL, Menu.GPU),
    )


def gpus_sheet(found: Sequence[Estimate], model: str, wanted: Estimate, language: Language) -> Sheet:
    """The cards that hold a model, least memory first. `wanted` carries the question's figures when none does."""
    what = _what(wanted, language)
    if not found:
        return _none("which_gpu_none", wanted, language, model=short_name(model), what=what)
    best = found[0]
    return Sheet(
        lead=say(language, "choices.which_gpu", model=short_name(model), what=what, **_needed(best, language)),
        tone=Tone.GOOD,
        table=_cards_table(found[:MOST_CARDS], language),
        command_title=_title(best, language),
        command=best.serve_command,
        notes=tuple(notes(best, language)),
        assumed=assumed_line(best, language),
        sources=sources_line(best, language),
        menus=(Menu.MODEL,),
    )


def count_sheet(found: Sequence[Estimate], wanted: Estimate, language: Language) -> Sheet:
    """How many of one card it takes, for every build of the model that was tried."""
    what = _what(wanted, language)
    if not found:
        return _none("how_many_none", wanted, language, model=short_name(wanted.model_id), what=what, gpu=wanted.gpu)
    best = found[0]
    each = [
        say(language, "choices.how_many_each", cards=cards(estimate, language), build=_build(estimate))
        for estimate in found
    ]
    return Sheet(
        lead=say(language, "choices.how_many", each=each, what=what),
        tone=Tone.GOOD,
        table=_builds_table(found, language),
        command_title=_title(best, language),
        command=best.serve_command,
        notes=(say(language, "choices.larger_than_listed"), *notes(best, language)),
        assumed=assumed_line(best, language, skip=("count", "weight_quant")),
        sources=sources_line(best, language),
        menus=(Menu.MODEL, Menu.GPU),
    )


def recommend_sheet(found: Sequence[Estimate], language: Language) -> Sheet:
    """The layouts worth starting with, best first."""
    best = found[0]
    known = facts(best, language) | {"layout": _layout(best, language), "verdict": verdict_word(best, language)}
    fits = worse(best) is not Verdict.DOES_NOT_FIT
    rows = tuple(
        (_layout(estimate, language), verdict_word(estimate, language), *cells(estimate, language))
        for estimate in found
    )
    return Sheet(
        lead=say(language, "choices.recommend" if fits else "choices.recommend_none", **known),
        tone=Tone.GOOD if fits else Tone.BAD,
        table=Table(columns=_columns("choices.column_layout", language), rows=rows, spoken=_spoken(language)),
        points_title=say(language, "fit.title_more" if fits else "fit.title_changes"),
        points=points_of(best, language, MOST_MORE if fits else MOST_POINTS),
        command_title=_title(best, language),
        command=best.serve_command,
        notes=tuple(notes(best, language)),
        assumed=assumed_line(best, language, skip=("tp", "pp", "dp")),
        sources=sources_line(best, language),
        menus=(Menu.MODEL, Menu.GPU),
    )


def _what(estimate: Estimate, language: Language) -> str:
    return say(language, "fit.what", context=estimate.context, concurrency=estimate.concurrency)


def _none(phrase: str, wanted: Estimate, language: Language, **known: object) -> Sheet:
    return Sheet(
        lead=say(language, f"choices.{phrase}", **known),
        tone=Tone.BAD,
        assumed=assumed_line(wanted, language, skip=("count", "tp", "pp")),
        menus=(Menu.MODEL, Menu.GPU),
    )


def _tone(answered: Sequence[Sequence[Estimate]]) -> Tone:
    """Good news when all models fit on all cards, bad when none does."""
    fit = {worse(estimate) is Verdict.FITS for column in answered for estimate in column}
    return Tone.PLAIN if len(fit) > 1 else Tone.GOOD if fit.pop() else Tone.BAD


def _next(largest: Estimate | None, language: Language) -> str:
    if largest is None:
        return say(language, "choices.models_none")
    return say(language, "choices.models_largest", model=_build(largest))


def _largest(estimates: Sequence[Estimate]) -> Estimate | None:
    """The last that fits: the common models come from the smallest to the largest."""
    return next((estimate for estimate in reversed(estimates) if worse(estimate) is Verdict.FITS), None)


def _total_weights(estimate: Estimate) -> float:
    return estimate.per_gpu.weights.expected * (estimate.tp or 1) * (estimate.pp or 1) if estimate.per_gpu else 0.0


def _which_lead(estimates: Sequence[Estimate], largest: Estimate | None, what: str, language: Language) -> str:
    if largest is None:
        return say(language, "choices.which_model_none", cards=cards(estimates[0], language), what=what)
    return say(language, "choices.which_model", model=_build(largest), cards=cards(largest, language), what=what)


def _models_lead(by_card: Sequence[Sequence[Estimate]], what: str, language: Language) -> str:
    each = [(cards(card[0], language), _fitting(card), len(card)) for card in by_card]
    if len(each) == 1:
        return say(language, "choices.models_lead", cards=each[0][0], fitting=each[0][1], total=each[0][2], what=what)
    every = all(fitting == total for _, fitting, total in each)
    return say(language, "choices.models_lead_each", each=each, what=what, all=every)


def _fitting(estimates: Sequence[Estimate]) -> int:
    return sum(worse(estimate) is Verdict.FITS for estimate in estimates)


def _one_card(estimates: Sequence[Estimate], language: Language) -> Table:
    rows = tuple(
        (_build(estimate), verdict_word(estimate, language), *cells(estimate, language)) for estimate in estimates
    )
    return Table(columns=_columns("choices.column_model", language), rows=rows, spoken=_spoken(language))


def _each_card(rows: Sequence[ModelRow], answered: Sequence[Sequence[Estimate]], language: Language) -> Table:
    columns = (say(language, "choices.column_model"), *(cards(card[0], language) for card in answered))
    lines = tuple((short_name(row.model_id), *(_up_to(estimate, language) for estimate in row.by_card)) for row in rows)
    return Table(columns=columns, rows=lines, spoken=("", *(card[0].gpu or "" for card in answered)))


def _up_to(estimate: Estimate | None, language: Language) -> str:
    if estimate is None:
        return "–"
    verdict = verdict_word(estimate, language)
    if worse(estimate) is Verdict.DOES_NOT_FIT or estimate.max_context is None:
        return verdict
    return say(
        language,
        "choices.cell_up_to",
        verdict=verdict,
        longest=about(estimate.max_context),
        build=_quantisation(estimate),
    )


def _cards_table(found: Sequence[Estimate], language: Language) -> Table:
    rows = tuple(
        (cards(estimate, language), verdict_word(estimate, language), *cells(estimate, language)) for estimate in found
    )
    return Table(columns=_columns("fit.column_card", language), rows=rows, spoken=_spoken(language))


def _builds_table(found: Sequence[Estimate], language: Language) -> Table:
    columns = (
        "choices.column_model",
        "choices.column_gpus",
        "choices.column_layout",
        "choices.column_weights",
        *HEADS[1:],
    )
    rows = tuple(
        (
            _build(estimate),
            cards(estimate, language),
            _layout(estimate, language),
            _weights(estimate),
            *cells(estimate, language),
        )
        for estimate in found
    )
    said = tuple(say(language, column) for column in columns)
    return Table(columns=said, rows=rows, spoken=("", "", "", *said[3:]))


def _columns(first: str, language: Language) -> tuple[str, ...]:
    return tuple(say(language, head) for head in (first, *HEADS))


def _spoken(language: Language) -> tuple[str, ...]:
    return ("", "", *(say(language, head) for head in HEADS[1:]))


def _weights(estimate: Estimate) -> str:
    return gib(_total_weights(estimate))


def _layout(estimate: Estimate, language: Language) -> str:
    return say(language, "choices.layout", tp=estimate.tp or 1, pp=estimate.pp or 1, dp=estimate.dp or 1)


def _quantisation(estimate: Estimate) -> str:
    """How the weights are stored, where that was not asked and is not 16 bits."""
    how = str((estimate.assumed or {}).get("weight_quant", ""))
    return "" if how in SIXTEEN_BITS else how


def _build(estimate: Estimate) -> str:
    """`Qwen3-32B (fp8)`, or the name alone where it says how it is quantised or that was asked."""
    name, how = short_name(estimate.model_id), _quantisation(estimate)
    said = not how or any(word in name.lower() for word in how.split("-"))
    return name if said else f"{name} ({how})"


def _title(estimate: Estimate, language: Language) -> str:
    return say(language, "choices.title_command_model", model=_build(estimate), cards=cards(estimate, language))


def _needed(estimate: Estimate, language: Language) -> dict[str, Any]:
    """What it takes on all cards together: weights, and the KV cache of all requests."""
    gpus = (estimate.tp or 1) * (estimate.pp or 1) * (estimate.dp or 1)
    kv = (estimate.kv_gib_per_request or 0) * gpus * estimate.concurrency
    return {"cards": cards(estimate, language), "weights": _total_weights(estimate) * (estimate.dp or 1), "kv": kv}
