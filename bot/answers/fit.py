"""Answers with figures for one launch, or for the few cards that a name can mean."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace

from bot.answers.changes import point
from bot.answers.facts import (
    NOTHING,
    REFUSED,
    cards,
    deciding,
    facts,
    model_name,
    names,
    refused_lead,
    short_name,
    tokens_known,
    worse,
)
from bot.answers.leads import TONES, lead, tone
from bot.settings import Language
from bot.sheet import Act, Button, Menu, Sheet, Table, Tone
from bot.text.figures import about, gib, gib_range
from bot.text.phrases import knows, say
from bot.understand.understood import Intent
from knowledge.fit.estimate import Estimate
from knowledge.memory.judgement import Limiting, Verdict
from knowledge.memory.per_gpu import PerGpu
from knowledge.units import Range

MOST_POINTS = 4
MOST_CHARTS = 2  # of a name that means several cards
MOST_MORE = 2  # where it fits already
MOST_NOTES = 3
# The order in which what was assumed is said: hardware, load, model, settings.
ASSUMED = (
    "model_id", "count", "gpu_mem_gb", "tp", "pp", "dp", "nodes", "context_tokens", "concurrency", "weight_quant", "kv_dtype",
    "dtype", "utilization", "max_num_seqs", "max_num_batched_tokens", "vllm_version",
)  # fmt: skip


def fit_sheet(estimates: Sequence[Estimate], intent: Intent, language: Language, *, context_said: bool) -> Sheet:
    """The answer for one estimate, or for one a card where a name means several."""
    if len(estimates) > 1:
        return _several(estimates, intent, language, context_said=context_said)
    estimate = estimates[0]
    most = MOST_MORE if worse(estimate) is Verdict.FITS else MOST_POINTS
    return Sheet(
        lead=refused_lead(estimates, language) or lead(estimate, intent, context_said=context_said, language=language),
        tone=Tone.BAD if REFUSED in estimate.notes else tone(estimate, intent, context_said=context_said),
        figures=tuple(_figures(estimate, language)),
        points_title=say(language, "fit.title_more" if worse(estimate) is Verdict.FITS else "fit.title_changes"),
        points=points_of(_beside(estimate, intent, context_said=context_said), language, most),
        command_title=say(language, f"fit.{_command_title(estimate)}"),
        command=estimate.serve_command,
        notes=tuple(notes(estimate, language)),
        assumed=assumed_line(estimate, language),
        sources=sources_line(estimate, language),
        menus=(Menu.MODEL, Menu.GPU),
        buttons=_chart_button(estimates, language),
    )


def _chart_button(estimates: Sequence[Estimate], language: Language) -> tuple[Button, ...]:
    """What draws where the memory goes; nothing where no GPU's memory is known, or for more cards than make one picture."""
    drawable = len(estimates) <= MOST_CHARTS and all(estimate.per_gpu and estimate.gpu for estimate in estimates)
    return (Button(Act.CHART, say(language, "charts.button"), "1"),) if drawable else ()


def _beside(estimate: Estimate, intent: Intent, *, context_said: bool) -> Estimate:
    """Without the shorter context among the changes, where the longest one is what is answered."""
    if intent is not Intent.MAX_CONTEXT or context_said:
        return estimate
    return replace(estimate, changes=tuple(change for change in estimate.changes if change.kind != "context"))


def title_for(estimate: Estimate, phrase: str, language: Language, **known: str) -> str:
    """The command's title: it says so where the command has the best change in it."""
    changed = estimate.command_change is not None
    return say(language, "fit.title_command_changed") if changed else say(language, phrase, **known)


def points_of(estimate: Estimate, language: Language, most: int = MOST_POINTS) -> tuple[str, ...]:
    """What to change, best first."""
    return tuple(point(change, estimate, language) for change in estimate.changes[:most])


def assumed_line(estimate: Estimate, language: Language, skip: Sequence[str] = ()) -> str | None:
    """The defaults used, in one line; None when nothing was assumed. `skip` are those that the rest of the answer says."""
    assumed = estimate.assumed or {}
    told = [key for key in ASSUMED if key in assumed and key not in skip]
    items = [say(language, f"assumed.{key}", value=assumed[key]) for key in told]
    if estimate.observed is not None:
        items.append(say(language, "assumed.observed", value=estimate.observed.host))
    return say(language, "assumed.line", items=items) if items else None


