"""What is nobody's fault but ours: logged once, with a short reference that the person sees."""

import logging
import traceback
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from bot.settings import Language
from bot.text.phrases import say

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Bug:
    """A reported bug; the same fault has the same reference, so that reports add up."""

    reference: str

    def sentence(self, language: Language) -> str:
        """What the person is told."""
        return say(language, "short.bug", reference=self.reference)


def report(fault: Exception) -> Bug:
    """Logs `fault` with its traceback. The reference is derived from where it was raised."""
    where = [
        (Path(frame.filename).name, frame.name, frame.lineno) for frame in traceback.extract_tb(fault.__traceback__)
    ]
    reference = sha256(repr((type(fault).__name__, where)).encode("utf-8", "replace")).hexdigest()[:8]
    log.error("bug %s", reference, exc_info=fault)
    return Bug(reference)
