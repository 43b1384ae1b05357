"""What people asked and what they thought of the answers, read beside a bot that may be running."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from sqlite_utils import Database

from knowledge.errors import Refusal


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as it was written, and how many people found its answer not helpful, and the reasons that some of them gave."""

    text: str
    unhelpful: int
    reasons: tuple[str, ...] = ()


def asked(path: Path, *, direct: bool = True) -> Iterator[Asked]:
    """Every answered question that still stands, oldest first; `direct` says whether those in direct messages are among them.

    Refuses a file that is not there or is no store."""
    if not path.is_file():
        raise Refusal(
            "no-store",
            f"There is no store at `{path}`.",
            "It is made when `tuning-bot serve` runs; `[store] path` names it.",
        )
    try:
        with closing(Database(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True))) as db:
            rows = db.execute(
                "SELECT text, (SELECT COUNT(*) FROM feedback WHERE question = questions.key AND value = 'not-helpful'),"
                " (SELECT GROUP_CONCAT(reason, ' ') FROM feedback WHERE question = questions.key AND value = 'not-helpful')"
                " FROM questions WHERE understood IS NOT NULL AND deleted_at IS NULL AND (? OR channel NOT LIKE 'D%') ORDER BY at",
                (direct,),
            ).fetchall()
    except sqlite3.Error as fault:
        raise Refusal(
            "no-store", f"`{path}` cannot be read as the store: {fault}.", "Name another under `[store]`."
        ) from None
    return (Asked(text, unhelpful, tuple((reasons or "").split())) for text, unhelpful, reasons in rows)
