"""The options of `vllm serve` and `vllm bench serve` by version: who has them, with which choices and default, and what replaced them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from knowledge.releases import history
from knowledge.versions import DEFAULT, Version

SERVE, BENCH = "serve", "bench"


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """One option over all releases. `until` None means that 0.33.0 still has it.

    `kind` is text, int, float, bool, json or size (an int that may be written 16k, or auto), with a + where it takes several values.
    `spellings` are its short names, with their releases where these differ; `deprecated` and `ignored` the releases since which it warns, or does nothing.
    `instead` is what took its place, with a key (`--eplb-config.step_interval`) or a value where that is part of it.
    """

    name: str
    command: str
    kind: str
    since: Version
    until: Version | None
    negations: str
    spellings: tuple[str, ...]
    choices: str
    choice_changes: str
    deprecated: Version | None
    ignored: Version | None
    instead: str | None
    defaults: str

    def known_in(self, version: Version) -> bool:
        """Whether that version accepts it."""
        return self.since <= version and (self.until is None or version <= self.until)

    @property
    def negatable(self) -> bool:
        """Whether --no-NAME exists in its newest release."""
        return self.negations.endswith("yes")

    @property
    def switch(self) -> bool:
        """Whether it is written without a value."""
        return self.kind == "bool"

    @property
    def several(self) -> bool:
        """Whether it takes more than one value."""
        return self.kind.endswith("+")

    @property
    def short_names(self) -> tuple[str, ...]:
        """Every short name it has had."""
        return tuple(spelling.partition(":")[0] for spelling in self.spellings)

    def spelt_in(self, spelling: str, version: Version) -> bool:
        """Whether that version has this short name of it."""
        for short, _, releases in (each.partition(":") for each in self.spellings):
            if short == spelling:
                since, _, until = releases.partition("-")
                return (not since or history.release(since) <= version) and (
                    not until or version <= history.release(until)
                )
        return False

    def negation(self, version: Version) -> str:
        """How that version lets it be switched off: `no` (not at all), `yes` (--no-NAME) or `value` (=false)."""
        return history.at(self.negations, version) or self.negations.split("|")[0].split("=")[-1]

    def default(self, version: Version) -> str | None:
        """The parser's default, as Python writes it; `None` in words when vLLM decides at start (knowledge/defaults.py)."""
        return history.at(self.defaults, version) if self.known_in(version) else None

    def choices_in(self, version: Version) -> tuple[str, ...]:
        """The values that version accepts; empty when any is, or when that version's are not known."""
        allowed = dict.fromkeys(self.choices.removeprefix("~").split())
        for change in reversed(self.choice_changes.split(";") if self.choice_changes else []):
            if change == "…":
                return () if version < DEFAULT else tuple(allowed)
            release, *steps = change.split()
            if history.release(release) > version:
                allowed = _undone(allowed, steps)
        return tuple(allowed)

    @property
    def closed(self) -> bool:
        """Whether the parser itself refuses what is not among the choices."""
        return bool(self.choices) and not self.choices.startswith("~")


def _undone(allowed: dict[str, None], steps: list[str]) -> dict[str, None]:
    kept = {word: None for word in allowed if f"+{word}" not in steps}
    return kept | {step[1:]: None for step in steps if step.startswith("-")}


@lru_cache(maxsize=1)
def _lines() -> dict[tuple[str, str], list[str]]:
    return {(row[1], row[0]): row for row in history.rows("flags.tsv")}


@lru_cache(maxsize=1024)
def _flag(command: str, name: str) -> Flag | None:
    row = _lines().get((command, name))
    if row is None:
        return None
    _, _, kind, since, until, negations, spellings, choices, changes, deprecated, ignored, instead, defaults = row
    return Flag(
        name=name,
        command=command,
        kind=kind,
        since=history.release(since),
        until=history.until(until),
        negations=negations,
        spellings=tuple(spellings.split()),
        choices=choices,
        choice_changes=changes,
        deprecated=history.until(deprecated),
        ignored=history.until(ignored),
        instead=instead or None,
        defaults=defaults,
    )


