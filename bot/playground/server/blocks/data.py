"""Blocks that show data: tables and charts."""

from collections.abc import Mapping

from bot.playground.server.blocks.rich_text import RICH_TEXT
from bot.playground.server.blocks.rules import (
    Bool,
    Choice,
    Items,
    Number,
    Problems,
    Rule,
    Shape,
    Str,
    Typed,
    problem,
    unique,
)

_ID: Mapping[str, Rule] = {"block_id": Str(255)}
CELLS: Mapping[str, Shape] = {
    "raw_text": Shape({"text": Str()}),
    "raw_number": Shape({"value": Number(), "text": Str()}),
    "rich_text": RICH_TEXT,
}
HEADER_CELLS = frozenset({"raw_text", "raw_number"})


class Rows:
    """Rows of up to 20 cells; a table with a `header` is rectangular and has no rich text in its first row."""

    def __init__(self, least: int, most: int, *, header: bool) -> None:
        self._rows = Items(Items(Typed(CELLS), 20), most, least)
        self._header = header

    def check(self, value: object, at: str) -> Problems:
        """See Rule."""
        yield from self._rows.check(value, at)
        if not self._header or not isinstance(value, list):
            return
        rows = [row for row in value if isinstance(row, list)]
        if len({len(row) for row in rows}) > 1:
            yield problem("every row must have as many cells as the first", at)
        first = rows[0] if rows else []
        if any(isinstance(cell, dict) and cell.get("type") not in HEADER_CELLS for cell in first):
            yield problem("the header row holds no rich text", f"{at}/0")


TABLE = Shape(
    {"rows": Rows(1, 100, header=False)},
    {
        **_ID,
        "column_settings": Items(
            Shape({}, {"align": Choice(("left", "center", "right")), "is_wrapped": Bool()}), 20, least=0
        ),
    },
)
DATA_TABLE = Shape(
    {"rows": Rows(2, 201, header=True), "caption": Str()},
    {**_ID, "page_size": Number(1, 100, whole=True), "row_header_column_index": Number(0, whole=True)},
)

_POINT = Shape({"label": Str(20), "value": Number()})
_SERIES = Shape({"name": Str(20), "data": Items(_POINT, 20)})
_AXIS = Shape({"categories": Items(Str(20), 20)}, {"x_label": Str(50), "y_label": Str(50)})
_SEGMENT = Shape({"label": Str(20), "value": Number(above=0)})


def _a_point_for_every_category(chart: dict[str, object]) -> str | None:
    axis, series = chart.get("axis_config"), chart.get("series")
    categories = axis.get("categories") if isinstance(axis, dict) else None
    if not isinstance(categories, list) or not isinstance(series, list):
        return None
    if len(set(map(str, categories))) < len(categories):
        return "categories must be unique"
    for one in series:
        data = one.get("data") if isinstance(one, dict) else None
        labels = [point.get("label") for point in data if isinstance(point, dict)] if isinstance(data, list) else []
        if sorted(map(str, labels)) != sorted(map(str, categories)):
            return "every series must have exactly one point for every category"
    return None


_AXIS_CHART = Shape(
    {"series": Items(_SERIES, 12), "axis_config": _AXIS},
    also=(unique("series", "name"), _a_point_for_every_category),
)

CHARTS: Mapping[str, Shape] = {
    "pie": Shape({"segments": Items(_SEGMENT, 12)}),
    "bar": _AXIS_CHART,
    "line": _AXIS_CHART,
    "area": _AXIS_CHART,
}
DATA_VISUALIZATION = Shape({"title": Str(50), "chart": Typed(CHARTS)}, _ID)
