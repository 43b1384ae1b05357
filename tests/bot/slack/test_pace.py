"""Posts to a channel are spread as Slack wants them."""

from typing import Any

import pytest

from bot.slack import pace
from bot.slack.pace import Pace


def test_a_burst_then_one_a_second(clock: Any) -> None:
    turns = Pace(clock)
    assert [turns.turn("C1") for _ in range(12)] == [0.0] * 10 + [1.0, 2.0]
    assert turns.turn("C2") == 0.0


def test_a_quiet_channel_regains_its_burst(clock: Any) -> None:
    turns = Pace(clock)
    for _ in range(10):
        turns.turn("C1")
    clock.now += 100
    assert [turns.turn("C1") for _ in range(11)] == [0.0] * 10 + [1.0]


def test_nothing_goes_to_a_channel_that_slack_wants_to_rest(clock: Any) -> None:
    turns = Pace(clock)
    turns.hold("C1", 30)
    assert turns.turn("C1") == 30.0
    assert turns.turn("C2") == 0.0


def test_it_does_not_remember_every_channel_for_ever(clock: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "CHANNELS", 2)
    turns = Pace(clock)
    for _ in range(10):
        turns.turn("C1")
    turns.turn("C2")
    turns.turn("C3")
    assert turns.turn("C1") == 0.0
