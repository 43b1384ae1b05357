"""Answers over many launches of one model: which cards, how many of them, and which layout to start with."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from bot.answers.facts import cards, facts, model_name, refused_lead, tokens_known, worse
from bot.answers.fit import (
    MOST_MORE,
    MOST_POINTS,
    assumed_line,
    cells,
    notes,
    points_of,
    sources_line,
    title_for,
    verdict_word,
)
from bot.answers.leads import lead
from bot.answers.listing import HEADS, build_of, columns_of, spoken_of, title_of, titled_of, what_of
from bot.settings import Language
from bot.sheet import Menu, Sheet, Table, Tone
from bot.text.figures import gib
from bot.text.phrases import say
from bot.understand.understood import Intent
from knowledge.fit.estimate import Estimate
from knowledge.memory.judgement import Limiting, Verdict

MOST_CARDS = 10  # rows of a table of cards


def gpus_sheet(found: Sequence[Estimate], lighter: Sequence[Estimate], wanted: Estimate, language: Language) -> Sheet:
    """The cards that hold a model, what is sure and least memory first, and what its `lighter` builds need.

    `wanted` carries the question's figures when no card holds it.
    """
    what, model = what_of(wanted, language), model_name(wanted)
    points = tuple(
        say(language, "choices.lighter", build=build_of(each), cards=cards(each, language))
        for each in lighter[:MOST_POINTS]
    )
    title = say(language, "choices.title_lighter") if points else ""
    if not found:
        none = _none("which_gpu_none", wanted, language, model=model, what=what, count=wanted.count)
        title, points = ("", ()) if wanted.limiting is Limiting.MODEL_LIMIT else (title, points)
        return replace(none, points_title=title, points=points)
    best = found[0]
    sure = worse(best) is Verdict.FITS
    return Sheet(
        lead=say(
            language,
            "choices.which_gpu" if sure else "choices.which_gpu_unsure",
            model=model,
            what=what,
            **_needed(best, language),
        ),
        tone=Tone.GOOD if sure else Tone.UNSURE,
        table=_cards_table(_worth_showing(found)[:MOST_CARDS], language),
        points_title=title,
        points=points,
        command_title=title_of(best, language),
        command=best.serve_command,
        notes=tuple(notes(best, language)),
        assumed=assumed_line(best, language),
        sources=sources_line(best, language),
        menus=(Menu.MODEL,),
    )


def _worth_showing(found: Sequence[Estimate]) -> Sequence[Estimate]:
    """Without cards on which nothing is expected to fit, unless there are no others."""
    return [estimate for estimate in found if tokens_known(estimate.max_context)] or found


def count_sheet(found: Sequence[Estimate], wanted: Estimate, language: Language) -> Sheet:
    """How many of one card it takes, for every build of the model that was tried."""
    what = what_of(wanted, language)
    if not found:
        return _none("how_many_none", wanted, language, model=model_name(wanted), what=what, gpu=wanted.gpu)
    best = found[0]
    each = [
        say(language, "choices.how_many_each", cards=_in_servers(estimate, language), build=build_of(estimate))
        for estimate in _fewer_and_fewer(found)
    ]
    return Sheet(
        lead=refused_lead(found, language) or say(language, "choices.how_many", each=each, what=what),
        tone=Tone.BAD if refused_lead(found, language) else Tone.GOOD,
        table=_builds_table(found, language),
        command_title=title_of(best, language),
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
        lead=say(language, "choices.recommend", **known)
        if fits
        else lead(best, Intent.FIT, context_said="context_tokens" not in (best.assumed or {}), language=language),
        tone=Tone.GOOD if fits else Tone.BAD,
        table=Table(columns=columns_of("choices.column_layout", language), rows=rows, spoken=spoken_of(language)),
        points_title=say(language, "fit.title_more" if fits else "fit.title_changes"),
        points=points_of(best, language, MOST_MORE if fits else MOST_POINTS),
        command_title=title_for(best, "choices.title_command_model", language, **titled_of(best, language)),
        command=best.serve_command,
        notes=tuple(notes(best, language)),
        assumed=assumed_line(best, language, skip=("tp", "pp", "dp")),
        sources=sources_line(best, language),
        menus=(Menu.MODEL, Menu.GPU),
    )


def _fewer_and_fewer(found: Sequence[Estimate]) -> list[Estimate]:
    """The first, and of the others those that need fewer cards than any before."""
    told: list[Estimate] = []
    for estimate in found:
        if not told or (estimate.count or 1) < (told[-1].count or 1):
            told.append(estimate)
    return told


def _in_servers(estimate: Estimate, language: Language) -> str:
    servers = int((estimate.assumed or {}).get("nodes", 1))
    named = cards(estimate, language)
    return named if servers == 1 else say(language, "choices.in_servers", cards=named, servers=servers)


def _none(phrase: str, wanted: Estimate, language: Language, **known: object) -> Sheet:
    beyond = wanted.limiting is Limiting.MODEL_LIMIT
    return Sheet(
        lead=lead(wanted, Intent.FIT, context_said=True, language=language)
        if beyond
        else say(language, f"choices.{phrase}", **known),
        tone=Tone.BAD,
        assumed=assumed_line(wanted, language, skip=("count", "tp", "pp")),
        menus=(Menu.MODEL, Menu.GPU),
    )


def _cards_table(found: Sequence[Estimate], language: Language) -> Table:
    rows = tuple(
        (cards(estimate, language), verdict_word(estimate, language), *cells(estimate, language)) for estimate in found
    )
    return Table(columns=columns_of("fit.column_card", language), rows=rows, spoken=spoken_of(language))


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
            build_of(estimate),
            cards(estimate, language),
            _layout(estimate, language),
            _weights(estimate),
            *cells(estimate, language),
        )
        for estimate in found
    )
    said = tuple(say(language, column) for column in columns)
    return Table(columns=said, rows=rows, spoken=("", "", "", *said[3:]))


def _total_weights(estimate: Estimate) -> float:
    return estimate.per_gpu.weights.expected * (estimate.tp or 1) * (estimate.pp or 1) if estimate.per_gpu else 0.0


def _weights(estimate: Estimate) -> str:
    return gib(_total_weights(estimate))


def _layout(estimate: Estimate, language: Language) -> str:
    return say(language, "choices.layout", tp=estimate.tp or 1, pp=estimate.pp or 1, dp=estimate.dp or 1)


def _needed(estimate: Estimate, language: Language) -> dict[str, Any]:
    """What it takes on all cards together: weights, and the KV cache of all requests."""
    gpus = (estimate.tp or 1) * (estimate.pp or 1) * (estimate.dp or 1)
    kv = (estimate.kv_gib_per_request or 0) * gpus * estimate.concurrency
    return {"cards": cards(estimate, language), "weights": _total_weights(estimate) * (estimate.dp or 1), "kv": kv}
