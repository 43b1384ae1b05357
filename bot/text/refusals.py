"""A refusal in the reader's language: what is wrong and what to do."""

import re

from bot.settings import Language
from bot.text.phrases import knows, say
from knowledge.errors import Refusal

QUOTED = re.compile(r"`([^`]*)`")


def kind_sentence(refusal: Refusal, language: Language) -> str:
    """English refusals speak for themselves; other languages have a sentence a code, with what the English one quotes."""
    english = f"{refusal.error} {refusal.hint}".strip()
    phrase = f"refusals.{refusal.code}"
    if language == "en" or not knows(language, phrase):
        return english
    quoted = QUOTED.findall(refusal.error) or ["?"]
    offered = QUOTED.findall(refusal.hint)
    return say(language, phrase, q=quoted, offered=offered, **_safe(refusal))


def _safe(refusal: Refusal) -> dict[str, object]:
    return {key: value for key, value in refusal.facts.items() if key not in ("q", "offered", "language", "phrase")}