def sources_line(estimate: Estimate, language: Language) -> str | None:
    """Where the figures come from, in one line."""
    return say(language, "fit.sources", sources="; ".join(estimate.sources)) if estimate.sources else None


def notes(estimate: Estimate, language: Language) -> Iterator[str]:
    """How to settle an uncertain verdict, then what else is worth knowing."""
    known = facts(estimate, language)
    if estimate.observed is not None:
        yield say(language, "fit.observed", **asdict(estimate.observed))
    if worse(estimate) is Verdict.UNCERTAIN:
        yield say(language, f"fit.measure_{deciding(estimate)}", **known)
    if "serve ./" in (estimate.serve_command or "") and short_name(estimate.model_id) != estimate.model_id:
        yield say(language, "notes.build_to_find")
    told = [(name, number) for code in estimate.notes for name, number in [_numbered(code)] if _told(name, language)]
    yield from (say(language, f"notes.{name}", **known, number=number) for name, number in told[:MOST_NOTES])


def _numbered(code: str) -> tuple[str, int]:
    """A note's name and the number that it ends in: `fewer-might-do-4`; 0 where it ends in none."""
    name, _, number = code.rpartition("-")
    return (name, int(number)) if number.isdigit() else (code, 0)


def _told(name: str, language: Language) -> bool:
    return knows(language, f"notes.{name}")


def _memory(estimate: Estimate, memory: PerGpu, language: Language) -> Iterator[tuple[str, str]]:
    """What each GPU's memory goes to."""
    known = facts(estimate, language)
    short = memory.kv_cache.expected <= 0
    left = say(language, "fit.nothing_left", **known) if short else gib_range(_no_less_than_nothing(memory.kv_cache))
    told = {
        "memory": say(language, "fit.memory", **known),
        "weights": gib_range(memory.weights),
        "activation": gib_range(memory.activation),
        "overhead": say(language, "fit.overhead", **known),
    } | ({"kv_cache": left} if short or "no-kv-cache" not in estimate.notes else {})
    yield from ((say(language, f"fit.label_{name}"), value) for name, value in told.items())


def _figures(estimate: Estimate, language: Language) -> Iterator[tuple[str, str]]:
    known = facts(estimate, language)

    def label(name: str) -> str:
        return say(language, f"fit.label_{name}")

    if (memory := estimate.per_gpu) is not None:
        yield from _memory(estimate, memory, language)
    if estimate.kv_gib_per_request:
        yield label("kv_request"), say(language, "fit.kv_request", **known)
    if tokens_known(estimate.kv_cache_tokens):
        yield label("tokens"), say(language, "fit.tokens", tokens=estimate.kv_cache_tokens)
    if tokens_known(estimate.max_context):
        yield (
            label("longest"),
            say(language, "fit.longest_figure", longest=estimate.max_context, limit=estimate.model_max_context),
        )
    if tokens_known(estimate.max_concurrency):
        yield (
            label("at_once"),
            say(language, "fit.at_once_figure", at_once=estimate.max_concurrency, context=estimate.context),
        )
    held = [rung for rung in estimate.ladder if rung.concurrency.expected >= 1]
    if len(held) > 1:
        rungs = [say(language, "fit.rung", context=rung.context, at_once=rung.concurrency) for rung in held]
        yield label("ladder"), " · ".join(rungs)


def _no_less_than_nothing(size: Range) -> Range:
    return Range(max(size.low, 0), max(size.expected, 0), max(size.high, 0))


def _command_title(estimate: Estimate) -> str:
    if estimate.command_change is not None:
        return "title_command_changed"
    return "title_command_safe" if estimate.verdict is Verdict.UNCERTAIN else "title_command"


def _several(estimates: Sequence[Estimate], intent: Intent, language: Language, *, context_said: bool) -> Sheet:
    best = next((estimate for estimate in estimates if worse(estimate) is Verdict.FITS), estimates[0])
    helped = next(
        (estimate for estimate in estimates if worse(estimate) is not Verdict.FITS and estimate.changes), best
    )
    fits = worse(helped) is Verdict.FITS
    return Sheet(
        lead=refused_lead(estimates, language)
        or _lead_of_several(estimates, intent, language, context_said=context_said),
        tone=_tone_of_several(estimates),
        table=_table(estimates, language),
        points_title=say(language, f"fit.title_{'more' if fits else 'changes'}_for", cards=cards(helped, language)),
        points=points_of(helped, language, MOST_MORE if fits else MOST_POINTS),
        command_title=title_for(best, "fit.title_command_for", language, cards=cards(best, language)),
        command=best.serve_command,
        notes=tuple(dict.fromkeys(note for estimate in estimates for note in notes(estimate, language))),
        assumed=assumed_line(best, language),
        sources=sources_line(best, language),
        menus=(Menu.MODEL, Menu.GPU),
        buttons=_chart_button(estimates, language),
    )


