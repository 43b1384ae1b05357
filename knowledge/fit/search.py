"""Questions over many launches: which models a card holds, which cards hold a model, how many of one, and in which layout."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from knowledge import catalogue
from knowledge.errors import Refusal
from knowledge.fit.assumptions import keeps_latents, plugin_of
from knowledge.fit.builds import label, lighter_builds, refused_by, runs_on
from knowledge.fit.cards import common_cards
from knowledge.fit.estimate import Estimate
from knowledge.fit.estimator import estimate_of
from knowledge.fit.layouts import Divisors, pipeline_limit
from knowledge.fit.plans import Resolve, Subject, cards_of, plan, subject_of, subjects
from knowledge.fit.request import FitRequest
from knowledge.fit.serve import also_called
from knowledge.fit.verdict import SEVERITY, Weighed, refused, weigh
from knowledge.fit.words import quantization_label
from knowledge.memory.judgement import Verdict

USUAL_CONTEXT = 8192  # what is assumed of a model that only has to be useful: a conversation or a few documents
COUNTS = (1, 2, 4, 8, 16, 32, 64)
ONE_SERVER = 8
ROOMY = 0.5  # with the weights at half of the budget or less, a second copy serves more than a wider split
MOST_LAYOUTS = 4


def which_models(
    said: FitRequest, *, models: Iterable[str] | None = None, resolve: Resolve = catalogue.resolve
) -> tuple[Estimate, ...]:
    """The common models on one card or several: each as published if that fits, else its heaviest build that does.

    `said.model` is not looked at. Where no context is said, 8,192 tokens are assumed, or all that the model has.
    """
    card = cards_of(said)[0]
    found = []
    for model_id in catalogue.common() if models is None else models:
        best = _first_that_fits(*_in_the_build(said, Subject(shape=resolve(model_id, None), gpu=card)))
        if best is not None:
            found.append(_estimate(said, best))
    return tuple(found)


def which_gpus(said: FitRequest, *, resolve: Resolve = catalogue.resolve) -> tuple[Estimate, ...]:
    """For every common card the smallest usable number in one server that holds the model; `said.count` is the only one, if said.

    What holds it for sure comes first, cards that need a plug-in after the others, least memory in all first. `said.gpu` is not
    looked at. The context is as for which_models.
    """
    asked = subject_of(said, resolve, common_cards()[0])
    counts = (said.count,) if said.count else tuple(count for count in COUNTS if count <= ONE_SERVER)
    cards = [card for card in common_cards() if not refused_by(asked.shape, card)]
    found = [_smallest(said, replace(asked, gpu=card), counts) for card in cards]
    fitting = sorted((weighed for weighed in found if weighed is not None), key=_price)
    return tuple(_estimate(said, weighed) for weighed in fitting)


def lighter_gpus(said: FitRequest, *, resolve: Resolve = catalogue.resolve) -> tuple[Estimate, ...]:
    """For each lighter build of the model the first card of which_gpus; builds that need no less than the one before are left out."""
    if said.quantization is not None:
        return ()
    asked = subject_of(said, resolve, common_cards()[0])
    counts = (said.count,) if said.count else tuple(count for count in COUNTS if count <= ONE_SERVER)
    found: list[Weighed] = []
    for build in lighter_builds(asked.shape):
        cards = [card for card in common_cards() if runs_on(build, card)]
        tried = [_smallest(said, replace(asked, gpu=card, shape=build), counts) for card in cards]
        best = min((weighed for weighed in tried if weighed is not None), key=_price, default=None)
        if best is not None and (not found or _price(best) < _price(found[-1])):
            found.append(best)
    return tuple(_estimate(said, weighed) for weighed in found)


def how_many(said: FitRequest, *, resolve: Resolve = catalogue.resolve) -> tuple[Estimate, ...]:
    """The smallest usable number of one card for the model as asked, then for its lighter builds where none was asked.

    Empty when 64 do not hold it. `said.count` is not looked at. The context is as for which_models.
    """
    builds = [build for subject in subjects(said, resolve) for build in _builds(said, subject)]
    found = [_smallest(said, build, COUNTS) for build in builds]
    return tuple(_estimate(said, weighed) for weighed in found if weighed is not None)


def recommend(said: FitRequest, *, resolve: Resolve = catalogue.resolve) -> tuple[Estimate, ...]:
    """The layouts of that many cards worth starting with, best first; changes are worked out for the first.

    Copies of the model (DP) before a wider split once the weights take at most half of the budget, and for MLA, whose cache
    a split only repeats; else the widest TP.
    """
    subject = subjects(said, resolve)[0]
    tried = sorted(_layouts(said, subject), key=_preference)[:MOST_LAYOUTS]
    return tuple(estimate_of(weighed.plan, changes=place == 0) for place, weighed in enumerate(tried))


def _in_the_build(said: FitRequest, subject: Subject) -> tuple[FitRequest, Subject]:
    """The model in the quantisation that was asked for, listed if there is such a build; left as it is where it is published quantised."""
    asked = quantization_label(said.quantization)
    if asked is None:
        return said, subject
    builds = {label(build): build for build in lighter_builds(subject.shape)}
    listed = next((builds[name] for name in also_called(asked) if name in builds), None)
    if listed is None and subject.shape.quantization is not None:
        return said.model_copy(update={"quantization": None}), subject
    return said, replace(subject, shape=listed or catalogue.with_quantization(subject.shape, asked))


def _builds(said: FitRequest, subject: Subject) -> Iterator[Subject]:
    """The model as asked and, where no quantisation was asked for, its lighter builds, heaviest first."""
    yield subject
    if said.quantization is None:
        for build in lighter_builds(subject.shape):
            if runs_on(build, subject.gpu):
                yield replace(subject, shape=build)


def _estimate(said: FitRequest, weighed: Weighed) -> Estimate:
    """Without changes; the context that was assumed stands in `assumed`."""
    estimate = estimate_of(weighed.plan)
    if said.context is not None:
        return estimate
    return replace(estimate, assumed={**(estimate.assumed or {}), "context_tokens": estimate.context})


def _weigh(said: FitRequest, subject: Subject, update: Mapping[str, object]) -> Weighed | None:
    """None where vLLM would refuse it before it looks at memory."""
    context = said.context or min(USUAL_CONTEXT, subject.shape.max_context)
    request = said.model_copy(update={"model": subject.shape.model_id, "context": context, **update})
    try:
        return weigh(plan(request, subject))
    except Refusal:
        return None


def _first_that_fits(said: FitRequest, subject: Subject) -> Weighed | None:
    """Of the builds that can be tried the first that fits, else the first that might, else the first."""
    best: Weighed | None = None
    for build in _builds(said, subject):
        weighed = _weigh(said, build, {})
        if weighed is None:
            continue
        if weighed.overall is Verdict.FITS and not refused(weighed):
            return weighed
        best = weighed if best is None or _badness(weighed) < _badness(best) else best
    return best


def _badness(weighed: Weighed) -> tuple[bool, int]:
    return refused(weighed), SEVERITY.index(weighed.overall)


def _smallest(said: FitRequest, subject: Subject, counts: Iterable[int]) -> Weighed | None:
    """The first count that fits for sure, else the first that might; None when none does."""
    maybe: Weighed | None = None  # said in a note when twice as many are needed to be sure
    for count in counts:
        layout = {"count": count, "tp": None, "pp": None, "nodes": None, "gpu": subject.gpu.name}
        weighed = _weigh(said, subject, layout)
        if weighed is not None and weighed.overall is Verdict.FITS:
            return weighed if maybe is None else _noted(weighed, f"fewer-might-do-{maybe.plan.launch.gpus}")
        if weighed is not None and weighed.overall is Verdict.UNCERTAIN:
            maybe = maybe or weighed
    return maybe


def _noted(weighed: Weighed, note: str) -> Weighed:
    return replace(weighed, plan=replace(weighed.plan, notes=(*weighed.plan.notes, note)))


def _price(weighed: Weighed) -> tuple[int, bool, int, int]:
    launch = weighed.plan.launch
    plugin = plugin_of(launch.gpu) is not None
    return SEVERITY.index(weighed.overall), plugin, launch.gpus * launch.gpu.memory_gb, launch.gpus


def _layouts(said: FitRequest, subject: Subject) -> Iterator[Weighed]:
    """Every tp × pp × dp of the count that vLLM can start, copies and stages not mixed."""
    count = said.count or 1
    stages = pipeline_limit(subject.shape)
    for tp in Divisors(subject.shape).usable(min(count, ONE_SERVER)):
        rest = count // tp
        if tp * rest == count:
            sizes = [(1, rest)] if rest == 1 or stages < rest else [(1, rest), (rest, 1)]
            for pp, dp in sizes:
                yield weigh(plan(said.model_copy(update=_sizes(subject, (tp, pp, dp))), subject))


def _sizes(subject: Subject, layout: tuple[int, int, int]) -> dict[str, object]:
    """Experts are spread whole over the copies: otherwise each copy would hold them all."""
    tp, pp, dp = layout
    sizes: dict[str, object] = {"tp": tp, "pp": pp, "dp": dp, "count": tp * pp * dp}
    return sizes | ({"enable_expert_parallel": True} if dp > 1 and subject.shape.experts else {})


def _preference(weighed: Weighed) -> tuple[int, int, int, int]:
    """What fits first, then no pipeline, then roomy copies before wide splits before narrow ones."""
    launch, per_gpu = weighed.plan.launch, weighed.budget.per_gpu
    roomy = keeps_latents(launch) or per_gpu.weights.expected <= ROOMY * per_gpu.budget.expected
    return SEVERITY.index(weighed.overall), launch.pp, 0 if roomy else 1, -launch.dp if roomy else -launch.tp
