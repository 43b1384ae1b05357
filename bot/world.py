"""What a command is given of the outside, so that none of them reaches for it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TextIO

from bot.settings import Settings, Store, load

if TYPE_CHECKING:
    from knowledge.fit.observed import ObservedFile

CONFIG = "TUNING_BOT_CONFIG"


def utc_now() -> datetime:
    """What the clock on the wall says."""
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """The three streams, the environment and the clock. Standard input is read as bytes: people pipe anything into it."""

    environment: Mapping[str, str]
    stdin: BinaryIO
    stdout: TextIO
    stderr: TextIO
    clock: Callable[[], datetime] = utc_now

    def settings(self, config: Path | None) -> Settings:
        """Those of --config, else of TUNING_BOT_CONFIG, else the defaults."""
        named = self.environment.get(CONFIG)
        return load(config or (Path(named) if named else None))

    def observed(self, settings: Settings) -> "ObservedFile":
        """Where starts are kept: beside the store that the settings name, else in the user's data folder."""
        from knowledge.fit.observed import FILE_NAME, ObservedFile

        if settings.store != Store():
            return ObservedFile(settings.store.path.parent / FILE_NAME)
        data = self.environment.get("XDG_DATA_HOME") or str(
            Path(self.environment.get("HOME", "~")).expanduser() / ".local/share"
        )
        return ObservedFile(Path(data) / "tuning-bot" / FILE_NAME)

    def say(self, text: str) -> None:
        """Prints a line; characters that the terminal's encoding lacks become question marks."""
        self._write(self.stdout, text)

    def complain(self, text: str) -> None:
        """Prints a line on standard error."""
        self._write(self.stderr, text)

    @staticmethod
    def _write(stream: TextIO, text: str) -> None:
        encoding = getattr(stream, "encoding", None) or "utf-8"
        stream.write(text.encode(encoding, "replace").decode(encoding) + "\n")
        stream.flush()
