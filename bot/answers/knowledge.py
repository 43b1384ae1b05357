"""Answers from the knowledge base: the entry that fits, the nearest two when none does, and entries beside figures."""

from dataclasses import replace

from bot.answers.answer import Answer
from bot.answers.entries import aside, entry_sheet, nearest_sheet, vague_sheet
from bot.answers.whole import single
from bot.settings import Settings
from bot.text.phrases import say
from bot.understand.fold import lower
from bot.understand.understood import Understood
from knowledge.entries.loading import find
from knowledge.search import Hit, faint, nearest, says_more, search
from knowledge.search.vague import may_mean
from knowledge.versions import DEFAULT, Version, parse

OURS = "vllm"  # named, a question is about it however few of its words are known
BESIDE = 0.8  # of the best score: an entry as near as this is told too
UNSURE = 0.8  # below it half of 50 answers to public questions were right, from it on four of five: so it is said
SURE = 1.0  # the least score of an entry that is put beside figures, which answer already


def answer(understood: Understood, settings: Settings) -> Answer:
    """The best entry; what a vague question may mean; the nearest two by name where nothing answers."""
    folder = settings.knowledge.folder
    hits = search(understood.text, extra_folder=folder)
    if (meant := may_mean(understood.text)) and not (hits and says_more(understood.text, hits[0], folder)):
        return single(understood, vague_sheet([find(each) for each in meant], understood.language))
    if not hits or (faint(understood.text, hits[0], folder) and OURS not in lower(understood.text)):
        offered = [find(hit.id, folder) for hit in nearest(understood.text, extra_folder=folder)]
        return single(understood, nearest_sheet(offered, understood.language))
    version = _version(understood, settings)
    sheet = entry_sheet(
        find(hits[0].id, folder),
        understood.language,
        version or DEFAULT,
        assumed=version is None,
        own=folder if hits[0].own else None,
        beside=[find(hit.id, folder) for hit in hits[1:] if hit.score >= BESIDE * hits[0].score],
    )
    if hits[0].score < UNSURE:
        sheet = replace(sheet, lead=say(understood.language, "knowledge.unsure", text=sheet.lead))
    return single(
        understood,
        sheet,
        entries=tuple(hit.id for hit in hits),
        assumed={} if version else {"vllm_version": str(DEFAULT)},
    )


def beside_figures(answered: Answer, settings: Settings) -> Answer:
    """An answer with figures, and the entry for what its question tells or asks besides."""
    understood, sheet = answered.understood, answered.sheet
    found = _sure(search(understood.text, extra_folder=settings.knowledge.folder))
    hits = [hit for hit in found if hit.id not in answered.entries]
    if not hits or sheet is None:
        return answered
    note = aside(find(hits[0].id, settings.knowledge.folder), understood.language)
    sheet = replace(sheet, notes=(*sheet.notes, note))
    said = single(understood, sheet)
    return replace(answered, sheet=sheet, text=said.text, entries=(*answered.entries, *(hit.id for hit in hits)))


def _sure(hits: list[Hit]) -> list[Hit]:
    return [hit for hit in hits if hit.score >= SURE]


def _version(understood: Understood, settings: Settings) -> Version | None:
    """The version that was said, else the team's."""
    said = understood.fields.vllm_version or settings.defaults.vllm_version
    return parse(said) if said else None
