"""Entries from their files, when they are asked for. A team's own folder has the same form and is read beside ours."""

import tomllib
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from knowledge.errors import Refusal

if TYPE_CHECKING:
    from knowledge.entries.schema import Entry

FOLDER = Path(__file__).parent.parent / "data" / "entries"


def ids(folder: Path = FOLDER) -> tuple[str, ...]:
    """The ids of a folder's entries, in alphabetical order."""
    return tuple(sorted(path.stem for path in folder.glob("*.toml")))


@lru_cache(maxsize=512)
def load(entry_id: str, folder: Path = FOLDER) -> "Entry":
    """The entry of that id. Refuses one that is not there, is not TOML, or is not an entry: every fault is named."""
    from knowledge.entries.schema import Entry

    values = read(entry_id, folder)
    try:
        return Entry.model_validate(values | {"id": entry_id})
    except ValidationError as fault:
        says = "; ".join(sorted(shape_faults(fault)))
        raise Refusal(
            "bad-entry", f"`{entry_id}` is not an entry: {says}.", "Correct it as docs/entries.md says."
        ) from None


def every(folder: Path = FOLDER) -> "Iterator[Entry]":
    """All entries of a folder, by id. Refuses the first that is not one."""
    return (load(entry_id, folder) for entry_id in ids(folder))


def find(entry_id: str, extra_folder: Path | None = None) -> "Entry":
    """The entry of that id from a team's folder, else ours. Refuses an unknown one with the nearest known."""
    for folder in (extra_folder, FOLDER):
        if folder is not None and entry_id in ids(folder):
            return load(entry_id, folder)
    raise _unknown(entry_id, (*ids(), *(ids(extra_folder) if extra_folder else ())))


def read(entry_id: str, folder: Path = FOLDER) -> dict[str, Any]:
    """What the file says, unchecked. Refuses a file that is not there or is not TOML."""
    path = folder / f"{entry_id}.toml"
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError:
        raise _unknown(entry_id, ids(folder)) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as fault:
        raise Refusal("bad-entry", f"`{path.name}` is not TOML: {fault}.", "Correct that line.") from None


def shape_faults(fault: ValidationError) -> Iterator[str]:
    """Each fault as `place: what is wrong`."""
    for error in fault.errors(include_url=False, include_context=False):
        place = ".".join(str(part) for part in error["loc"])
        yield f"{place}: {error['msg'].removeprefix('Value error, ')}"


def _unknown(entry_id: str, known: tuple[str, ...]) -> Refusal:
    from rapidfuzz import process

    near = process.extractOne(entry_id, known, score_cutoff=60)
    hint = f"Did you mean `{near[0]}`?" if near else "`tuning-bot kb list` shows all of them."
    return Refusal("unknown-entry", f"There is no entry `{entry_id[:60]}`.", hint, guess=near[0] if near else None)
