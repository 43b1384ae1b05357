"""vLLM versions: reading what people type, and the facts that changed between releases."""

import re
from dataclasses import dataclass

from knowledge.errors import Refusal


@dataclass(frozen=True, slots=True, order=True)
class Version:
    """A vLLM release; post and pre releases count as the release itself."""

    major: int
    minor: int
    patch: int = 0

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}" + (f".{self.patch}" if self.patch else "")


DEFAULT = Version(0, 32)  # the newest whose behaviour was checked against a running server
OLDEST, NEWEST = Version(0, 4), Version(0, 33)  # the tables' ends


def parse(text: str) -> Version:
    """`0.32`, `v0.8.5.post1`, `0.20.0rc1`. Refuses anything else."""
    found = re.fullmatch(r"\s*v?(\d{1,2})\.(\d{1,3})(?:\.(\d{1,3}))?(?:[.\-+]?[a-z]+[\w.+-]*)?\s*", text, re.IGNORECASE)
    if found is None:
        raise Refusal(
            "bad-version", f"`{text[:40]}` is not a vLLM version.", "Write it like `0.32` or `0.8.5`.", text=text[:40]
        )
    return Version(*(int(part or 0) for part in found.groups()))
