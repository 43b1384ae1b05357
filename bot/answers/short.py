"""Answers without figures: help, and a kind line for what is not for us."""

from bot.answers.facts import cards_of
from bot.settings import Language
from bot.sheet import Sheet, Tone
from bot.text.phrases import say
from bot.text.refusals import kind_sentence
from bot.understand.understood import Decline, Fields, Understood
from knowledge.errors import Refusal
from knowledge.versions import DEFAULT, NEWEST, OLDEST

EXAMPLE_MODEL, EXAMPLE_GPU, EXAMPLE_COUNT, EXAMPLE_CONTEXT = "Qwen2.5-72B-Instruct", "A100-80GB", 4, "16k"


def help_sheet(language: Language) -> Sheet:
    """What can be asked, with three examples."""
    return Sheet(
        lead=say(language, "short.help"),
        points=tuple(say(language, "short.help_points").splitlines()),
        notes=(say(language, "short.help_notes", oldest=OLDEST, newest=NEWEST, default=DEFAULT),),
        feedback=False,
    )


def decline_sheet(understood: Understood) -> Sheet:
    """One kind line; no figures."""
    reason = understood.decline or Decline.JUNK
    return Sheet(lead=say(understood.language, f"short.{reason}".replace("-", "_")), feedback=False)


def nearest_question(fields: Fields, language: Language) -> str:
    """A fit question with what was said already, completed by an example."""
    from bot.answers.facts import short_name

    return say(
        language,
        "short.example",
        model=short_name(fields.model_id) if fields.model_id else EXAMPLE_MODEL,
        context=f"{fields.context_tokens:,} token" if fields.context_tokens else EXAMPLE_CONTEXT,
        cards=cards_of(fields.gpu or EXAMPLE_GPU, fields.count or (1 if fields.gpu else EXAMPLE_COUNT), language),
    )


def refusal_sheet(refusal: Refusal, language: Language) -> Sheet:
    """What is wrong and what to do."""
    return Sheet(lead=kind_sentence(refusal, language), tone=Tone.BAD, feedback=False)


def bug_sheet(sentence: str, language: Language) -> Sheet:
    """What a person sees of a bug."""
    return Sheet(lead=sentence, notes=(say(language, "short.bug_hint"),), tone=Tone.BAD, feedback=False)
