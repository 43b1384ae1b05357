"""The first sentence of a fit answer: the verdict, led by the worse of start and concurrency."""

from bot.answers.facts import NOTHING, deciding, facts, names, tokens_known, worse
from bot.settings import Language
from bot.sheet import Tone
from bot.text.figures import count_range
from bot.text.phrases import say
from bot.understand.understood import Intent
from knowledge.fit.estimate import Estimate
from knowledge.memory.judgement import Limiting, Verdict

USABLE = 512  # tokens: a context that is shorter is no use to anybody
TONES = {Verdict.FITS: Tone.GOOD, Verdict.UNCERTAIN: Tone.UNSURE, Verdict.DOES_NOT_FIT: Tone.BAD}


def lead(estimate: Estimate, intent: Intent, *, context_said: bool, language: Language) -> str:
    """The sentence that answers `intent`. `context_said` tells an asked context from the model's own limit."""
    match intent:
        case Intent.MAX_CONTEXT if not context_said:
            name = _longest_together(estimate) if estimate.max_context_together else _longest(estimate)
        case Intent.MAX_CONCURRENCY:
            name = _at_once(estimate)
        case _:
            name = _fit(estimate, context_said=context_said)
    return _sentence(estimate, name, language)


def tone(estimate: Estimate, intent: Intent, *, context_said: bool) -> Tone:
    """How the sentence is marked. A longest context or a number of requests is good news where there is any."""
    if intent is Intent.MAX_CONTEXT and not context_said:
        return Tone.GOOD if tokens_known(estimate.max_context_together or estimate.max_context) else Tone.BAD
    if intent is Intent.MAX_CONCURRENCY:
        return Tone.GOOD if tokens_known(estimate.max_concurrency) else Tone.BAD
    return TONES[worse(estimate)]


def _fit(estimate: Estimate, *, context_said: bool) -> str:
    match estimate.verdict:
        case Verdict.DOES_NOT_FIT:
            return _does_not_fit(estimate, context_said=context_said)
        case Verdict.UNCERTAIN:
            return "unsure"
    if estimate.concurrency_verdict is None or estimate.concurrency <= 1:
        return "fits" if context_said and estimate.context < estimate.model_max_context else "fits_full"
    return {Verdict.FITS: "fits_all", Verdict.UNCERTAIN: "unsure_all", Verdict.DOES_NOT_FIT: "fits_not_all"}[
        estimate.concurrency_verdict
    ]


def _does_not_fit(estimate: Estimate, *, context_said: bool) -> str:
    if estimate.limiting is Limiting.MODEL_LIMIT:
        return "over_limit"
    if estimate.max_context is None or estimate.max_context.expected < USABLE:
        return "no"
    if estimate.limiting is Limiting.STATE_BLOCKS and estimate.max_context.expected >= estimate.context:
        return "no"
    return "too_long" if context_said else "too_long_full"


def _longest(estimate: Estimate) -> str:
    if not tokens_known(estimate.max_context):
        return "no"
    known = estimate.max_context or NOTHING
    if known.low >= estimate.model_max_context:
        return "longest_limit"
    return "longest" if known.low >= 1 else "longest_unsure"


def _longest_together(estimate: Estimate) -> str:
    if not tokens_known(estimate.max_context):
        return "no"
    return "longest_together" if tokens_known(estimate.max_context_together) else "longest_together_none"


def _at_once(estimate: Estimate) -> str:
    if not tokens_known(estimate.max_context):
        return "no"
    return "at_once" if tokens_known(estimate.max_concurrency) else "at_once_none"


def _sentence(estimate: Estimate, name: str, language: Language) -> str:
    known = facts(estimate, language)
    term = names(estimate.limiting)
    extra = {
        "because": say(language, f"fit.because_{term}", **known) if name == "no" else "",
        "term": say(language, f"fit.term_{deciding(estimate)}", **known) if name == "unsure" else "",
    }
    if name == "longest_limit":
        extra["longest"] = count_range(estimate.max_context) if estimate.max_context else ""
    return say(language, f"fit.{name}", **(known | extra))
