"""What was said in a channel is kept until it is taken back, and can be read beside a running bot."""

from pathlib import Path

from bot.store.channel_defaults import ChannelDefault, said_in
from bot.store.store import open_store


def said(channel: str, name: str, value: str) -> ChannelDefault:
    return ChannelDefault(channel=channel, name=name, value=value, user="U1")


def test_the_last_value_holds_until_it_is_dropped(tmp_path: Path) -> None:
    with open_store(tmp_path / "store.sqlite", lambda: 1.0) as store:
        for value in ("en", "zh"):
            store.defaults.put(said("C1", "language", value))
        store.defaults.put(said("C2", "model", "m"))
        assert store.defaults.of("C1") == {"language": said("C1", "language", "zh")}
        store.defaults.drop("C1", "language")
        assert store.defaults.of("C1") == {}
        assert said_in(tmp_path / "store.sqlite") == [said("C2", "model", "m")]


def test_what_is_no_store_says_nothing(tmp_path: Path) -> None:
    other = tmp_path / "other.sqlite"
    other.write_bytes(b"no database at all, only words that somebody left here" * 20)
    assert said_in(other) == []
    assert said_in(tmp_path / "none") == []
