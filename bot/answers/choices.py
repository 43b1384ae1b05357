"""Answers over many models: which of them fit, and how much each holds."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.answers.facts import NOTHING, cards, facts, refused_lead, short_name, tokens_known, worse
from bot.answers.fit import (
    assumed_line,
    cells,
    sources_line,
    verdict_word,
)
from bot.answers.listing import build_of, columns_of, quantisation_of, spoken_of, title_of, what_of
from bot.settings import Language
from bot.sheet import Menu, Sheet, Table, Tone
from bot.text.figures import about
from bot.text.phrases import say
from bot.understand.understood import Intent
from knowledge.fit.estimate import Estimate
from knowledge.memory.judgement import Verdict
from knowledge.units import Range

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
FEW = 4  # models whose figures fit into one sentence
HEADS = ("fit.column_verdict", "fit.column_left", "fit.column_longest", "fit.column_at_once")


@dataclass(frozen=True, slots=True)
class ModelRow:
    """One common model on each card that the question can mean: as it fits, None where vLLM would refuse it."""

    model_id: str
    by_card: tuple[Estimate | None, ...]


def models_sheet(rows: Sequence[ModelRow], language: Language, intent: Intent, size: str = "") -> Sheet:
    """The common models on each card that the name can mean; `size` says which, where a size was asked (`70`)."""
    columns = [[row.by_card[place] for row in rows] for place in range(len(rows[0].by_card))]
    answered = [[estimate for estimate in column if estimate is not None] for column in columns]
    first, largest = _longest_asked(answered[0]), _largest(answered[0])
    return Sheet(
        lead=refused_lead([estimate for column in answered for estimate in column], language)
        or _lead(answered, largest, language, intent, size),
        tone=_tone(answered),
        table=_one_card(answered[0], language) if len(columns) == 1 else _each_card(rows, answered, language),
        command_title=title_of(largest, language) if largest else "",
        command=largest.serve_command if largest else None,
        notes=(_next(largest, language),),
        assumed=assumed_line(first, language, skip=OF_ONE_MODEL),
        sources=sources_line(first, language),
        menus=(Menu.MODEL, Menu.GPU),
    )


def _longest_asked(estimates: Sequence[Estimate]) -> Estimate:
    """One whose context the model's own limit did not cut, where there is one."""
    return max(estimates, key=lambda estimate: estimate.context)


def _tone(answered: Sequence[Sequence[Estimate]]) -> Tone:
    """Good news when all models fit on all cards, bad when none does."""
    fit = {worse(estimate) is Verdict.FITS for column in answered for estimate in column}
    return Tone.PLAIN if len(fit) > 1 else Tone.GOOD if fit.pop() else Tone.BAD


def _next(largest: Estimate | None, language: Language) -> str:
    if largest is None:
        return say(language, "choices.models_none")
    return say(language, "choices.models_largest", model=build_of(largest))


def _largest(estimates: Sequence[Estimate]) -> Estimate | None:
    """The last that fits: the common models come from the smallest to the largest."""
    return next((estimate for estimate in reversed(estimates) if worse(estimate) is Verdict.FITS), None)


def _lead(
    answered: Sequence[Sequence[Estimate]], largest: Estimate | None, language: Language, intent: Intent, size: str
) -> str:
    """The sentence that answers: which is the largest, how much each of a few holds, or how many of them fit."""
    what = what_of(_longest_asked(answered[0]), language)
    few = len(answered) == 1 and len(answered[0]) <= FEW
    if intent is Intent.WHICH_MODEL and len(answered) == 1:
        return _which_lead(answered[0], largest, language, size)
    if few and intent in (Intent.MAX_CONTEXT, Intent.MAX_CONCURRENCY) and _any_held(answered[0], intent):
        return _each_lead(answered[0], language, intent)
    if intent in (Intent.MAX_CONTEXT, Intent.MAX_CONCURRENCY) and len(answered) == 1:
        return _span_lead(answered[0], language, intent, size)
    return _models_lead(answered, what, language, size)


def _span_lead(estimates: Sequence[Estimate], language: Language, intent: Intent, size: str) -> str:
    """From the model that holds least to the one that holds most."""
    kind = "longest" if intent is Intent.MAX_CONTEXT else "at_once"
    held = [estimate for estimate in estimates if tokens_known(_held(estimate, intent))]
    if not held:
        return _which_lead(estimates, None, language, size)
    ordered = sorted(held, key=lambda estimate: (_held(estimate, intent) or NOTHING).expected)
    each = [
        say(language, f"choices.each_{kind}", **(facts(estimate, language) | {"model": build_of(estimate)}))
        for estimate in (ordered[0], ordered[-1])
    ]
    first = _longest_asked(estimates)
    known = {"cards": cards(first, language), "context": first.context, "concurrency": first.concurrency}
    return say(language, f"choices.{kind}_span", least=each[0], most=each[1], **known)


def _any_held(estimates: Sequence[Estimate], intent: Intent) -> bool:
    return any(tokens_known(_held(estimate, intent)) for estimate in estimates)


def _held(estimate: Estimate, intent: Intent) -> Range | None:
    if intent is Intent.MAX_CONCURRENCY:
        return estimate.max_concurrency
    return estimate.max_context_together or estimate.max_context


def _each_lead(estimates: Sequence[Estimate], language: Language, intent: Intent) -> str:
    kind, first = "longest" if intent is Intent.MAX_CONTEXT else "at_once", estimates[0]
    each = [
        say(language, f"choices.each_{kind}", **(facts(estimate, language) | {"model": build_of(estimate)}))
        for estimate in estimates
    ]
    known = {"cards": cards(first, language), "context": first.context, "concurrency": first.concurrency}
    return say(language, f"choices.{kind}_each", each=each, **known)


def _which_lead(estimates: Sequence[Estimate], largest: Estimate | None, language: Language, size: str) -> str:
    known = {"cards": cards(estimates[0], language), "what": what_of(_longest_asked(estimates), language), "size": size}
    if largest is None:
        return say(language, "choices.which_model_none", unsure=_unsure(estimates), total=len(estimates), **known)
    return say(language, "choices.which_model", model=build_of(largest), **known)


def _models_lead(by_card: Sequence[Sequence[Estimate]], what: str, language: Language, size: str) -> str:
    each = [(cards(card[0], language), _fitting(card), len(card)) for card in by_card]
    if len(each) == 1:
        one = {"cards": each[0][0], "fitting": each[0][1], "total": each[0][2], "unsure": _unsure(by_card[0])}
        return say(language, "choices.models_lead", **one, what=what, size=size)
    every = all(fitting == total for _, fitting, total in each)
    return say(language, "choices.models_lead_each", each=each, what=what, all=every, size=size)


def _fitting(estimates: Sequence[Estimate]) -> int:
    return sum(worse(estimate) is Verdict.FITS for estimate in estimates)


def _unsure(estimates: Sequence[Estimate]) -> int:
    return sum(worse(estimate) is Verdict.UNCERTAIN for estimate in estimates)


def _one_card(estimates: Sequence[Estimate], language: Language) -> Table:
    rows = tuple(
        (build_of(estimate), verdict_word(estimate, language), *cells(estimate, language)) for estimate in estimates
    )
    return Table(columns=columns_of("choices.column_model", language), rows=rows, spoken=spoken_of(language))


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
        build=quantisation_of(estimate),
    )
