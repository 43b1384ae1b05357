"""The bar of one GPU's memory: its pieces, in a terminal and as a picture."""

import asyncio
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from bot.charts.draw import draw
from bot.charts.memory import MemoryBar, Use, memory_bar
from bot.charts.png import NotDrawn, png, png_later
from bot.charts.terminal import SIGNS, rendered, shares
from bot.settings import Language
from knowledge.fit.estimate import Estimate

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def bar(estimate: Callable[..., Estimate]) -> MemoryBar:
    found = memory_bar(estimate())
    assert found is not None
    return found


def test_the_pieces_add_up_to_what_the_terms_leave(bar: MemoryBar) -> None:
    sizes = {piece.use: round(piece.gib, 2) for piece in bar.pieces}
    assert sizes == {
        Use.WEIGHTS: 33.9,
        Use.ACTIVATION: 1.9,
        Use.OVERHEADS: 2.9,  # 2.1 outside PyTorch and 0.8 of graphs
        Use.ASKED: 1.25,
        Use.CACHE: 32.95,  # 34.2 − 1.25
        Use.OUTSIDE: 6.3,  # 79.2 − 72.9
    }
    assert (bar.total, bar.budget) == (79.2, 72.9)
    assert bar.length == pytest.approx(79.2)


def test_many_requests_take_so_many_times_the_cache(estimate: Callable[..., Estimate]) -> None:
    found = memory_bar(estimate(concurrency=10))
    assert found is not None
    assert found.asked == 12.5


def test_what_is_missing_reaches_beyond_the_card(estimate: Callable[..., Estimate]) -> None:
    found = memory_bar(estimate(concurrency=40))
    assert found is not None
    sizes = {piece.use: round(piece.gib, 2) for piece in found.pieces}
    assert sizes[Use.SHORT] == 15.8  # 40 × 1.25 − 34.2
    assert Use.CACHE not in sizes
    assert Use.OUTSIDE not in sizes
    assert found.length == pytest.approx(88.7)


def test_requests_are_shared_between_copies(estimate: Callable[..., Estimate]) -> None:
    found = memory_bar(estimate(concurrency=10, dp=2))
    assert found is not None
    assert found.asked == 6.25


@pytest.mark.parametrize("missing", ["per_gpu", "gpu"])
def test_without_a_gpu_there_is_no_bar(estimate: Callable[..., Estimate], missing: str) -> None:
    assert memory_bar(estimate(**{missing: None})) is None


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("width", [10, 40, 80, 300])
def test_a_terminal_gets_one_line_of_blocks_and_a_legend(bar: MemoryBar, language: Language, width: int) -> None:
    title, blocks, *legend = rendered(bar, language, width).plain.splitlines()
    assert "79.2" in title
    assert len(blocks) == max(20, min(72, width - 2))
    assert [line[0] for line in legend] == [SIGNS[piece.use] for piece in bar.pieces]
    assert "16,384" in legend[3]


def test_the_asked_context_is_named_with_its_requests(estimate: Callable[..., Estimate]) -> None:
    found = memory_bar(estimate(concurrency=10))
    assert found is not None
    assert "10 × 16,384" in rendered(found, "en", 80).plain


@pytest.mark.parametrize(
    ("sizes", "columns", "expected"),
    [
        ([1.0, 1.0], 10, [5, 5]),
        ([99.0, 1.0, 0.001], 20, [18, 1, 1]),
        ([1.0, 1.0, 1.0], 10, None),
        ([0.0, 0.0], 10, [0, 0]),
    ],
    ids=["even", "small ones stay", "rest", "nothing"],
)
def test_columns_are_shared_without_losing_a_piece(
    sizes: list[float], columns: int, expected: list[int] | None
) -> None:
    given = shares(sizes, columns)
    assert expected is None or given == expected
    assert sum(given) in (columns, 0)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_child_process_draws_the_picture(bar: MemoryBar, language: Language) -> None:
    picture = png(bar, language)
    assert picture.startswith(PNG)
    assert len(picture) < 200_000


def test_the_picture_is_drawn_without_holding_up_the_loop(bar: MemoryBar) -> None:
    assert asyncio.run(png_later(bar, "en")).startswith(PNG)


def test_a_child_that_takes_too_long_is_ended(bar: MemoryBar) -> None:
    with pytest.raises(NotDrawn, match="too long"):
        png(bar, "en", deadline=0.01)
    with pytest.raises(NotDrawn, match="too long"):
        asyncio.run(png_later(bar, "en", deadline=0.01))


def test_a_child_that_fails_says_why(bar: MemoryBar) -> None:
    with pytest.raises(NotDrawn, match=r"NaN|nan|finite|limits"):
        png(replace(bar, total=float("nan"), budget=float("inf"), pieces=()), "en")


def test_the_bots_own_process_never_loads_what_draws() -> None:
    code = "import sys, bot.charts.png, bot.charts.memory, bot.charts.terminal; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


ENGLISH = {"weights": "weights", "asked": "asked"}
SAID: dict[str, Any] = {
    "total": 79.2,
    "budget": 72.9,
    "length": 79.2,
    "pieces": [{"use": "weights", "gib": 40.0}, {"use": "asked", "gib": 39.2}],
    "titles": ["Memory", "Memory"],
    "labels": [ENGLISH, ENGLISH],
}


def test_a_picture_is_drawn_from_what_the_child_is_told() -> None:
    assert draw(SAID).startswith(PNG)


def test_chinese_is_drawn_in_its_font_or_in_english() -> None:
    chinese = {"titles": ["显存", "Memory"], "labels": [{"weights": "权重", "asked": "请求"}, ENGLISH]}
    assert draw(SAID | chinese).startswith(PNG)
