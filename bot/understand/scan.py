"""A message being read: what has been understood is replaced by a mark of its kind, so that the next grammar sees only the rest."""

import re
from dataclasses import dataclass, replace

from bot.understand.fold import lower

# Marks are private-use characters: no word character, no space, in no message (they are removed from those).
CARD = "\ue000"
MODEL = "\ue001"
MEMORY = "\ue002"
SIZE = "\ue003"
TAKEN = "\ue00f"
MARKS = f"[{CARD}-{TAKEN}]"

_ANY_MARK = re.compile(MARKS)
_RUN = re.compile(f"({MARKS})\\1+")


def grammar(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """A pattern in which a Chinese character is no word character: 开fp8 has a word boundary."""
    return re.compile(pattern, re.ASCII | flags)


def gist(text: str) -> str:
    """A scan's text with every mark one character long, so that distances in it mean something."""
    return _RUN.sub(r"\1", text)


@dataclass(frozen=True, slots=True)
class Scan:
    """`said` is the narrowed text with its letters' case; `text` is the same in lower case, with marks. Places are equal in both."""

    said: str
    text: str

    @classmethod
    def of(cls, said: str) -> "Scan":
        """A scan in which nothing is understood yet."""
        said = _ANY_MARK.sub(" ", said)
        return cls(said, lower(said))

    def mark(self, start: int, end: int, mark: str = TAKEN) -> "Scan":
        """This scan with one place understood."""
        return replace(self, text=self.text[:start] + mark * (end - start) + self.text[end:])

    def take(self, pattern: re.Pattern[str], mark: str = TAKEN) -> tuple[list[re.Match[str]], "Scan"]:
        """Every match of `pattern`, and the scan with them marked."""
        found = list(pattern.finditer(self.text))
        if not found:
            return [], self
        return found, replace(self, text=pattern.sub(lambda match: mark * len(match[0]), self.text))

    def has(self, mark: str) -> bool:
        """Whether something of that kind was understood."""
        return mark in self.text
