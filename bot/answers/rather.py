"""Questions that an entry plainly answers though their words looked like another wish, or like none of ours."""

from dataclasses import replace

from bot.settings import Settings
from bot.understand.courtesies import elsewhere
from bot.understand.fold import lower
from bot.understand.intents import ESTIMATES
from bot.understand.others import others
from bot.understand.understood import Decline, Intent, Understood

PLAIN = 1.1  # the least score of an entry for words in which no subject of ours was seen
NEAR = 0.8  # and for a question of fit that names neither model nor card
LINE = 20  # characters of a quoted error
_GONE = (Decline.OUT_OF_SCOPE, Decline.JUNK)


def rather(understood: Understood, settings: Settings) -> Understood:
    """The same, or a question for the knowledge base where an entry says so more clearly than the words did.

    A quoted error line decides always; otherwise only what would be declined, or asked back, is looked at again.
    """
    if understood.intent in ESTIMATES:
        plain = _quoted(understood, settings) or (
            _nothing_named(understood, settings) and _fits(understood, settings, NEAR)
        )
    else:
        plain = _unseen(understood) and _fits(understood, settings, PLAIN)
    return replace(understood, intent=Intent.KNOWLEDGE, decline=None) if plain else understood


def _unseen(understood: Understood) -> bool:
    """Whether it would be declined for having nothing to do with vLLM, and is not plainly about something else."""
    if understood.intent is not Intent.DECLINE or understood.decline not in _GONE:
        return False
    text = lower(understood.text)
    return not (elsewhere(text) or others(text))


def _fits(understood: Understood, settings: Settings, least: float) -> bool:
    from knowledge.search import search

    hits = search(understood.text, extra_folder=settings.knowledge.folder)
    return bool(hits) and hits[0].score >= least


def _quoted(understood: Understood, settings: Settings) -> bool:
    """Whether an error line of an entry stands in it, long enough to be one."""
    from knowledge.search.index import index
    from knowledge.search.signatures import logged

    found = logged(understood.text, index(settings.knowledge.folder).signatures)
    return any(len(piece) >= LINE for piece in found.values())


def _nothing_named(understood: Understood, settings: Settings) -> bool:
    fields = understood.fields
    named = (settings.defaults.model, fields.model_id, fields.gpu, fields.gpu_mem_gb)
    return all(value is None for value in named) and understood.intent in (Intent.FIT, Intent.MAX_CONTEXT)
