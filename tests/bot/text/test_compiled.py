"""Compiled phrases are kept between runs, and compiled again when what was kept is of no use."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from jinja2 import DictLoader, Environment

from bot.text.compiled import Compiled
from knowledge import shelf


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    before = shelf._Shelf.folder
    shelf.keep_in(tmp_path)
    yield tmp_path
    shelf.keep_in(before)


def said(text: str) -> str:
    return Environment(loader=DictLoader({"a": text}), bytecode_cache=Compiled()).get_template("a").render(x=1)


def test_what_was_compiled_is_kept_and_used_again(folder: Path) -> None:
    assert said("one {{ x }}") == "one 1"
    (kept,) = folder.iterdir()
    written = kept.read_bytes()
    assert said("one {{ x }}") == "one 1"
    assert kept.read_bytes() == written


def test_another_source_is_compiled_anew(folder: Path) -> None:
    assert said("one {{ x }}") == "one 1"
    assert said("two {{ x }}") == "two 1"


@pytest.mark.parametrize("spoilt", ["", "no base64 !", "AAAA", "ä"])
def test_what_is_spoilt_is_compiled_again(folder: Path, spoilt: str) -> None:
    said("one {{ x }}")
    for kept in folder.iterdir():
        kept.write_text(spoilt, encoding="utf-8")
    assert said("one {{ x }}") == "one 1"


def test_without_a_shelf_nothing_is_kept() -> None:
    assert said("one {{ x }}") == "one 1"
