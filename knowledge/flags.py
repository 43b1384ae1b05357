"""The options of `vllm serve` by version: which release brought one, which dropped it, and what took its place."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from knowledge.versions import Version, parse

FILE = Path(__file__).parent / "data" / "serve_flags.csv"


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """One option. `until` None means that 0.33.0 still has it; `negatable` that --no-NAME exists; `instead` is its successor."""

    name: str
    since: Version
    until: Version | None
    negatable: bool
    spellings: tuple[str, ...]
    instead: str | None

    def known_in(self, version: Version) -> bool:
        """Whether `vllm serve` of that version accepts it."""
        return self.since <= version and (self.until is None or version <= self.until)


@lru_cache(maxsize=1)
def all_flags() -> dict[str, Flag]:
    """Every option by each of its spellings, `--no-…` included."""
    found: dict[str, Flag] = {}
    for line in FILE.read_text("utf-8").splitlines():
        if line.startswith("#"):
            continue
        name, since, until, negatable, spellings, instead = line.split(",")
        flag = Flag(
            name=name,
            since=parse(since),
            until=parse(until) if until else None,
            negatable=negatable == "yes",
            spellings=tuple(spellings.split()),
            instead=instead or None,
        )
        opposite = (f"--no-{name.removeprefix('--')}",) if flag.negatable else ()
        found |= dict.fromkeys((name, *opposite), flag) | {
            other: flag for other in flag.spellings if other not in found
        }
    return found


def find(text: str) -> Flag | None:
    """The option spelt `text`, `_` read as `-` as vLLM's parser does; None when no version has it."""
    return all_flags().get(text) or all_flags().get(text.replace("_", "-"))


def nearest(text: str, version: Version) -> str | None:
    """The option of that version that `text` is probably a slip of."""
    from rapidfuzz import process

    known = [flag.name for flag in all_flags().values() if flag.known_in(version)]
    found = process.extractOne(text.replace("_", "-"), known, score_cutoff=75)
    return found[0] if found else None
