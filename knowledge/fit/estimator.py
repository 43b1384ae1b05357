"""From a question to estimates: what the bot, the command line and scripts call."""

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from knowledge import catalogue, gpus
from knowledge.fit.changes import changes as changes_of
from knowledge.fit.estimate import Change, Estimate, UsedStart
from knowledge.fit.json_form import as_json
from knowledge.fit.largest import kv_cache_tokens, ladder, max_concurrency, max_context, max_context_together
from knowledge.fit.plans import Plan, Resolve, plan, subject_of, subjects
from knowledge.fit.request import FitRequest
from knowledge.fit.serve import serve_command, stored_as
from knowledge.fit.verdict import Weighed, refused, weigh
from knowledge.memory.judgement import Limiting, Verdict
from knowledge.memory.pages import cache_layout
from knowledge.units import GIB

if TYPE_CHECKING:
    from knowledge.fit.observed import Observed

__all__ = ["as_json", "estimate_of", "estimates", "kv_per_token"]

ANY_GB = 80  # of a card that lends kv_per_token its number formats
SOURCES = ("vllm/v1/core/kv_cache_utils.py", "vllm/v1/worker/gpu_worker.py")


def estimates(
    request: FitRequest,
    *,
    resolve: Resolve = catalogue.resolve,
    changes: bool = True,
    observed: "Iterable[Observed]" = (),
) -> tuple[Estimate, ...]:
    """One estimate for every card that the question can mean (a bare `A100` is two). `changes` costs the most time.

    `observed` are kept starts; those on the request's host, of the same model, version and layout, correct the terms.
    Raises Refusal for what cannot be answered: an unknown model, card or word, a stated TP that does not divide the model.
    """
    kept = [each for each in observed if each.host == request.host]
    asked = subjects(request, resolve)
    if kept:
        from knowledge.fit.learning import taught

        asked = tuple(taught(subject, kept) for subject in asked)
    return tuple(estimate_of(plan(request, subject), changes=changes) for subject in asked)


def kv_per_token(
    model: str, quantization: str | None = None, kv_dtype: str | None = None, *, resolve: Resolve = catalogue.resolve
) -> Estimate:
    """What one token takes in the KV cache of the whole model, without any GPU: every figure of a GPU is None."""
    request = FitRequest(model=model, quantization=quantization, kv_cache_dtype=kv_dtype, count=1)
    chosen = plan(request, subject_of(request, resolve, gpus.from_memory(None, gb=ANY_GB)))
    pages = cache_layout(chosen.launch)
    told = ("weight_quant", "kv_dtype")
    return Estimate(
        id=None,
        model_id=chosen.launch.shape.model_id,
        gpu=None,
        count=None,
        tp=None,
        pp=None,
        dp=None,
        vllm_version=str(chosen.vllm_version),
        verdict=None,
        concurrency_verdict=None,
        limiting=Limiting.NONE,
        per_gpu=None,
        context=chosen.context,
        concurrency=1,
        kv_bytes_per_token=pages.bytes_per_token,
        kv_bytes_per_token_per_gpu=None,
        kv_gib_per_request=None,
        kv_cache_tokens=None,
        max_context=None,
        model_max_context=chosen.launch.shape.max_context,
        max_concurrency=None,
        serve_command=None,
        assumed={name: value for name, value in chosen.assumed.items() if name in told},
        notes=chosen.launch.shape.notes,
        sources=SOURCES,
    )


def estimate_of(chosen: Plan, *, changes: bool = False) -> Estimate:
    """The estimate of one plan."""
    weighed = weigh(chosen)
    estimate = _figures(weighed)
    return _with_changes(estimate, weighed) if changes else estimate


def _figures(weighed: Weighed) -> Estimate:
    chosen, launch, pages = weighed.plan, weighed.plan.launch, weighed.pages
    starts = weighed.fits is not Verdict.DOES_NOT_FIT and not refused(weighed)
    return Estimate(
        id=chosen.request.id,
        model_id=launch.shape.model_id,
        gpu=launch.gpu.name,
        count=chosen.request.count or launch.gpus,
        tp=launch.tp,
        pp=launch.pp,
        dp=launch.dp,
        vllm_version=str(chosen.vllm_version),
        verdict=weighed.fits,
        concurrency_verdict=None if chosen.request.concurrency is None else weighed.fits_all,
        limiting=weighed.limiting,
        per_gpu=weighed.budget.per_gpu,
        context=chosen.context,
        concurrency=chosen.concurrency,
        kv_bytes_per_token=pages.bytes_per_token,
        kv_bytes_per_token_per_gpu=pages.bytes_per_token_per_gpu,
        kv_gib_per_request=pages.request_bytes(chosen.context) / GIB,
        kv_cache_tokens=kv_cache_tokens(weighed),
        max_context=max_context(weighed),
        model_max_context=launch.shape.max_context,
        max_concurrency=max_concurrency(weighed),
        max_context_together=max_context_together(weighed),
        serve_command=serve_command(launch) if starts else None,
        assumed=chosen.assumed,
        notes=chosen.notes,
        sources=SOURCES,
        deciding=None if weighed.limiting is Limiting.MODEL_LIMIT else weighed.deciding,
        observed=_used(weighed),
        asked_weights=_asked_weights(chosen),
    )


def _asked_weights(chosen: Plan) -> str | None:
    """The quantisation asked for, where the model's name does not stand for it."""
    how = chosen.launch.shape.quantization
    if chosen.request.quantization is None or how is None or how.label == stored_as(chosen.launch.shape.model_id):
        return None
    return how.label


def _used(weighed: Weighed) -> UsedStart | None:
    lesson = weighed.plan.subject.lesson_for(weighed.plan.launch)
    if lesson is None:
        return None
    kv = weighed.budget.per_gpu.kv_cache
    return UsedStart(
        host=lesson.observed.host,
        day=lesson.observed.at.date().isoformat(),
        remaining_gib=round(max(kv.high - kv.expected, kv.expected - kv.low), 2),
    )


def _safer(weighed: Weighed, first: Change) -> bool:
    """Whether a start that is not sure becomes sure with a context that nobody asked to be longer."""
    free = weighed.plan.request.context is None and first.kind == "context"
    return weighed.fits is Verdict.UNCERTAIN and free and first.verdict is Verdict.FITS


def _with_changes(estimate: Estimate, weighed: Weighed) -> Estimate:
    tried = changes_of(weighed)
    estimate = replace(estimate, changes=tried, ladder=ladder(weighed))
    if not tried or (estimate.serve_command is not None and not _safer(weighed, tried[0])):
        return estimate
    return replace(estimate, serve_command=tried[0].serve_command, command_change=tried[0].kind)
