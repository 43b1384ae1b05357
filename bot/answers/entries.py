"""A knowledge-base entry as an answer: the short answer first, what to do with that version, how to check it, where it is known from."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from bot.settings import Language
from bot.sheet import Sheet
from bot.text.phrases import say
from knowledge.entries.loading import FOLDER, find
from knowledge.entries.schema import Check, Entry, Experiment, Step
from knowledge.versions import NEWEST, OLDEST, Version, nearest

MOST_SOURCES, MOST_RELATED = 3, 3
PREFIXED = "--random-prefix-len"


def entry_sheet(
    entry: Entry,
    language: Language,
    version: Version,
    *,
    assumed: bool,
    own: bool = False,
    beside: Sequence[Entry] = (),
) -> Sheet:
    """The answer. `assumed` says that nobody named the version; `beside` are entries that fit nearly as well."""
    known, _ = nearest(version)
    text = entry.text(language)
    measure = entry.experiment
    return Sheet(
        lead=text.short,
        points_title=say(language, "knowledge.title_steps"),
        points=tuple(_step(step, language) for step in entry.steps_for(known)),
        command_title=_measure_title(measure, language) if measure else "",
        command=bench_command(measure) if measure else None,
        notes=tuple(_notes(entry, language, known, beside)),
        assumed=_for_version(entry, language, version, assumed=assumed, own=own),
        sources=sources(entry, language),
    )


def nearest_sheet(entries: Sequence[Entry], language: Language) -> Sheet:
    """What is said when no entry answers well enough: the nearest ones by title, and what is known about at all."""
    return Sheet(
        lead=say(language, "knowledge.nothing"),
        points_title=say(language, "knowledge.nearest_title"),
        points=tuple(entry.text(language).title for entry in entries),
        notes=(say(language, "knowledge.scope", oldest=OLDEST, newest=NEWEST),),
    )


def vague_sheet(entries: Sequence[Entry], language: Language) -> Sheet:
    """What a question with hardly a word may mean, to choose from."""
    return Sheet(
        lead=say(language, "knowledge.vague"),
        points=tuple(entry.text(language).title for entry in entries),
        notes=(say(language, "knowledge.scope", oldest=OLDEST, newest=NEWEST),),
        feedback=False,
    )


def aside(entry: Entry, language: Language) -> str:
    """The entry in one note, beside another answer."""
    text = entry.text(language)
    return say(language, "knowledge.also", title=text.title, short=text.short)


def bench_command(experiment: Experiment) -> str:
    """`vllm bench serve` with the experiment's load, against a server on its usual port."""
    load = experiment.workload
    options = [
        ("--random-input-len", load.input_len),
        ("--random-output-len", load.output_len),
        (PREFIXED, load.prefix_len),
        ("--num-prompts", load.num_prompts),
        ("--request-rate", load.request_rate and f"{load.request_rate:g}"),
        ("--max-concurrency", load.max_concurrency),
    ]
    said = " ".join(f"{name} {value}" for name, value in options if value is not None)
    return f"vllm bench serve --model MODEL --dataset-name random {said}"


def sources(entry: Entry, language: Language) -> str:
    """The first few sources, each with how it is known and for which version."""
    said = [
        say(
            language,
            "knowledge.source",
            source=evidence.source,
            status=say(language, f"knowledge.{evidence.status}"),
            version=evidence.version,
        )
        for evidence in entry.evidence[:MOST_SOURCES]
    ]
    return say(language, "knowledge.sources", sources=said)


def titles(ids: Sequence[str], language: Language, folder: Path | None = None) -> list[str]:
    """The titles of entries, those that are not written left out."""
    from knowledge.entries.loading import ids as written

    known = {*written(FOLDER), *(written(folder) if folder else ())}
    return [find(each, folder).text(language).title for each in ids if each in known]


def _notes(entry: Entry, language: Language, version: Version, beside: Sequence[Entry]) -> Iterator[str]:
    text = entry.text(language)
    yield from (_check(check, language) for check in entry.checks_for(version))
    if entry.experiment:
        yield say(language, "knowledge.decides", text=_in(entry.experiment, language))
    yield say(language, "knowledge.why", text=text.mechanism)
    yield say(language, "knowledge.not_shown", text=text.not_shown)
    yield from (aside(other, language) for other in beside[:1])
    shown = {entry.id, *(other.id for other in beside[:1])}
    more = [each for each in (*(other.id for other in beside[1:]), *entry.related) if each not in shown]
    if listed := titles(list(dict.fromkeys(more))[:MOST_RELATED], language):
        yield say(language, "knowledge.related", titles=listed)


def _for_version(entry: Entry, language: Language, version: Version, *, assumed: bool, own: bool) -> str:
    said = [say(language, "knowledge.version", version=version, assumed=assumed)]
    span = entry.applies_to
    if not span.holds_in(nearest(version)[0]):
        said.append(
            say(language, "knowledge.other_versions", since=span.first, until=span.last or NEWEST, version=version)
        )
    if own:
        said.append(say(language, "knowledge.own", id=entry.id))
    return " ".join(said)


def _step(step: Step, language: Language) -> str:
    return f"{_in(step, language)}\n`{step.command}`" if step.command else _in(step, language)


def _check(check: Check, language: Language) -> str:
    return say(
        language,
        "knowledge.check",
        text=_in(check, language),
        metric=check.metric or "",
        threshold=check.threshold or "",
    )


def _measure_title(experiment: Experiment, language: Language) -> str:
    return say(language, "knowledge.title_measure", parameter=experiment.parameter, values=experiment.values)


def _in(said: Step | Check | Experiment, language: Language) -> str:
    return said.en if language == "en" else said.zh
