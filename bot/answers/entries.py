"""A knowledge-base entry as an answer: the short answer first, what to do with that version, how to check it, where it is known from."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from bot.settings import Language
from bot.sheet import Act, Button, Sheet
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
    own: Path | None = None,
    beside: Sequence[Entry] = (),
) -> Sheet:
    """The answer. `assumed` says that nobody named the version; `beside` are entries that fit nearly as well; `own` is the team's folder, where it is theirs."""
    known, _ = nearest(version)
    text = entry.text(language)
    measure = entry.experiment
    more = _related(entry, language, beside, own)
    return Sheet(
        lead=text.short,
        points_title=say(language, "knowledge.title_steps"),
        points=tuple(_step(step, language) for step in entry.steps_for(known)),
        command_title=_measure_title(measure, language) if measure else "",
        command=bench_command(measure) if measure else None,
        notes=tuple(_notes(entry, language, known, beside)),
        buttons_title=say(language, "knowledge.read_on") if more else "",
        buttons=(*more, *_measure_button(entry, language)),
        assumed=_for_version(entry, language, version, assumed=assumed, own=own is not None),
        sources=sources(entry, language),
    )


def nearest_sheet(entries: Sequence[Entry], language: Language) -> Sheet:
    """What is said when no entry answers well enough: the nearest ones by title, and what is known about at all."""
    return Sheet(
        lead=say(language, "knowledge.nothing"),
        points_title=say(language, "knowledge.nearest_title"),
        points=tuple(entry.text(language).title for entry in entries),
        notes=(say(language, "knowledge.scope", oldest=OLDEST, newest=NEWEST),),
        buttons=_choices(entries, language),
    )


def vague_sheet(entries: Sequence[Entry], language: Language) -> Sheet:
    """What a question with hardly a word may mean, to choose from."""
    return Sheet(
        lead=say(language, "knowledge.vague"),
        points=tuple(entry.text(language).title for entry in entries),
        notes=(say(language, "knowledge.scope", oldest=OLDEST, newest=NEWEST),),
        buttons=_choices(entries, language),
        feedback=False,
    )


def _choices(entries: Sequence[Entry], language: Language) -> tuple[Button, ...]:
    return tuple(Button(Act.CHOOSE, entry.text(language).title, entry.id) for entry in entries)


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


def buttons(ids: Sequence[str], act: Act, language: Language, folder: Path | None = None) -> tuple[Button, ...]:
    """A button with the title of each entry, those that are not written left out."""
    from knowledge.entries.loading import ids as written

    known = {*written(FOLDER), *(written(folder) if folder else ())}
    return tuple(Button(act, find(each, folder).text(language).title, each) for each in ids if each in known)


def measure_sheet(entry: Entry, language: Language) -> Sheet:
    """How to measure what an entry says, where it has an experiment: the command, and what decides."""
    measure = entry.experiment
    if measure is None:
        return Sheet(lead=say(language, "knowledge.no_experiment", title=entry.text(language).title), feedback=False)
    return Sheet(
        lead=entry.text(language).title,
        command_title=_measure_title(measure, language),
        command=bench_command(measure),
        notes=(say(language, "knowledge.decides", text=_in(measure, language)),),
        feedback=False,
    )


def _notes(entry: Entry, language: Language, version: Version, beside: Sequence[Entry]) -> Iterator[str]:
    text = entry.text(language)
    yield from (_check(check, language) for check in entry.checks_for(version))
    if entry.experiment:
        yield say(language, "knowledge.decides", text=_in(entry.experiment, language))
    yield say(language, "knowledge.why", text=text.mechanism)
    yield say(language, "knowledge.not_shown", text=text.not_shown)
    yield from (aside(other, language) for other in beside[:1])


def _related(entry: Entry, language: Language, beside: Sequence[Entry], folder: Path | None) -> tuple[Button, ...]:
    """Entries to read on in: the one that is told beside first, then what fits nearly as well, then what the entry names."""
    ids = dict.fromkeys([*(other.id for other in beside), *entry.related])
    return buttons([each for each in ids if each != entry.id], Act.OPEN, language, folder)[:MOST_RELATED]


def _measure_button(entry: Entry, language: Language) -> Iterator[Button]:
    if entry.experiment:
        yield Button(Act.MEASURE, say(language, "knowledge.measure_this"), entry.id)


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
