"""What a message wants: figures, knowledge, an act, help, or nothing that is answered here."""

import re
from dataclasses import dataclass, replace

from bot.understand import asks, topics
from bot.understand.acts import acts, may_act
from bot.understand.courtesies import attack, courtesy, elsewhere, junk, wants_help
from bot.understand.fold import lower
from bot.understand.others import others
from bot.understand.reading import NOTHING, Reading, said
from bot.understand.scan import CARD, MARKS, grammar
from bot.understand.small_words import SMALL_WORDS
from bot.understand.understood import Decline, Fields, Intent

ESTIMATES = frozenset(
    {
        Intent.FIT,
        Intent.MAX_CONTEXT,
        Intent.MAX_CONCURRENCY,
        Intent.KV_PER_TOKEN,
        Intent.WHICH_GPU,
        Intent.HOW_MANY_GPUS,
        Intent.WHICH_MODEL,
        Intent.RECOMMEND,
        Intent.CHECK_COMMAND,
    }
)
BARE = 24  # characters: a question of fit that names nothing (`will it fit?`) is asked back, a longer one is about something else
_REASON = grammar(
    r"\bwhy\b|\bhow come\b|how (?:does|did|is|are)\b|difference|\bexplain|what (?:decides|determines|controls|causes)|为什么|为啥|为何|怎么回事|区别|原理"
)
# A release, no run's number.
_RELEASE = grammar(r"^\s*(?:why|how come|explain|为什么|为啥|为何)\W*(?:is |was |does |did )?v?\d+\.\d")
_QUEUED = grammar(
    r"\b(?:requests?|prompts?)\b[^.?!]{0,24}\bqueued?\b|哪些指标|什么指标|怎么(?:模拟|压|测)|\d\.\d+\.\d+\S*\s?(?:比|vs|than)\s?v?\d\.\d+\.\d"
)  # what is no order
_PLEASE = grammar(r"\b(?:can|could|would|will) (?:you|u)\b|\bplease\b|\bpl[sz]\b|\blet'?s\b|请|麻烦|帮(?:我|忙)|给我")
_CONTENT = grammar(r"[a-z][a-z'-]*|[\u4e00-\u9fff]")


@dataclass(frozen=True, slots=True)
class Wanted:
    """The intent; `asked` is false when nothing was asked in so many words (a list of facts, a courtesy)."""

    intent: Intent
    decline: Decline | None = None
    asked: bool = True


def decide(own: str, reading: Reading, *, known: Fields = NOTHING) -> Wanted:
    """What the person's own words want; `own` is narrowed, `reading` what they name, `known` what need not be named."""
    text = lower(own)
    if refused := attack(text):
        return Wanted(Intent.DECLINE, refused)
    subject = _subject(reading)
    if not subject and wants_help(text):
        return Wanted(Intent.HELP)
    terms = topics.terms(text)
    polite = courtesy(text)
    if polite is not None and not reading.said and terms <= 2 and not _certainly_acts(own, text, subject=subject):
        return Wanted(Intent.DECLINE, polite)
    if _orders(own, text, subject=subject):
        return Wanted(Intent.COMMAND)
    return _question(text, reading, terms, known)


def _orders(own: str, text: str, *, subject: bool) -> bool:
    """Whether something is to be done. Words of an order beside trouble with what vLLM does are none, unless it is asked for."""
    if _RELEASE.search(text) or _QUEUED.search(text):
        return False
    troubled = topics.trouble(text) and topics.techniques(text) and not _PLEASE.search(text)
    return (acts(text) and not troubled) or _certainly_acts(own, text, subject=subject)


def _certainly_acts(own: str, text: str, *, subject: bool) -> bool:
    """Whether something is to be done by what the commands themselves need; their grammars are read only where one may be meant."""
    if not may_act(text):
        return False
    from bot.commands.certainty import certain

    return certain(own, subject=subject)


def _subject(reading: Reading) -> bool:
    """Whether there is something to estimate: a model, a size or a card."""
    return (
        reading.model is not None
        or reading.size is not None
        or reading.fields.gpu is not None
        or reading.fields.gpu_mem_gb is not None
    )


