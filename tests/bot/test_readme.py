"""The README tells the truth: its calls print what it shows, its tables are the command line's and the settings' own."""

import re
from pathlib import Path

import pytest

from bot.cli import reference
from bot.settings import Settings

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"```console\n(.*?)\n```", re.DOTALL)
CALL = re.compile(r"^\$ (.*)$", re.MULTILINE)


@pytest.mark.parametrize("block", BLOCK.findall(README), ids=lambda block: CALL.findall(block)[0][:60])
def test_a_console_block_shows_what_its_calls_print(block: str) -> None:
    assert reference.console(*CALL.findall(block)) == f"```console\n{block}\n```"
    assert "went wrong" not in block


@pytest.mark.parametrize(
    "table", [reference.commands(), reference.options("ask"), reference.options("fit"), reference.settings()]
)
def test_a_table_is_up_to_date(table: str) -> None:
    assert table in README


def test_every_setting_is_explained() -> None:
    for section in Settings.model_fields:
        assert f"[{section}" in README
    for line in reference.settings().splitlines():
        assert not line.endswith("|  |")


def test_it_opens_with_the_two_commands() -> None:
    first = README[: README.index("## ")]
    assert 'make ask Q="' in first
    assert "make test" in first
