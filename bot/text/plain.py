"""A sheet as plain text: complete on its own, for notifications, screen readers and pipes."""

from collections.abc import Iterator

from bot.settings import Language
from bot.sheet import Act, Sheet, Table

COLONS: dict[Language, str] = {"en": ": ", "zh": "："}


def plain(sheet: Sheet, language: Language) -> str:
    """Every part of `sheet` in reading order, a blank line between parts."""
    return "\n\n".join(part for part in _parts(sheet, COLONS[language]) if part)


def joined(texts: list[str]) -> str:
    """The texts of several questions, told apart by a line."""
    return "\n\n———\n\n".join(texts)


def _parts(sheet: Sheet, colon: str) -> Iterator[str]:
    yield sheet.lead
    yield f"> {sheet.quote}" if sheet.quote else ""
    yield "\n".join(f"{label}{colon}{value}" for label, value in sheet.figures)
    yield _table(sheet.table, colon) if sheet.table else ""
    yield _titled(sheet.points_title, [f"{place}. {point}" for place, point in enumerate(sheet.points, 1)])
    yield _titled(sheet.command_title, [sheet.command] if sheet.command else [])
    yield "\n".join(sheet.notes)
    yield buttons(sheet, colon)
    yield "\n".join(line for line in (sheet.assumed, sheet.sources) if line)


def buttons(sheet: Sheet, colon: str) -> str:
    """What stands on the buttons, for fronts that have none."""
    if not sheet.buttons_title:
        return ""
    return (
        f"{sheet.buttons_title}{colon}{' · '.join(button.text for button in sheet.buttons if button.act is Act.OPEN)}"
    )


def _titled(title: str, lines: list[str]) -> str:
    return "\n".join([title, *lines] if title else lines) if lines else ""


def _table(table: Table, colon: str) -> str:
    """A line a row, each figure with its column's name: read aloud, a row makes sense without the heading."""
    return "\n".join(_row(table.spoken or table.columns, row, colon) for row in table.rows)


def _row(columns: tuple[str, ...], row: tuple[str, ...], colon: str) -> str:
    rest = [f"{column} {cell}" if column else cell for column, cell in zip(columns[1:], row[1:], strict=True) if cell]
    return f"{row[0]}{colon}{' · '.join(rest)}"
