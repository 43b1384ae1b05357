"""An answer for a terminal: with colour and columns where a person reads it, as plain text where a pipe does."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, TextIO

from bot.answers.answer import Answer
from bot.sheet import Sheet, Tone

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table

STYLES = {Tone.GOOD: "bold green", Tone.BAD: "bold red", Tone.UNSURE: "bold yellow", Tone.PLAIN: "bold"}


def show(answer: Answer, stream: TextIO, *, bar: bool = True) -> None:
    """Prints every question's answer to `stream`; `bar` adds, on a terminal, where one GPU's memory goes."""
    if not stream.isatty():
        encoding = stream.encoding or "utf-8"
        stream.write(answer.text.encode(encoding, "replace").decode(encoding) + "\n")
        stream.flush()
        return
    from rich.console import Console

    console = Console(file=stream, highlight=False)
    for place, part in enumerate(answer.parts or (answer,)):
        if place:
            console.rule()
        if part.sheet is not None:
            _show(part.sheet, console)
        if bar and len(part.estimates) == 1:
            _bar(part, console)


def _show(sheet: Sheet, console: "Console") -> None:
    from rich.text import Text

    from bot.text.plain import buttons

    console.print(Text(sheet.lead, style=STYLES[sheet.tone]))
    if sheet.quote:
        console.print()
        console.print(Text(sheet.quote, style="italic"))
    for part in _parts(sheet):
        console.print()
        console.print(part)
    if sheet.command:
        console.print()
        console.print(Text(sheet.command_title, style="bold"))
        console.out(sheet.command, highlight=False)  # unwrapped, so that it can be copied
    for lines, style in (
        ("\n".join(sheet.notes), ""),
        (buttons(sheet, ": "), ""),
        ("\n".join(line for line in (sheet.assumed, sheet.sources) if line), "dim"),
    ):
        if lines:
            console.print()
            console.print(Text(lines, style=style))


def _bar(part: Answer, console: "Console") -> None:
    from bot.charts.memory import memory_bar
    from bot.charts.terminal import rendered

    found = memory_bar(part.estimates[0])
    if found is not None:
        console.print()
        console.print(rendered(found, part.understood.language, console.width))


def _parts(sheet: Sheet) -> "Iterator[RenderableType]":
    if sheet.figures:
        yield _grid(sheet.figures)
    if sheet.table:
        yield _table(sheet)
    if sheet.points:
        yield _points(sheet)


def _grid(pairs: tuple[tuple[str, str], ...]) -> "Table":
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim")
    grid.add_column()
    for label, value in pairs:
        grid.add_row(Text(label), Text(value))
    return grid


def _table(sheet: Sheet) -> "Table":
    from rich import box
    from rich.table import Table
    from rich.text import Text

    assert sheet.table is not None
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in sheet.table.columns:
        table.add_column(Text(column), overflow="fold")
    for row in sheet.table.rows:
        table.add_row(*(Text(cell) for cell in row))
    return table


def _points(sheet: Sheet) -> "Table":
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 1))
    if sheet.points_title:
        grid.title, grid.title_justify, grid.title_style = sheet.points_title, "left", "bold"
    for place, point in enumerate(sheet.points, 1):
        grid.add_row(Text(f"{place}."), Text(point))
    return grid
