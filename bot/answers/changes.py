"""A change that was tried, as one line: what to do, what it brings, what it costs."""

from bot.answers.facts import names, worse
from bot.settings import Language
from bot.text.phrases import knows, say
from knowledge.fit.estimate import Change, Estimate, Verdict


def point(change: Change, estimate: Estimate, language: Language) -> str:
    """The line for `change` of `estimate`. A kind without words of its own is named by its flag."""
    kind = names(change.kind)
    known = {
        "flag": change.flag,
        "to": change.to,
        "count": estimate.count or 1,
        "gpus": change.count or change.to,
        "gpu": estimate.gpu,
        "longest": change.max_context,
        "at_once": change.max_concurrency,
        "context": estimate.context,
    }
    outcome = _outcome(change, estimate)
    return say(
        language,
        "changes.line",
        what=say(language, f"changes.{kind if knows(language, f'changes.{kind}') else 'option'}", **known),
        outcome=say(language, f"changes.outcome_{outcome}", **known),
        caveat=say(language, f"changes.caveat_{names(change.caveat)}") if change.caveat else "",
    )


def _outcome(change: Change, estimate: Estimate) -> str:
    if worse(estimate) is Verdict.FITS:
        return "more"
    shorter = change.kind == "context" and change.verdict is Verdict.FITS
    return "shorter" if shorter else names(change.verdict)
