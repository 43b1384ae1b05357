"""An attempt's folder: what must survive the agent, each file written whole or not at all."""

import json
import os
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from runners.dispatch.orders import Order, Progress
from runners.results.result import Repeat, Result, Start

Known = TypeVar("Known", bound=BaseModel)


SERVER = "server.json"


class Folder:
    """The files of one attempt."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.server_log, self.bench_log = path / "server.log", path / "bench.log"

    def create(self, order: Order) -> None:
        """Makes it, or goes on in the one that is there."""
        self.path.mkdir(parents=True, exist_ok=True)
        self._write("order.json", order.model_dump_json())

    def is_for(self, order: Order) -> bool:
        """Whether what is there belongs to that very order. A new store counts its jobs from 1 again."""
        known = self.order()
        return known is None or known == order

    def clear(self) -> None:
        """Forgets what another order left, all but its server: that one must be proved gone."""
        for file in self.path.iterdir():
            if file.name != SERVER:
                file.unlink()

    def order(self) -> Order | None:
        """What it is for; None when it has nothing to go on with."""
        return self._read("order.json", Order)

    def report(self, repeat: int) -> Path:
        """Where the bench writes the n-th repeat."""
        return self.path / f"bench-{repeat}.json"

    def keep_repeat(self, repeat: Repeat) -> None:
        """A finished repeat is not run again."""
        self._write(f"repeat-{repeat.number}.json", repeat.model_dump_json())

    def repeats(self) -> dict[int, Repeat]:
        """The finished repeats."""
        found = (self._read(file.name, Repeat) for file in sorted(self.path.glob("repeat-*.json")))
        return {repeat.number: repeat for repeat in found if repeat is not None}

    def keep_start(self, start: Start) -> None:
        """What the start observed."""
        self._write("start.json", start.model_dump_json())

    def start(self) -> Start | None:
        """The last start."""
        return self._read("start.json", Start)

    def keep_server(self, pid: int, started: int) -> None:
        """The server's process, so that a restarted agent finds it or proves it gone."""
        self._write(SERVER, json.dumps({"pid": pid, "started": started}))

    def server(self) -> tuple[int, int] | None:
        """Its pid and start."""
        found = self._values(SERVER)
        return (int(found["pid"]), int(found["started"])) if found else None

    def keep_state(self, *, spent: float, prompts: int | None) -> None:
        """Seconds that the run has taken so far, and the requests of a repeat once they are found."""
        self._write("state.json", json.dumps({"spent": spent, "prompts": prompts}))

    def spent(self) -> float:
        """Seconds before the agent was restarted."""
        return float(self._values("state.json").get("spent", 0.0))

    def prompts(self) -> int | None:
        """Requests of a repeat, where they were found."""
        found = self._values("state.json").get("prompts")
        return None if found is None else int(found)

    def keep_progress(self, progress: Progress) -> None:
        """The last report."""
        self._write("progress.json", progress.model_dump_json())

    def progress(self) -> Progress:
        """The last report that was written."""
        return self._read("progress.json", Progress) or Progress()

    def keep_result(self, result: Result) -> None:
        """The end: nothing of this attempt runs after it."""
        self._write("result.json", result.model_dump_json())

    def result(self) -> Result | None:
        """What it came to."""
        return self._read("result.json", Result)

    def _write(self, name: str, text: str) -> None:
        beside = self.path / f".{name}"
        with beside.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(self.path / name)

    def _read(self, name: str, kind: type[Known]) -> Known | None:
        try:
            return kind.model_validate_json((self.path / name).read_text(encoding="utf-8"))
        except (OSError, ValidationError):
            return None

    def _values(self, name: str) -> dict[str, Any]:
        try:
            found = json.loads((self.path / name).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}
