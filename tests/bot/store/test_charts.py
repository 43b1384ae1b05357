"""Charts in the store: each answer has at most one, whatever happens between the mark and the upload."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.store.charts import Drawn
from bot.store.store import DAY, Store, open_store


class Clock:
    """Seconds, put forward by hand."""

    now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> Iterator[Store]:
    with open_store(tmp_path / "store.sqlite", clock) as store:
        yield store


def test_a_chart_is_begun_once(store: Store) -> None:
    assert store.charts.begin("C1-1.0", "{}") is Drawn.NO
    assert store.charts.begin("C1-1.0", "{}") is Drawn.BEGUN
    store.charts.there("C1-1.0", "{}")
    assert store.charts.begin("C1-1.0", "{}") is Drawn.THERE


def test_a_changed_answer_may_have_another_chart(store: Store) -> None:
    store.charts.begin("C1-1.0", '{"gpu": "T4"}')
    assert store.charts.begin("C1-1.0", '{"gpu": "L4"}') is Drawn.NO


def test_one_that_did_not_arrive_may_be_tried_again(store: Store) -> None:
    store.charts.begin("C1-1.0", "{}")
    store.charts.drop("C1-1.0", "{}")
    assert store.charts.begin("C1-1.0", "{}") is Drawn.NO


def test_marks_are_forgotten_with_their_questions(store: Store, clock: Clock) -> None:
    store.charts.begin("C1-1.0", "{}")
    clock.now += 40 * DAY
    store.prune()
    assert store.charts.begin("C1-1.0", "{}") is Drawn.NO