def _question(text: str, reading: Reading, terms: int, known: Fields) -> Wanted:
    ask, subject = asks.ask(reading.asked, reading.text), _subject(reading)
    wonder, trouble = topics.wonder(reading.asked), topics.trouble(reading.asked)
    if (
        ask is not None
        and _answerable(ask, reading, known)
        and not _rather_knowledge(ask, text, reading, wonder, trouble)
    ):
        return Wanted(ask)
    if (reading.model or known.model_id) and trouble == 0 and asks.wish(text):
        return Wanted(Intent.FIT)
    told = ask is None and subject and trouble == wonder == 0
    if told and (_complete(reading) or (_terse(reading) and not topics.techniques(reading.text))):
        return Wanted(_of_facts(reading, known), asked=False)
    cared = trouble or wonder
    about = (
        topics.techniques(text) or terms >= 2 or (terms and (cared or len(text) <= 24))
    )  # one common word says little
    if (elsewhere(text) and ask is None) or others(text):
        return Wanted(Intent.DECLINE, Decline.OUT_OF_SCOPE, asked=False)
    if about or (cared and reading.fields.gpu is not None) or (trouble and (subject or topics.vague(text))):
        return Wanted(Intent.KNOWLEDGE, asked=bool(ask or cared))
    if not cared and (_complete(reading) or (_measured(reading) and _terse(reading))):
        return Wanted(Intent.FIT, asked=False)
    if ask is not None and not cared and len(text) <= BARE:
        return Wanted(ask)
    return Wanted(Intent.DECLINE, Decline.JUNK if junk(text) else Decline.OUT_OF_SCOPE, asked=False)


def _answerable(ask: Intent, reading: Reading, known: Fields) -> bool:
    """Whether enough is named for figures: which gpu needs no card, which model needs no model."""
    fields = reading.fields
    model = reading.model is not None or reading.size is not None or known.model_id is not None
    model = model or _unknown_model(reading)
    card = any(
        value is not None for value in (fields.gpu, fields.gpu_mem_gb, fields.count, known.gpu, known.gpu_mem_gb)
    )
    load = fields.context_tokens is not None or fields.concurrency is not None
    match ask:
        case Intent.KV_PER_TOKEN:
            return model
        case Intent.WHICH_GPU | Intent.HOW_MANY_GPUS:
            return True
        case Intent.WHICH_MODEL:
            return card or load
        case Intent.FIT:
            return model or load
        case _:
            return model or card


def _unknown_model(reading: Reading) -> bool:
    """Whether a model was named that nobody knows."""
    return any(problem.code == "unknown-model" for problem in reading.problems)


def _rather_knowledge(ask: Intent, text: str, reading: Reading, wonder: int, trouble: int) -> bool:
    """Whether a reason, a way or a cure is wanted, though the words of an estimate stand there too."""
    if _REASON.search(text):
        return True
    if ask is Intent.FIT and not asks.wish(text):
        return trouble >= 1 or topics.techniques(reading.text) >= 2
    troubled = trouble >= 1 and reading.model is None and topics.techniques(reading.text) >= 2
    return trouble >= 2 or (trouble >= 1 and wonder >= 1) or troubled


def _about_vllm(text: str, terms: int, asking: int) -> bool:
    """Whether enough of its words are vLLM's: one does in a question or a cry of few words, else it takes two."""
    return terms >= 2 or (terms == 1 and (asking > 0 or len(text) <= 24))


def _complete(reading: Reading) -> bool:
    """Whether a model and what it is to run on are named."""
    return reading.model is not None and (reading.fields.gpu is not None or reading.fields.gpu_mem_gb is not None)


def _measured(reading: Reading) -> bool:
    """Whether a length comes with another number, as in a question about fit with the model left out."""
    rest = said(replace(reading.fields, kv_dtype=None, vllm_version=None))
    return "context_tokens" in rest and len(rest) >= 2


def _terse(reading: Reading) -> bool:
    """Whether hardly a word is left beside what was understood."""
    words = [word for word in _CONTENT.findall(re.sub(MARKS, " ", reading.text)) if word not in SMALL_WORDS]
    return len(words) <= 4


def _of_facts(reading: Reading, known: Fields) -> Intent:
    """What facts alone ask: a card without a model asks which model, anything else whether it fits."""
    named = reading.model or reading.size or known.model_id or _unknown_model(reading)
    alone = not named and CARD in reading.text
    return Intent.WHICH_MODEL if alone and reading.fields.context_tokens is None else Intent.FIT
