"""What a message inherits: from the earlier question of its thread, or from the part before it."""

import re
from dataclasses import dataclass, field, replace
from typing import Any

from bot.understand import topics
from bot.understand.intents import ESTIMATES, Wanted
from bot.understand.model_ids import base_of, in_format, of_another_size
from bot.understand.reading import NOTHING, Reading, said, settle
from bot.understand.understood import Fields, Intent

_POINTS_BACK = re.compile(
    r"^\s?(?:and|or|but|also|then|ok(?:ay)?|so|hm+|now|same|(?:what|how) (?:about|if)|if|say|try|make it"
    r"|let'?s say|instead)\b|\binstead\b|\b(?:what|how) (?:about|if)\b|\bsame (?:but|with|for|on)\b"
    r"|^\s?(?:那|那么|如果|要是|假如|换|改|再|还有|或者|同样|一样|还是)|呢\s?[?]?\s?$|(?:换成|改成|改为|换|变成|改用|换到|加到|升到|降到|调到)|的话|又如何|怎么样\s?[?]?$"
)
_HANGS_ON = re.compile(r"\b(?:with|on|using|at|for|would|will) \S{1,24}(?: \S{1,12}){0,2}\?*$|^\s?(?:用|上|开|关)")
# What a question stops asking once the message itself gives the number.
_ANSWERED_BY = {
    Intent.MAX_CONTEXT: "context_tokens",
    Intent.MAX_CONCURRENCY: "concurrency",
    Intent.HOW_MANY_GPUS: "count",
    Intent.WHICH_GPU: "gpu",
    Intent.WHICH_MODEL: "model_id",
    Intent.KV_PER_TOKEN: "gpu",
}
_LAYOUT = ("tp", "pp", "dp")
# What is not said any more once it is asked, and what unless it is said again.
_ASKED = {
    Intent.HOW_MANY_GPUS: ("count", *_LAYOUT),
    Intent.MAX_CONTEXT: ("context_tokens",),
    Intent.MAX_CONCURRENCY: ("concurrency",),
}
_ASKED_ANEW = {Intent.WHICH_GPU: ("gpu", "gpu_mem_gb", "count", *_LAYOUT)}


@dataclass(frozen=True, slots=True)
class Before:
    """What is known when a message, or a part of one, begins."""

    fields: Fields = NOTHING
    options: dict[str, Any] = field(default_factory=dict)
    intent: Intent | None = None
    size: float | None = None


def continues(text: str, reading: Reading, wanted: Wanted, before: Before) -> bool:
    """Whether a message goes on with the question before it: it names something, asks nothing new of its own, or points back."""
    if not said(before.fields):
        return False
    if wanted.intent in ESTIMATES:
        return not _complete(reading) or _points_back(text)
    if (
        not (reading.said or reading.loose)
        or wanted.intent in (Intent.COMMAND, Intent.HELP, Intent.DIAGNOSE)
        or topics.trouble(text)
    ):
        return False
    short = len(text) <= 60
    return short and (_points_back(text) or _HANGS_ON.search(text.lower()) is not None or not wanted.asked)


def _points_back(text: str) -> bool:
    return _POINTS_BACK.search(text.lower()) is not None


def _complete(reading: Reading) -> bool:
    """Whether it is a question of its own: a model and what it is to run on."""
    return reading.model is not None and (reading.fields.gpu is not None or reading.fields.gpu_mem_gb is not None)


def intent_of(wanted: Wanted, reading: Reading, before: Before) -> Intent:
    """What a continuation asks: what it says, else what was asked before, unless it gives that very number."""
    if wanted.asked and wanted.intent in ESTIMATES:
        return wanted.intent
    asked = before.intent if before.intent in ESTIMATES and before.intent is not Intent.CHECK_COMMAND else Intent.FIT
    assert asked is not None
    answered = _ANSWERED_BY.get(asked)
    given = said(reading.fields)
    given |= {"model_id": reading.model.model_id} if reading.model else {}
    given |= {_loosely(before): reading.loose} if reading.loose else {}
    return Intent.FIT if answered in given else asked


