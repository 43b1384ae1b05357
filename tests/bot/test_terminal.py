"""What a person sees in a terminal, and what a pipe gets."""

import io

import pytest

from bot.answers.whole import joined, single
from bot.settings import Settings
from bot.sheet import Sheet, Table, Tone
from bot.terminal import show
from bot.understand.understood import Intent, Understood

ASKED = Understood(text="", language="en", intent=Intent.FIT)
FULL = Sheet(
    lead="No: it does not fit.",
    tone=Tone.BAD,
    figures=(("Weights per GPU", "30.6 GiB"),),
    table=Table(columns=("Card", "Verdict"), rows=(("T4", "does not fit"), ("B200", "fits"))),
    points_title="What to change",
    points=("more GPUs", "[bold]not markup[/bold]"),
    command_title="Command",
    command="vllm serve m " + "--flag value " * 20,
    notes=("a note",),
    assumed="Assumed: TP 1.",
    sources="Sources: x",
)


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return "utf-8"

    def isatty(self) -> bool:
        return True


def shown(stream: io.StringIO, *sheets: Sheet) -> str:
    show(joined([single(ASKED, sheet) for sheet in sheets], Settings()), stream)
    return stream.getvalue()


@pytest.fixture(autouse=True)
def _wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)


def test_a_pipe_gets_the_plain_text() -> None:
    assert shown(io.StringIO(), Sheet(lead="Yes.", notes=("a note",))) == "Yes.\n\na note\n"


def test_a_terminal_gets_colour_columns_and_a_command_that_can_be_copied() -> None:
    text = shown(Terminal(), FULL)
    assert "\x1b[1;31mNo: it does not fit.\x1b[0m" in text
    assert "[bold]not markup[/bold]" in text
    assert FULL.command is not None
    assert f"{FULL.command}\n" in text
    assert text.index("Weights per GPU") < text.index("Verdict") < text.index("more GPUs") < text.index("vllm serve")


def test_several_answers_are_told_apart_and_empty_parts_leave_nothing() -> None:
    text = shown(Terminal(), Sheet(lead="One."), Sheet(lead="Two.", points=("a point",)))
    assert text.index("One.") < text.index("──") < text.index("Two.")
    assert "a point" in text