def all_flags(command: str = SERVE) -> Iterator[Flag]:
    """Every option that any release of the command has had."""
    return (flag for owner, name in _lines() if owner == command and (flag := _flag(owner, name)))


@lru_cache(maxsize=4)
def _spellings(command: str) -> dict[str, str]:
    """Short names and --no- forms, to the option they belong to."""
    found = {f"--no-{flag.name[2:]}": flag.name for flag in all_flags(command) if "yes" in flag.negations}
    return found | {short: flag.name for flag in all_flags(command) for short in flag.short_names if short not in found}


def lookup(text: str, command: str = SERVE) -> Flag | None:
    """The option that `text` spells, in any release: `_` for `-`, short, --no-…, with =VALUE, or with a .key of a JSON option."""
    name = re.split(r"[=\s]", text.strip(), maxsplit=1)[0]
    name = name.partition(".")[0]
    if name.startswith("--"):
        name = "--" + name[2:].replace("_", "-")
    return _flag(command, name) or _flag(command, _spellings(command).get(name, ""))


@lru_cache(maxsize=256)
def beginning(text: str, version: Version | None = None, command: str = SERVE) -> tuple[Flag, ...]:
    """The options (of that version, or of any) whose names begin so: argparse takes a beginning that only one has."""
    start = text.replace("_", "-")
    return tuple(
        flag
        for flag in all_flags(command)
        if flag.name.startswith(start) and (version is None or flag.known_in(version))
    )


@lru_cache(maxsize=1)
def _keys() -> dict[str, tuple[str, ...]]:
    return {name: tuple(keys.split()) for name, keys in history.rows("json_keys.tsv")}


def json_keys(name: str, version: Version) -> tuple[str, ...]:
    """The keys that a JSON option takes; empty where they are not known: they were read in 0.32 alone."""
    return _keys().get(name, ()) if (version.major, version.minor) == (DEFAULT.major, DEFAULT.minor) else ()


def known(text: str, version: Version, command: str = SERVE) -> bool:
    """Whether that version of the command accepts the option."""
    flag = lookup(text, command)
    if flag is None or not flag.known_in(version):
        return False
    negated = text.startswith("--no-") and not flag.name.startswith("--no-")
    return not negated or flag.negation(version) == "yes"


def default(text: str, version: Version, command: str = SERVE) -> str | None:
    """The option's default in that version, None when it has no such option."""
    flag = lookup(text, command)
    return flag.default(version) if flag else None


def replacement(text: str, version: Version, command: str = SERVE) -> str | None:
    """What that version has in place of an option it no longer has (or not yet), followed over several renamings."""
    flag, seen = lookup(text, command), set[str]()
    while flag is not None and flag.instead and flag.name not in seen:
        seen.add(flag.name)
        if known(flag.instead, version, command):
            return flag.instead
        flag = lookup(flag.instead, command)
    return _before(text, version, command)


def _before(text: str, version: Version, command: str) -> str | None:
    """The older option that a newer one replaced, where that version has it."""
    flag = lookup(text, command)
    if flag is None or version >= flag.since:
        return None
    older = [
        each.name
        for each in all_flags(command)
        if each.instead and each.known_in(version) and lookup(each.instead, command) == flag
    ]
    return min(older, key=lambda name: (-_shared(name, flag.name), len(name)), default=None)


def _shared(one: str, other: str) -> int:
    """How many first letters two names have in common."""
    return next(
        (place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )


def nearest(text: str, version: Version | None = None, command: str = SERVE) -> str | None:
    """The option (of that version, or of any) that `text` is probably a slip of; None when nothing is near."""
    from rapidfuzz import fuzz, process

    names = [flag.name for flag in all_flags(command) if version is None or flag.known_in(version)]
    written = re.split(r"[=\s]", text.strip()[:100], maxsplit=1)[0].replace("_", "-")
    found = process.extractOne(f"--{written.lstrip('-')}", names, scorer=fuzz.ratio, score_cutoff=75)
    return found[0] if found else None
