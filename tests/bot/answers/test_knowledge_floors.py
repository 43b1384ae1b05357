"""Floors under what is found for questions as people type them: messy, terse, in English, Chinese and both.

The questions are public ones in other words, each with the entries that answer it; those without entries must get none.
"""

import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from bot.conversation import reply
from knowledge.entries.loading import ids

FOLDER = Path(__file__).parents[2] / "data" / "messages"
LANGUAGES = ("en", "zh", "mixed")


class Asked(NamedTuple):
    text: str
    language: str
    accepted: frozenset[str]


def read(name: str) -> list[Asked]:
    lines = (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    return [Asked(row["text"], row["language"], frozenset(row["entries"])) for row in rows]


TABLES = {name: read(name) for name in ("knowledge_first", "knowledge_later")}


@cache
def found(text: str) -> tuple[str, ...]:
    return reply(text).entries


def share(rows: list[Asked], places: int) -> float:
    return sum(bool(row.accepted & set(found(row.text)[:places])) for row in rows) / len(rows)


def with_entries(name: str, language: str) -> list[Asked]:
    return [row for row in TABLES[name] if row.accepted and row.language == language]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", TABLES)
def test_the_first_entry_is_right_for_nearly_all(name: str, language: str) -> None:
    assert share(with_entries(name, language), 1) >= 0.92


@pytest.mark.parametrize("name", TABLES)
def test_one_of_three_entries_is_right(name: str) -> None:
    assert share([row for row in TABLES[name] if row.accepted], 3) >= 0.97


@pytest.mark.parametrize(
    "row", [row for rows in TABLES.values() for row in rows if not row.accepted], ids=lambda row: row.text
)
def test_what_is_not_about_tuning_gets_no_entry(row: Asked) -> None:
    assert found(row.text) == ()


def test_every_accepted_entry_exists() -> None:
    assert {each for rows in TABLES.values() for row in rows for each in row.accepted} <= set(ids())
