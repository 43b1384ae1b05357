"""Answers with figures: the estimator asked, its estimates put into a sheet."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bot.answers import choices, hardware, kv
from bot.answers.answer import Answer
from bot.answers.fit import fit_sheet
from bot.answers.requests import card, request_of
from bot.answers.sizes import of_size
from bot.answers.whole import single
from bot.settings import Settings
from bot.sheet import Sheet
from bot.understand.understood import Intent, Understood
from knowledge import catalogue
from knowledge.errors import Refusal
from knowledge.fit import estimator, search
from knowledge.fit.estimate import Estimate
from knowledge.fit.plans import cards_of
from knowledge.fit.remedies import nice
from knowledge.fit.request import FitRequest
from knowledge.fit.words import kv_cache_word, quantization_label

if TYPE_CHECKING:
    from collections.abc import Iterable

    from knowledge.fit.observed import Observed

ANY = "any"  # stands for a model where the estimator looks at many


def of_request(understood: Understood, request: FitRequest, observed: "Iterable[Observed]" = ()) -> Answer:
    """One launch, or one a card that the name can mean; kept starts on the request's host correct the figures."""
    found = _model_told(understood, estimator.estimates(request, observed=observed))
    said = request.context is not None
    if understood.intent is Intent.MAX_CONTEXT and not said:
        found = tuple(_with_longest(estimate, request) for estimate in found)
    sheet = fit_sheet(found, understood.intent, understood.language, context_said=said)
    return _answer(understood, sheet, found, request)


def models(understood: Understood, settings: Settings) -> Answer:
    """The common models of each size, or those of about the size that was said, on every card that the name can mean."""
    size = understood.model_size_b
    request = request_of(understood, settings, model=ANY)
    names = [found.name for found in cards_of(request)]
    rows = [_model_row(model_id, request, names) for model_id in (of_size(size) if size else catalogue.common())]
    if any(all(row.by_card[place] is None for row in rows) for place in range(len(names))):
        _as_asked(request.model_copy(update={"model": rows[0].model_id}))  # refuses, and says why
    sheet = choices.models_sheet(rows, understood.language, understood.intent, f"{size:g}" if size else "")
    found = tuple(estimate for row in rows for estimate in row.by_card if estimate is not None)
    return single(understood, sheet, estimates=found, assumed=_of_no_model(found))


def which_gpu(understood: Understood, settings: Settings) -> Answer:
    """The cards that hold a model."""
    request = request_of(understood, settings)
    found = _model_told(understood, search.which_gpus(request))
    wanted = found[0] if found else replace(_as_asked(request), count=request.count)
    lighter = search.lighter_gpus(request)
    return _answer(understood, hardware.gpus_sheet(found, lighter, wanted, understood.language), found, request)


def how_many(understood: Understood, settings: Settings) -> Answer:
    """How many of one card a model takes."""
    request = request_of(understood, settings)
    found = _model_told(understood, search.how_many(request))
    wanted = found[0] if found else _as_asked(request)
    return _answer(understood, hardware.count_sheet(found, wanted, understood.language), found, request)


def recommend(understood: Understood, settings: Settings) -> Answer:
    """The layout to start with."""
    request = request_of(understood, settings)
    found = _model_told(understood, search.recommend(request))
    return _answer(understood, hardware.recommend_sheet(found, understood.language), found, request)


def fit(understood: Understood, settings: Settings) -> Answer:
    """Fit, longest context, requests at once."""
    return of_request(understood, request_of(understood, settings))


def kv_per_token(understood: Understood, settings: Settings) -> Answer:
    """KV cache of one token of a model, with its formula. No card is needed."""
    request = request_of(understood, settings)
    found = _model_told(understood, (_per_token(request),))[0]
    shape = catalogue.resolve(request.model, quantization_label(request.quantization))
    sheet = kv.kv_sheet(found, shape, _stored_in(found, request), request.context, understood.language)
    return _answer(understood, sheet, (found,), request)


def kv_table(understood: Understood, settings: Settings) -> Answer:
    """KV cache of one token of the common models."""
    size = understood.model_size_b
    models = of_size(size) if size else catalogue.common()
    found = tuple(_per_token(request_of(understood, settings, model=model_id)) for model_id in models)
    return single(understood, kv.kv_table(found, understood.language), estimates=found)


