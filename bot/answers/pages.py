"""What buttons and `/vllm kb` show: entries, how to measure one, lists of them, what to write next, a step of the quiz."""

from collections.abc import Callable
from functools import partial

from bot.answers import quizzing
from bot.answers.answer import Answer
from bot.answers.entries import buttons, entry_sheet, measure_sheet, nearest_sheet
from bot.answers.whole import joined, single
from bot.settings import Language, Settings
from bot.sheet import Act, Sheet
from bot.text.phrases import say
from bot.understand.understood import Intent, Understood
from knowledge.entries.loading import FOLDER, every, find, ids
from knowledge.errors import Refusal
from knowledge.versions import DEFAULT, parse

MOST_HITS = 5
MOST_GAPS = 15
LONGEST_GAP = 100  # characters of a question that are shown


def page(asked: Act, value: str, language: Language, settings: Settings, *, direct: bool = False) -> Answer:
    """The page. A Refusal is an answer too. `direct` says whether questions from direct messages may be shown."""
    from bot.answers.short import refusal_sheet

    understood = Understood(text="", language=language, intent=Intent.KNOWLEDGE)
    try:
        entries, sheet = _sheet(asked, value, language, settings, direct=direct)
    except Refusal as refusal:
        return joined([single(understood, refusal_sheet(refusal, language), refusal=refusal)], settings)
    return joined([single(understood, sheet, entries=entries)], settings)


def _sheet(
    asked: Act, value: str, language: Language, settings: Settings, *, direct: bool
) -> tuple[tuple[str, ...], Sheet]:
    """The entries that are shown, and the sheet."""
    makers: dict[Act, Callable[[str, Language, Settings], Sheet]] = {
        Act.OPEN: _entry,
        Act.CHOOSE: _entry,
        Act.MEASURE: _measure,
        Act.LIST: _list,
        Act.SEARCH: _search,
        Act.GAPS: partial(_gaps, direct=direct),
        Act.QUIZ: _quiz,
        Act.MODEL: _model,
    }
    shown = (value,) if asked in {Act.OPEN, Act.CHOOSE} else ()
    make = makers.get(asked) or partial(_step, asked)
    return shown, make(value, language, settings)


def _entry(entry_id: str, language: Language, settings: Settings) -> Sheet:
    folder, named = settings.knowledge.folder, settings.defaults.vllm_version
    own = folder if folder and entry_id in ids(folder) else None
    version = parse(named) if named else DEFAULT
    return entry_sheet(find(entry_id, folder), language, version, assumed=named is None, own=own)


def _measure(entry_id: str, language: Language, settings: Settings) -> Sheet:
    return measure_sheet(find(entry_id, settings.knowledge.folder), language)


def _list(_value: str, language: Language, settings: Settings) -> Sheet:
    """Every entry by id and title, the team's first."""
    folder = settings.knowledge.folder
    found = [*(every(folder) if folder else ()), *every(FOLDER)]
    return Sheet(
        lead=say(language, "pages.entries", count=len(found)),
        points=tuple(f"{entry.id}: {entry.text(language).title}" for entry in found),
        notes=(say(language, "pages.how_to_show"),),
        feedback=False,
    )


def _search(text: str, language: Language, settings: Settings) -> Sheet:
    from knowledge.search import nearest, search

    folder = settings.knowledge.folder
    hits = search(text, limit=MOST_HITS, extra_folder=folder)
    if not hits:
        near = [find(hit.id, folder) for hit in nearest(text, extra_folder=folder)]
        return nearest_sheet(near, language)
    found = [hit.id for hit in hits]
    return Sheet(
        lead=say(language, "pages.found", count=len(found)),
        points=tuple(f"{each}: {find(each, folder).text(language).title}" for each in found),
        buttons=buttons(found, Act.OPEN, language, folder),
        feedback=False,
    )


def _gaps(_value: str, language: Language, settings: Settings, *, direct: bool) -> Sheet:
    from bot.answers.gaps import gaps
    from bot.store.asked import asked

    found = gaps(asked(settings.store.path, direct=direct), settings.knowledge.folder)
    return Sheet(
        lead=say(language, "pages.gaps", count=len(found)),
        points=tuple(
            say(
                language,
                "pages.gap",
                text=" ".join(gap.text.split())[:LONGEST_GAP],
                times=gap.times,
                unhelpful=gap.unhelpful,
                answered=gap.answered,
                nearest=gap.nearest,
                reasons=[say(language, f"pages.why_{reason.replace('-', '_')}") for reason in gap.reasons],
            )
            for gap in found[:MOST_GAPS]
        ),
        feedback=False,
    )


def _model(name: str, _language: Language, _settings: Settings) -> Sheet:
    """Nothing but the model's id; a model that is not known is refused."""
    from knowledge import catalogue

    return Sheet(lead=catalogue.resolve(name).model_id, feedback=False)


def _quiz(value: str, language: Language, _settings: Settings) -> Sheet:
    return quizzing.begin(language, int(value) if value.isdecimal() else 0)


def _step(act: Act, value: str, language: Language, _settings: Settings) -> Sheet:
    return quizzing.step(act, value, language)
