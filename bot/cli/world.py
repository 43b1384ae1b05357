"""What a command is given of the outside, so that none of them reaches for it."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, TextIO

from bot.settings import Settings, load

CONFIG = "TUNING_BOT_CONFIG"


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """The three streams and the environment. Standard input is read as bytes: people pipe anything into it."""

    environment: Mapping[str, str]
    stdin: BinaryIO
    stdout: TextIO
    stderr: TextIO

    def settings(self, config: Path | None) -> Settings:
        """Those of --config, else of TUNING_BOT_CONFIG, else the defaults."""
        named = self.environment.get(CONFIG)
        return load(config or (Path(named) if named else None))

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