def _lead_of_several(estimates: Sequence[Estimate], intent: Intent, language: Language, *, context_said: bool) -> str:
    first = estimates[0]
    if (intent is Intent.MAX_CONTEXT and not context_said) or intent is Intent.MAX_CONCURRENCY:
        kind = "longest" if intent is Intent.MAX_CONTEXT else "at_once"
        if kind == "longest" and first.max_context_together:
            kind = "together"
        each = [say(language, f"fit.each_{kind}", **facts(estimate, language)) for estimate in estimates]
        return say(
            language,
            f"fit.{kind}_each",
            family=family(estimates),
            each=each,
            model=model_name(first),
            context=first.context,
            concurrency=first.concurrency,
        )
    what = say(language, "fit.what", context=first.context, concurrency=first.concurrency)
    if len({verdict_word(estimate, language) for estimate in estimates}) == 1:
        every = say(language, "fit.both", cards=[cards(estimate, language) for estimate in estimates])
        return say(
            language,
            "fit.either",
            verdict=verdict_word(first, language),
            cards=every,
            model=model_name(first),
            what=what,
        )
    verdicts = [
        say(language, "fit.each_verdict", cards=cards(estimate, language), verdict=verdict_word(estimate, language))
        for estimate in estimates
    ]
    return say(
        language,
        "fit.depends",
        family=family(estimates),
        verdicts=verdicts,
        model=model_name(first),
        what=what,
    )


def family(estimates: Sequence[Estimate]) -> str:
    """What the cards of several estimates are called in common: `A100` of A100-80GB and A100-40GB."""
    first, *others = [(estimate.gpu or "GPU").replace(" ", "-").split("-") for estimate in estimates]
    shared = [
        word for place, word in enumerate(first) if all(place < len(other) and other[place] == word for other in others)
    ]
    return " ".join(shared) or "GPU"


def _tone_of_several(estimates: Sequence[Estimate]) -> Tone:
    tones = {TONES[worse(estimate)] for estimate in estimates}
    return tones.pop() if len(tones) == 1 else Tone.UNSURE


def verdict_word(estimate: Estimate, language: Language) -> str:
    """The verdict as a word or two, for a table or a list."""
    return say(language, f"fit.verdict_{verdict_name(estimate)}", **facts(estimate, language))


def verdict_name(estimate: Estimate) -> str:
    """The phrase for an estimate's verdict in a table or a list."""
    if REFUSED in estimate.notes:
        return "refused"
    if estimate.limiting is Limiting.MODEL_LIMIT and estimate.verdict is Verdict.DOES_NOT_FIT:
        return "over_limit"
    if estimate.verdict is Verdict.FITS and estimate.concurrency_verdict is Verdict.DOES_NOT_FIT:
        return "fits_not_all"
    return names(worse(estimate))


def _table(estimates: Sequence[Estimate], language: Language) -> Table:
    heads = ("column_card", "column_verdict", "column_left", "column_longest", "column_at_once")
    rows = tuple(
        (cards(estimate, language), verdict_word(estimate, language), *cells(estimate, language))
        for estimate in estimates
    )
    columns = tuple(say(language, f"fit.{head}") for head in heads)
    return Table(columns=columns, rows=rows, spoken=("", "", *columns[2:]))


def cells(estimate: Estimate, language: Language) -> tuple[str, str, str]:
    """What is left for the KV cache, the longest context and the requests at once; empty where nothing fits."""
    if REFUSED in estimate.notes:
        return "", "", ""
    if worse(estimate) is Verdict.DOES_NOT_FIT and not tokens_known(estimate.max_context):
        return "", "", ""
    left = estimate.per_gpu.kv_cache.expected if estimate.per_gpu else 0
    return (
        gib(max(left, 0)),
        say(language, "fit.cell_tokens", tokens=about(estimate.max_context or NOTHING)),
        say(language, "fit.cell_requests", requests=about(estimate.max_concurrency or NOTHING)),
    )
