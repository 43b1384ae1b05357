"""The command line: what goes to which stream, and which status it ends with."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bot.cli.app import run
from bot.world import World

Ran = tuple[int, str, str]


def called(*arguments: str, stdin: bytes = b"", environment: dict[str, str] | None = None) -> Ran:
    """(status, stdout, stderr) of one call."""
    out, err = io.StringIO(), io.StringIO()
    world = World(environment=environment or {}, stdin=io.BytesIO(stdin), stdout=out, stderr=err)
    return run(arguments, world), out.getvalue(), err.getvalue()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        pytest.param(["ask"], "There is no question.", id="no question"),
        pytest.param(["ask", "hi", "--lang", "fr"], "--lang", id="no language of ours"),
        pytest.param(["fit", "--modle", "x"], "--modle", id="misspelt option"),
        pytest.param(["fit", "--count", "four"], "--count", id="not a number"),
        pytest.param(["fit", "--gpu", "T4"], "`model` is missing", id="no model"),
        pytest.param(["fit", "--model", "m", "--count", "0"], "`0` cannot be used for `count`", id="no GPUs"),
        pytest.param(["fit", "--model", "m", "--gpu-memory-gib", "nan"], "gpu_memory_gib", id="NaN"),
        pytest.param(["frobnicate"], "No such command", id="no command"),
        pytest.param([], "command", id="nothing"),
        pytest.param(["ask", "hi", "--config", "/nowhere/x.toml"], "cannot be read", id="no settings file"),
    ],
)
def test_a_wrong_call_is_one_sentence_on_stderr(arguments: list[str], says: str) -> None:
    status, out, err = called(*arguments)
    assert (status, out) == (2, "")
    assert says in err
    assert len(err.splitlines()) == 1


def test_the_settings_file_may_be_named_by_the_environment(tmp_path: Path) -> None:
    path = tmp_path / "tuning-bot.toml"
    path.write_text('[defaults]\nlanguege = "zh"\n', encoding="utf-8")
    status, _, err = called("ask", "hi", environment={"TUNING_BOT_CONFIG": str(path)})
    assert status == 2
    assert err == "`defaults.languege` is not known. Did you mean `language`?\n"


def test_help_lists_what_works_today(capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = called("--help")
    assert (status, err) == (0, "")
    shown = capsys.readouterr().out
    assert "ask" in shown
    assert "fit" in shown


class Gone(io.StringIO):
    """A reader that went away."""

    def write(self, _text: str) -> int:
        raise BrokenPipeError


class Dull(io.TextIOWrapper):
    """A terminal that knows Latin letters only."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="latin-1")

    def shown(self) -> bytes:
        self.flush()
        return bytes(self.buffer.getvalue())  # type: ignore[attr-defined]


def test_a_reader_that_went_away_is_no_traceback() -> None:
    world = World(environment={}, stdin=io.BytesIO(b"{}\n{}\n"), stdout=Gone(), stderr=io.StringIO())
    assert run(["ask", "--jsonl"], world) == 1


def test_a_terminal_without_chinese_gets_question_marks() -> None:
    out = Dull()
    World(environment={}, stdin=io.BytesIO(), stdout=out, stderr=io.StringIO()).say("4×A100 放得下")
    assert out.shown() == b"4\xd7A100 ???\n"


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> Callable[[Exception], None]:
    """Makes every call meet a fault."""

    def break_with(fault: Exception) -> None:
        def fails(*_arguments: Any, **_options: Any) -> None:
            raise fault

        monkeypatch.setattr(World, "settings", fails)

    return break_with


def test_a_bug_is_a_reference_and_no_traceback(broken: Callable[[Exception], None]) -> None:
    broken(ZeroDivisionError("secret detail"))
    status, out, err = called("ask", "hi")
    assert (status, out) == (1, "")
    assert err.startswith("That went wrong on my side; the reference is ")
    assert "secret" not in err


def test_an_interrupt_ends_quietly(broken: Callable[[Exception], None]) -> None:
    broken(KeyboardInterrupt())  # type: ignore[arg-type]
    assert called("ask", "hi") == (130, "", "")
