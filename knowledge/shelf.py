"""What took time to work out, kept in files between runs: always worked out again when it is not there, or not to be read."""

import os
from contextlib import suppress
from pathlib import Path


class _Shelf:
    """The folder; None until one is given, and then nothing is kept."""

    folder: Path | None = None


def keep_in(folder: Path | None) -> None:
    """Keeps files in that folder from now on; None stops it."""
    _Shelf.folder = folder


def taken(name: str) -> str | None:
    """The text kept under that name, None when there is none."""
    if _Shelf.folder is None:
        return None
    try:
        return (_Shelf.folder / name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def put(name: str, text: str, instead: str) -> None:
    """Keeps a text under `name`, in place of all whose names match the pattern `instead`.

    It is written beside and renamed, so that another process never reads half. A folder that cannot be written keeps nothing.
    """
    if _Shelf.folder is None:
        return
    with suppress(OSError):
        _Shelf.folder.mkdir(parents=True, exist_ok=True)
        beside = _Shelf.folder / f"{name}.{os.getpid()}"
        beside.write_text(text, encoding="utf-8")
        for old in _Shelf.folder.glob(instead):
            if old.name != beside.name:
                old.unlink(missing_ok=True)
        beside.replace(_Shelf.folder / name)
