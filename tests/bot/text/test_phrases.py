"""Every sentence exists in both languages, and says nothing that would be markup."""

import re
from pathlib import Path

import pytest
from jinja2 import UndefinedError

from bot.settings import Language
from bot.text.phrases import FOLDER, knows, say

BLOCK = re.compile(r"{% block (\w+) %}")
SUBJECTS = sorted(path.stem for path in (FOLDER / "en").glob("*.jinja"))


def blocks(language: Language, subject: str) -> list[str]:
    return BLOCK.findall((FOLDER / language / f"{subject}.jinja").read_text(encoding="utf-8"))


@pytest.mark.parametrize("subject", SUBJECTS)
def test_both_languages_have_the_same_sentences(subject: str) -> None:
    assert sorted(blocks("zh", subject)) == sorted(blocks("en", subject))


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("path", sorted(FOLDER.glob("*/*.jinja")), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_sentence_is_written_once(path: Path, language: str) -> None:
    found = BLOCK.findall(path.read_text(encoding="utf-8"))
    assert len(found) == len(set(found)), language


def test_a_name_with_dashes_is_the_block_with_underscores() -> None:
    assert say("en", "short.not-helpful") == "Not helpful"
    assert knows("zh", "short.not-helpful")
    assert not knows("en", "short.nothing-like-it")
    assert not knows("en", "nowhere.at-all")


def test_a_missing_fact_is_a_bug() -> None:
    with pytest.raises(UndefinedError):
        say("en", "fit.fits", model="m")


def test_quotes_stay_as_they_are() -> None:
    assert say("en", "fit.fits", model="a<b>&'\"", cards="2 × T4", context=4096) == (
        "Yes: a<b>&'\" fits on 2 × T4 with a context of 4,096 tokens."
    )