def check(understood: Understood, settings: Settings) -> Answer:
    """Whether a pasted command starts. Without a card its options are checked, and the cards that hold it are listed."""
    from bot.answers.check import check_sheet, checked_flags  # its tables of options are not needed elsewhere

    found = checked_flags(understood, understood.fields.vllm_version or settings.defaults.vllm_version)
    try:
        answered = fit(understood, settings) if card(understood) else which_gpu(understood, settings)
    except Refusal as refusal:
        return single(understood, check_sheet(understood, found, refusal), refusal=None if found.stops else refusal)
    assert answered.sheet is not None
    sheet = check_sheet(understood, found, answered.sheet)
    return single(understood, sheet, estimates=answered.estimates, assumed=answered.assumed)


def _with_longest(estimate: Estimate, request: FitRequest) -> Estimate:
    """The estimate with the command for the longest context that it found: the sure one, else the expected."""
    reached = estimate.max_context_together or estimate.max_context
    tokens = nice(int(reached.low or reached.expected)) if reached else 0
    if not 0 < tokens < estimate.context:
        return estimate
    update = {"context": tokens, "gpu": request.gpu if request.gpu_memory_gib else estimate.gpu}
    again = estimator.estimates(request.model_copy(update=update), changes=False)[0]
    if again.serve_command is None:
        return estimate
    return replace(estimate, serve_command=again.serve_command, command_change=None)


def _per_token(request: FitRequest) -> Estimate:
    return estimator.kv_per_token(request.model, request.quantization, request.kv_cache_dtype)


def _stored_in(found: Estimate, request: FitRequest) -> str:
    """vLLM's word for the cache's dtype: as asked, else what was assumed."""
    return kv_cache_word(request.kv_cache_dtype or str((found.assumed or {}).get("kv_dtype", "bf16")))


def _model_row(model_id: str, request: FitRequest, cards: list[str]) -> choices.ModelRow:
    asked = [request if len(cards) == 1 else request.model_copy(update={"gpu": name}) for name in cards]
    return choices.ModelRow(model_id, tuple(_as_it_fits(model_id, one) for one in asked))


def _as_it_fits(model_id: str, request: FitRequest) -> Estimate | None:
    """None where vLLM would refuse the model on that card, which says nothing about the others."""
    try:
        return next(iter(search.which_models(request, models=[model_id])), None)
    except Refusal:
        return None


def _as_asked(request: FitRequest) -> Estimate:
    """The estimate of what was asked, where nothing holds it."""
    largest: dict[str, Any] = {} if request.gpu or request.gpu_memory_gib else {"gpu": "B200", "count": 8}
    return estimator.estimates(request.model_copy(update=largest), changes=False)[0]


def _of_no_model(found: tuple[Estimate, ...]) -> dict[str, Any]:
    """What was assumed of all models alike."""
    assumed = found[0].assumed or {} if found else {}
    return {
        name: assumed[name]
        for name in ("count", "utilization", "concurrency", "context_tokens", "vllm_version")
        if name in assumed
    }


def _model_told(understood: Understood, found: tuple[Estimate, ...]) -> tuple[Estimate, ...]:
    """The estimates, with the model and the version among what was assumed where nobody named them: settings may have."""
    return tuple(replace(each, assumed=_not_said(understood, each) | (each.assumed or {})) for each in found)


def _not_said(understood: Understood, estimate: Estimate) -> dict[str, str | int | float]:
    model = {} if understood.fields.model_id else {"model_id": estimate.model_id}
    said = understood.fields.vllm_version or estimate.gpu is None  # a token's size is the same in all versions
    version = {} if said else {"vllm_version": estimate.vllm_version}
    return {**model, **version}


def _answer(understood: Understood, sheet: Sheet, found: tuple[Estimate, ...], request: FitRequest) -> Answer:
    assumed = dict(found[0].assumed or {}) if found else {"model_id": request.model}
    return single(understood, sheet, estimates=found, assumed=assumed)
