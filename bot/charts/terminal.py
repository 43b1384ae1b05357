"""The memory bar as text: one line of blocks, a mark under the asked context, and what each colour means."""

from typing import TYPE_CHECKING

from bot.charts.memory import MemoryBar, Use, label, title
from bot.settings import Language
from bot.text.figures import gib

if TYPE_CHECKING:
    from rich.text import Text

WIDEST, NARROWEST = 72, 20
COLOURS = {
    Use.WEIGHTS: "blue",
    Use.ACTIVATION: "magenta",
    Use.OVERHEADS: "yellow",
    Use.ASKED: "green",
    Use.CACHE: "bright_green",
    Use.SHORT: "red",
    Use.OUTSIDE: "bright_black",
}
# Told apart without colour too: screen readers skip them, copies and plain terminals keep them.
SIGNS = {
    Use.WEIGHTS: "█",
    Use.ACTIVATION: "▓",
    Use.OVERHEADS: "▒",
    Use.ASKED: "■",
    Use.CACHE: "□",
    Use.SHORT: "!",
    Use.OUTSIDE: "·",
}


def rendered(bar: MemoryBar, language: Language, width: int) -> "Text":
    """The bar for a terminal `width` columns wide."""
    from rich.text import Text

    columns = max(NARROWEST, min(WIDEST, width - 2))
    lines = Text(title(bar, language) + "\n")
    for piece, size in zip(bar.pieces, shares([piece.gib for piece in bar.pieces], columns), strict=True):
        lines.append(SIGNS[piece.use] * size, style=COLOURS[piece.use])
    for piece in bar.pieces:
        lines.append(f"\n{SIGNS[piece.use]} ", style=COLOURS[piece.use])
        lines.append(f"{label(piece.use, bar, language)} {gib(piece.gib)}")
    return lines


def shares(sizes: list[float], columns: int) -> list[int]:
    """Columns for each size, adding up to `columns`; none that is more than nothing disappears."""
    total = sum(sizes)
    if total <= 0:
        return [0 for _ in sizes]
    exact = [size / total * columns for size in sizes]
    given = [max(1, int(share)) for share in exact]
    while sum(given) > columns:
        given[given.index(max(given))] -= 1
    for place in sorted(range(len(sizes)), key=lambda place: given[place] - exact[place]):
        if sum(given) < columns:
            given[place] += 1
    return given