def _loosely(before: Before) -> str:
    """What a lone number is: requests where they were asked for (`20 个呢`), else cards."""
    return "concurrency" if before.intent is Intent.MAX_CONCURRENCY else "count"


def inherit(reading: Reading, intent: Intent, before: Before) -> tuple[Fields, dict[str, Any]]:
    """The fields and options of a continuation: everything before it, with what it says put in its place."""
    old, new = _without(reading, before.fields), _own(reading, intent, before)
    values = said(old) | said(new) | _model(reading, new, old)
    if new.gpu and new.gpu != old.gpu and new.gpu_mem_gb is None:
        values.pop("gpu_mem_gb", None)
    options = before.options | reading.options
    if old.count and new.count and new.count != old.count:
        _lay_out_anew(values, options, new, reading)
    elif old.count and not reading.fields.count:
        values["count"] = max(old.count, _layout(values))
    anew = [name for name in _ASKED_ANEW.get(intent, ()) if getattr(new, name) is None]
    for name in (*_ASKED.get(intent, ()), *anew):
        values.pop(name, None)
    if intent is not Intent.HOW_MANY_GPUS and not reading.several and ("gpu" in values or "gpu_mem_gb" in values):
        values.setdefault("count", _layout(values))
    return Fields(**{name: value for name, value in values.items() if value is not None}), options


def _without(reading: Reading, old: Fields) -> Fields:
    """What was said before, less what is now said not to be: `without fp8`, `instead of awq`."""
    if reading.formats.not_kv is not None:
        old = replace(old, kv_dtype=None)
    if reading.formats.not_weights is None or old.weight_quant is None:
        return old
    return replace(old, weight_quant=None, model_id=base_of(old.model_id) if old.model_id else None)


def _own(reading: Reading, intent: Intent, before: Before) -> Fields:
    """What a continuation itself says; a card without a number is as many as before, and a lone number is how many."""
    old, new = before.fields, settle(replace(reading, several=True), intent)
    if reading.loose and _loosely(before) == "concurrency" and new.concurrency is None:
        return replace(new, concurrency=reading.loose)
    cards = old.gpu or old.gpu_mem_gb or new.gpu
    if reading.loose and cards and new.count is None and intent is not Intent.HOW_MANY_GPUS:
        return replace(new, count=reading.loose)
    return new


def _lay_out_anew(values: dict[str, Any], options: dict[str, Any], new: Fields, reading: Reading) -> None:
    """Another number of cards: the layout over the old number goes, unless it is said again."""
    for name in _LAYOUT:
        if getattr(new, name) is None:
            values.pop(name, None)
    if "nodes" not in reading.options:
        options.pop("nodes", None)


def _layout(values: dict[str, Any]) -> int:
    cards = 1
    for name in _LAYOUT:
        cards *= values.get(name) or 1
    return cards


def _model(reading: Reading, new: Fields, old: Fields) -> dict[str, Any]:
    """Model and format: a checkpoint that is named in full brings its own format, else the old one stays."""
    model = reading.model
    if model is not None and new.model_id is not None:
        kept = new.weight_quant or (None if model.full else old.weight_quant)
        if kept is None or model.quant is not None or not model.listed:
            return {"model_id": new.model_id, "weight_quant": kept}
        return {"model_id": in_format(new.model_id, kept), "weight_quant": kept}
    if model is None and reading.size and old.model_id is not None:
        sibling = of_another_size(old.model_id, reading.size)
        quant = new.weight_quant or old.weight_quant
        return {"model_id": in_format(sibling, quant) if sibling and quant else sibling, "weight_quant": quant}
    if new.weight_quant is None or old.model_id is None:
        return {}
    return {"model_id": in_format(old.model_id, new.weight_quant)}


def carry(fields: Fields, options: dict[str, Any], before: Before) -> tuple[Fields, dict[str, Any]]:
    """What a message that asks nothing of the estimator leaves for the next one: all that the thread has said."""
    new = said(fields)
    if fields.gpu is None and fields.gpu_mem_gb is None:  # why is TP 4 slower than TP 2: no layout of one's own
        new = {name: value for name, value in new.items() if name not in ("count", *_LAYOUT)}
    return replace(before.fields, **new), before.options | options
