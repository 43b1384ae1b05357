"""The table of what errors look like: every row recognises its line, names what exists, and is quick on any text."""

import tomllib
from pathlib import Path

import pytest

from knowledge.entries.loading import ids
from knowledge.logs.lines import clean
from knowledge.logs.signatures import TALK_RANK, Scanner, Signature, signatures
from knowledge.versions import parse

LINES = tomllib.loads(
    (Path(__file__).parents[2] / "data" / "logs" / "signature_lines.toml").read_text(encoding="utf-8")
)
WORDS = Path(__file__).parents[3] / "bot" / "text"
ROWS = {signature.row.id: signature for signature in signatures()}
ONLY_CAUSES = {"cuda-arch-mismatch", "tool-call-config", "insufficient-log"}  # causes that no entry is about


def test_every_row_has_a_line_of_its_own() -> None:
    assert set(LINES) == set(ROWS)


@pytest.mark.parametrize("name", LINES)
def test_a_row_recognises_its_line(name: str) -> None:
    scanner = Scanner()
    scanner.feed(clean(LINES[name], 1))
    assert name in scanner.hits


@pytest.mark.parametrize("signature", ROWS.values(), ids=ROWS.keys())
def test_a_row_names_an_entry_or_a_known_cause(signature: Signature) -> None:
    known = set(ids()) | ONLY_CAUSES
    assert signature.row.cause in known
    assert set(signature.row.entries) <= set(ids())


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("signature", ROWS.values(), ids=ROWS.keys())
def test_a_row_has_its_sentences(signature: Signature, language: str) -> None:
    family, _, name = signature.row.text.partition(".")
    said = (WORDS / language / "diagnosis" / f"{family}.jinja").read_text(encoding="utf-8")
    for part in ("what", "do", "check"):
        assert f"{{% block {name}_{part} %}}" in said


@pytest.mark.parametrize("signature", ROWS.values(), ids=ROWS.keys())
def test_since_and_until_are_versions(signature: Signature) -> None:
    assert signature.printed_by(None)
    assert signature.printed_by(parse("0.32.0")) is (signature.row.until is None)


def test_until_includes_the_patches_of_that_release() -> None:
    old = ROWS["kv-too-small-blocks"]
    assert old.row.until == "0.11"
    assert old.printed_by(parse("0.11.2"))
    assert not old.printed_by(parse("0.12.0"))


def test_what_a_logger_says_as_a_warning_never_outranks_an_error() -> None:
    scanner = Scanner()
    scanner.feed(clean("WARNING 08-20 10:18:39 [x.py:1] CUDA out of memory. Tried to allocate 2.00 GiB.", 1))
    assert scanner.hits["cuda-oom"][0].rank == TALK_RANK


def test_figures_are_numbers_and_names_are_text() -> None:
    scanner = Scanner()
    (hit,) = [hit for hit in scanner.feed(clean(LINES["free-memory"], 1)) if hit.signature.id == "free-memory"]
    assert hit.facts["free_gib"] == 19.77
    assert hit.facts["total_gib"] == 22.05


def test_lines_that_differ_in_a_digit_only_are_told_apart() -> None:
    scanner = Scanner()
    scanner.feed(clean("worker exited with exit code 139 after all of this time", 1))
    scanner.feed(clean("worker exited with exit code 137 after all of this time", 2))
    assert [hit.line.number for hit in scanner.hits["sigkill"]] == [2]


def test_only_the_first_hits_are_kept() -> None:
    scanner = Scanner()
    for number in range(200):
        scanner.feed(clean(LINES["port"], number))
    assert len(scanner.hits["port"]) == 40
