"""Facts that changed from release to release, as the data files write them: `0.4.0=0.9|0.20.0=0.92`."""

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from knowledge.versions import Version, parse

_DATA = Path(__file__).parents[1] / "data"


def rows(name: str) -> Iterator[list[str]]:
    """The rows of a tab-separated data file, comments left out."""
    for line in (_DATA / name).read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            yield line.split("\t")


@lru_cache(maxsize=256)
def release(text: str) -> Version:
    """A release as the data files write it."""
    return parse(text)


def until(text: str) -> Version | None:
    """The last release that has something; None: the newest of the tables still has it."""
    return release(text) if text else None


def at(history: str, version: Version) -> str | None:
    """What held in `version`: the value of the newest release not after it, None before the first."""
    found = None
    for step in history.split("|"):
        since, equals, value = step.partition("=")
        if not equals or release(since) > version:
            break
        found = value
    return found
