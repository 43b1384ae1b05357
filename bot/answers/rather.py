"""Questions that an entry plainly answers though their words looked like another wish, or like none of ours."""

import math
from dataclasses import replace

from bot.settings import Settings
from bot.understand.courtesies import elsewhere
from bot.understand.fold import lower
from bot.understand.intents import ESTIMATES
from bot.understand.others import others
from bot.understand.topics import terms, trouble
from bot.understand.understood import Decline, Intent, Understood

NEAR = 0.8  # for a question of fit that names nothing to compute with
CLEAR = 1.4  # for one whose model cannot be, or that names a flag which no estimate takes
NEVER = math.inf
TAKEN = frozenset(
    {
        "maxmodellen",
        "gpumemoryutilization",
        "tensorparallelsize",
        "pipelineparallelsize",
        "dataparallelsize",
        "kvcachedtype",
    }
)
LINE, SHORT = 20, 12  # characters of a quoted error, and of one where nothing else can be meant
LONG = 80  # characters from which a message may hold a line that somebody pasted
FEW = 3  # lines that somebody types around an error
_OF_CARDS = (Intent.WHICH_MODEL, Intent.HOW_MANY_GPUS)
_GONE = (Decline.OUT_OF_SCOPE, Decline.JUNK)


def rather(understood: Understood, settings: Settings) -> Understood:
    """The same, or a question for the knowledge base where an entry says so more clearly than the words did.

    A quoted error line decides always; otherwise only what would be declined, or asked back, is looked at again.
    """
    if understood.intent in ESTIMATES:
        least = _least(understood, settings)
        known = _quoted(understood, settings) or (least < NEVER and _fits(understood, settings, least))
        known = known or (_modelless(understood, settings) and _told(understood, settings))
    else:
        known = _unseen(understood) and _told(understood, settings)
    return replace(understood, intent=Intent.KNOWLEDGE, decline=None) if known else understood


def one_line(understood: Understood, settings: Settings) -> bool:
    """Whether the paste is no log but the one error line of an entry, too short for a diagnosis."""
    lines = [line for line in understood.text.splitlines() if line.strip()]
    return len(lines) <= FEW and _quoted(understood, settings)


def _unseen(understood: Understood) -> bool:
    """Whether it would be declined for having nothing to do with vLLM, and is not plainly about something else."""
    if understood.intent is not Intent.DECLINE or understood.decline not in _GONE:
        return False
    text = lower(understood.text)
    return not (elsewhere(text) or others(text))


def _modelless(understood: Understood, settings: Settings) -> bool:
    """Whether no model, size or load is named that figures could be about."""
    fields = understood.fields
    named = fields.model_id or settings.defaults.model or understood.model_size_b or understood.problems
    asks = understood.intent in _OF_CARDS and fields.context_tokens is None and fields.concurrency is None
    return asks and not named


def _told(understood: Understood, settings: Settings) -> bool:
    """Whether so many words of the best entry stand in it that it can be about nothing else."""
    from knowledge.search import plain, search

    folder = settings.knowledge.folder
    hits = search(understood.text, extra_folder=folder)
    return bool(hits) and (_quoted(understood, settings, SHORT) or plain(understood.text, hits[0], folder))


def _fits(understood: Understood, settings: Settings, least: float) -> bool:
    from knowledge.search import search

    hits = search(understood.text, extra_folder=settings.knowledge.folder)
    return bool(hits) and hits[0].score >= least


def _quoted(understood: Understood, settings: Settings, least: int = LINE) -> bool:
    """Whether an error line of an entry stands in it, of at least so many characters."""
    if not _may_quote(understood.text):
        return False
    from knowledge.search.index import index
    from knowledge.search.signatures import logged

    found = logged(understood.text, index(settings.knowledge.folder).signatures)
    return any(len(piece) >= least for piece in found.values())


def _may_quote(text: str) -> bool:
    """Whether anything in it tells of trouble, or was pasted: entries are not looked through for a plain question."""
    return len(text) >= LONG or any(mark in text for mark in "\n`\"'“[") or trouble(lower(text)) > 0


def _least(understood: Understood, settings: Settings) -> float:
    """How well an entry must fit to be preferred to figures: less the less there is to compute with."""
    fields = understood.fields
    model = settings.defaults.model or fields.model_id
    if model is None and understood.model_size_b is None and _asks_of_a_name(understood, settings):
        return CLEAR
    if understood.problems:
        return CLEAR if trouble(lower(understood.text)) else NEVER
    facts = (model, fields.gpu, fields.gpu_mem_gb, fields.context_tokens, fields.concurrency)
    nothing = all(value is None for value in facts)
    about = terms(lower(understood.text)) > 0  # `will it fit?` is about nothing yet, and asked back
    return NEAR if nothing and about and understood.intent in (Intent.FIT, Intent.MAX_CONTEXT) else NEVER


def _asks_of_a_name(understood: Understood, settings: Settings) -> bool:
    """Whether a flag, variable or metric is named that no estimate takes."""
    from knowledge.search.index import index
    from knowledge.search.signatures import named

    found = named(understood.text, index(settings.knowledge.folder).names)
    return any(name not in TAKEN for name in found.values())
