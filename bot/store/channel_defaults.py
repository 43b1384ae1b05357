"""What holds in a channel because somebody said so there: it stands over the settings file."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from sqlite_utils import Database


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelDefault:
    """One value, as it is written in the settings file; `user` set it."""

    channel: str
    name: str
    value: str
    user: str


class ChannelDefaults:
    """Values by channel and name."""

    def __init__(self, db: Database, clock: Callable[[], float]) -> None:
        self._db, self._clock = db, clock

    def put(self, default: ChannelDefault) -> None:
        """Keeps a value in the place of the one before."""
        self._db.execute(
            "INSERT OR REPLACE INTO channel_defaults (channel, name, value, user, at) VALUES (?, ?, ?, ?, ?)",
            (default.channel, default.name, default.value, default.user, self._clock()),
        )

    def drop(self, channel: str, name: str) -> None:
        """Forgets a value: what the file says holds again."""
        self._db.execute("DELETE FROM channel_defaults WHERE channel = ? AND name = ?", (channel, name))

    def of(self, channel: str) -> dict[str, ChannelDefault]:
        """A channel's values by name."""
        return {each.name: each for each in self._where("WHERE channel = ?", (channel,))}

    def every(self) -> list[ChannelDefault]:
        """All of them, by channel and name."""
        return self._where("ORDER BY channel, name", ())

    def _where(self, where: str, values: tuple[object, ...]) -> list[ChannelDefault]:
        rows = self._db.execute(f"SELECT channel, name, value, user FROM channel_defaults {where}", values)  # noqa: S608 - fixed texts
        return [
            ChannelDefault(channel=channel, name=name, value=value, user=user) for channel, name, value, user in rows
        ]


def said_in(path: Path) -> list[ChannelDefault]:
    """All of them in a store, read beside a bot that may be running; none where it is no store yet, or an older one."""
    if not path.is_file():
        return []
    try:
        with closing(Database(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True))) as db:
            return ChannelDefaults(db, float).every()
    except sqlite3.Error:
        return []
