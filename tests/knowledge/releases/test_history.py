import pytest

from knowledge.releases import history
from knowledge.versions import parse


@pytest.mark.parametrize(
    ("version", "value"), [("0.3", None), ("0.4", "0.9"), ("0.19.1", "0.9"), ("0.20", "0.92"), ("0.33", "0.92")]
)
def test_a_history_says_what_held_when(version: str, value: str | None) -> None:
    assert history.at("0.4.0=0.9|0.20.0=0.92", parse(version)) == value


def test_what_never_changed_has_no_history() -> None:
    assert history.at("yes", parse("0.32")) is None


def test_an_empty_end_means_it_is_still_there() -> None:
    assert history.until("") is None
    assert history.until("0.12.0") == parse("0.12")
