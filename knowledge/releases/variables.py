"""The environment variables that vLLM reads, by version."""

from dataclasses import dataclass
from functools import lru_cache

from knowledge.releases import history
from knowledge.versions import Version


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """One variable. `until` None means that 0.33.0 still reads it; `instead` is the option that took its place."""

    name: str
    since: Version
    until: Version | None
    deprecated: Version | None
    instead: str | None
    defaults: str

    def known_in(self, version: Version) -> bool:
        """Whether that version reads it."""
        return self.since <= version and (self.until is None or version <= self.until)

    def default(self, version: Version) -> str | None:
        """What holds when it is not set, as Python writes it; None where the version does not read it."""
        return history.at(self.defaults, version) if self.known_in(version) else None


@lru_cache(maxsize=1)
def _lines() -> dict[str, list[str]]:
    return {row[0]: row for row in history.rows("variables.tsv")}


def names() -> tuple[str, ...]:
    """Every variable that any release has read."""
    return tuple(_lines())


def lookup(name: str) -> Variable | None:
    """The variable of that name in any release."""
    row = _lines().get(name.strip())
    if row is None:
        return None
    _, since, until, deprecated, instead, defaults = row
    return Variable(
        name=row[0],
        since=history.release(since),
        until=history.until(until),
        deprecated=history.until(deprecated),
        instead=instead or None,
        defaults=defaults,
    )


def known(name: str, version: Version) -> bool:
    """Whether that version reads the variable."""
    variable = lookup(name)
    return variable is not None and variable.known_in(version)


def nearest(name: str) -> str | None:
    """The variable that `name` is probably a slip of; None when nothing is near."""
    from rapidfuzz import fuzz, process

    found = process.extractOne(name.strip().upper()[:100], names(), scorer=fuzz.ratio, score_cutoff=80)
    return found[0] if found else None
