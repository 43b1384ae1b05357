"""What one stretch of text says: every grammar over the same text, each taking what it understands."""

from dataclasses import dataclass, field, replace
from typing import Any

from bot.understand import cards, model_names, model_sizes, precision, settings, workload
from bot.understand.model_ids import Named, in_format
from bot.understand.numbers import fold
from bot.understand.precision import Precision
from bot.understand.scan import Scan, gist, grammar
from bot.understand.understood import Fields, Intent
from knowledge.errors import Refusal

NOTHING = Fields()
_NO_FORMATS = Precision()
_LONE = grammar(r"(?<![\w.$#:-])[1-9]\d{0,2}(?![\w.%:/)-])")


@dataclass(frozen=True, slots=True)
class Reading:
    """What was said, before it is known what is asked.

    `fields` lacks what depends on the question (settle). `asked` is the text with names marked, `text` with all that was understood
    marked. `loose` is a lone small number that nothing explains (“on 4?”). `size` is a bare model size (`70b`); `several` is true of cards named in the plural without a number.
    """

    fields: Fields = NOTHING
    options: dict[str, Any] = field(default_factory=dict)
    model: Named | None = None
    formats: Precision = _NO_FORMATS
    size: str | None = None
    several: bool = False
    loose: int | None = None
    problems: tuple[Refusal, ...] = ()
    asked: str = ""
    text: str = ""

    @property
    def said(self) -> bool:
        """Whether anything was understood."""
        return bool(
            said(self.fields) or self.options or self.model or self.size or self.formats != _NO_FORMATS or self.problems
        )


def said(fields: Fields) -> dict[str, Any]:
    """The fields that are not None, by name."""
    return {name: value for name in Fields.__dataclass_fields__ if (value := getattr(fields, name)) is not None}


def read(text: str, default_model: str | None = None) -> Reading:
    """Reads a narrowed text (fold.narrow). Nothing is assumed: what was not said is None.

    `default_model` is meant only where the text points at it (“our model”, a bare size that it has).
    """
    scan = Scan.of(fold(text))
    named, scan = model_names.find(scan)
    version, scan = settings.find_version(scan)
    numbers, options, scan = settings.find_settings(scan)
    hardware, scan = cards.find(scan)
    if not named:
        named, scan = model_names.find_slips(scan)
    size, scan = model_sizes.take_sizes(scan)
    model = model_names.chosen(named) or model_sizes.pointed_at(scan, size, default_model)
    model, unknown = model_sizes.known(model, scan)
    if model and (beside := size or _bare_size(named, scan)):
        model = model_names.with_size(model, scan.said[model.start : model.end], beside)
    formats, scan = precision.find(scan)
    asked = gist(scan.text)
    load, scan = workload.find(scan)
    if hardware.nodes:
        options["nodes"] = hardware.nodes
    fields = Fields(
        gpu=hardware.gpu,
        gpu_mem_gb=hardware.memory_gb,
        count=hardware.count,
        context_tokens=load.context,
        concurrency=load.concurrency,
        kv_dtype=formats.kv,
        vllm_version=version,
    )
    problems = (*settings.faults(numbers), *hardware.problems, *load.problems, *((unknown,) if unknown else ()))
    return Reading(
        fields=replace(fields, **numbers),
        options=options,
        model=model,
        formats=formats,
        size=size,
        several=hardware.plural,
        loose=_loose(scan),
        problems=problems,
        asked=asked,
        text=gist(scan.text),
    )


def _bare_size(named: tuple[Named, ...], scan: Scan) -> str | None:
    """A size that is a name by itself (405B), beside another name."""
    return next((scan.said[each.start : each.end] for each in named if each.bare), None)


def _loose(scan: Scan) -> int | None:
    found = _LONE.findall(scan.text)
    return int(found[0]) if len(found) == 1 else None


def settle(reading: Reading, intent: Intent) -> Fields:
    """The fields that a reading says when `intent` is asked."""
    fields = _with_model(reading, intent)
    if fields.count is None and intent is not Intent.HOW_MANY_GPUS:
        fields = replace(fields, count=_count(reading, fields))
    match intent:
        case Intent.HOW_MANY_GPUS:
            return replace(fields, count=None)
        case Intent.MAX_CONTEXT:
            return replace(fields, context_tokens=None)
        case Intent.MAX_CONCURRENCY:
            return replace(fields, concurrency=None)
        case _:
            return fields


def _with_model(reading: Reading, intent: Intent) -> Fields:
    """A format said beside a model is its weights'; in a question about the cache alone it is the cache's."""
    fields, model, quant = reading.fields, reading.model, reading.formats.weights
    if intent is Intent.KV_PER_TOKEN and quant and fields.kv_dtype is None:
        fields, quant = replace(fields, kv_dtype="fp8" if quant == "int8" else quant), None
    if model is None:
        return replace(fields, weight_quant=quant)
    if model.quant is None and quant and model.listed:
        return replace(fields, model_id=in_format(model.model_id, quant), weight_quant=quant)
    return replace(fields, model_id=model.model_id, weight_quant=model.quant or quant)


def _count(reading: Reading, fields: Fields) -> int | None:
    """A layout says how many cards it takes; one card, or one memory, named without a number is one."""
    layout = (fields.tp or 1) * (fields.pp or 1) * (fields.dp or 1)
    if fields.tp or fields.pp or fields.dp:
        return layout
    named = fields.gpu is not None or fields.gpu_mem_gb is not None
    bad = any(problem.code == "bad-count" for problem in reading.problems)
    return 1 if named and not reading.several and not bad else None
