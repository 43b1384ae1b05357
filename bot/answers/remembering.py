"""Keeping what a start observed on a host: for the command line's --remember and for a button alike."""

from datetime import datetime

from bot.answers.diagnosis import said_by
from bot.settings import Language, Settings
from bot.text.phrases import knows, say
from bot.understand.understood import Understood
from knowledge.fit.observed import Missing, Observed, ObservedFile
from knowledge.fit.observed import remember as keep
from knowledge.logs.comparison import kept_start
from knowledge.logs.diagnosis import Diagnosis


def remember(
    found: Diagnosis, understood: Understood, settings: Settings, file: ObservedFile, host: str, at: datetime
) -> tuple[bool, str]:
    """Whether something was kept for `host`, and the sentence that says it: what for, or what the log lacks."""
    language = understood.language
    observed = kept_start(found.observed, said_by(understood.fields, settings), host, at)
    if isinstance(observed, Missing):
        lacking = [
            say(language, f"diagnosis/general.field_{name}")
            for name in observed.fields
            if knows(language, f"diagnosis/general.field_{name}")
        ]
        return False, say(
            language, "diagnosis/general.not_remembered", host=host, missing=lacking or list(observed.fields)
        )
    return True, keep_for(observed, language, file)


def keep_for(observed: Observed, language: Language, file: ObservedFile) -> str:
    """Keeps a start for the host that it names, and the sentence that says it."""
    keep(observed, file)
    return say(
        language, "diagnosis/general.remembered", host=observed.host, model=observed.model, version=observed.version
    )
