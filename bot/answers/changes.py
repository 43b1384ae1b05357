"""A change that was tried, as one line: what to do, what it brings, what it costs."""

from typing import Any

from bot.answers.facts import names, worse
from bot.settings import Language
from bot.text.phrases import knows, say
from knowledge.fit.estimate import Change, Estimate
from knowledge.memory.judgement import Verdict


def point(change: Change, estimate: Estimate, language: Language) -> str:
    """The line for `change` of `estimate`. A kind without words of its own is named by its flag."""
    shorter = "context" in (change.kind, change.also_kind)
    known = {
        "count": estimate.count or 1,
        "gpus": change.count or change.to,
        "gpu": estimate.gpu,
        "longest": change.max_context,
        "at_once": change.max_concurrency,
        "context": int(change.to if change.kind == "context" else change.also_to) if shorter else estimate.context,
        "concurrency": estimate.concurrency,
    }
    outcome = _outcome(change, estimate)
    what = _what(change.kind, known | {"flag": change.flag, "to": change.to}, language)
    if change.also_kind:
        also = _what(change.also_kind, known | {"flag": change.also_flag, "to": change.also_to}, language)
        what = say(language, "changes.two", one=what, other=also)
    return say(
        language,
        "changes.line",
        what=what,
        outcome=say(language, f"changes.outcome_{outcome}", **known),
        caveat=say(language, f"changes.caveat_{names(change.caveat)}") if change.caveat else "",
    )


def _what(kind: str, known: dict[str, Any], language: Language) -> str:
    name = names(kind)
    return say(language, f"changes.{name if knows(language, f'changes.{name}') else 'option'}", **known)


def _outcome(change: Change, estimate: Estimate) -> str:
    if worse(estimate) is Verdict.FITS:
        return "more"
    if change.kind == "context" and change.verdict is Verdict.FITS:
        return "shorter"
    return "fewer" if change.verdict is Verdict.DOES_NOT_FIT else names(change.verdict)
