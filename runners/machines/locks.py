"""One run at a time on a GPU, whoever starts it on this machine: the agent, a second agent, a terminal."""

import fcntl
from collections.abc import Iterable
from pathlib import Path
from typing import IO

WHOLE = -1  # a machine without GPUs


class Held:
    """GPUs that this process holds; the kernel lets go of them when it dies."""

    def __init__(self, files: list[IO[str]]) -> None:
        self._files = files

    def release(self) -> None:
        """Lets others have them."""
        for file in self._files:
            file.close()
        self._files = []


def hold(folder: Path, devices: Iterable[int], who: str) -> Held | str:
    """Takes the GPUs, or says who has one of them. `folder` is shared by everybody who may start a run here."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    taken: list[IO[str]] = []
    for device in sorted(devices):
        file = (folder / f"{'machine' if device == WHOLE else f'gpu-{device}'}.lock").open("a+", encoding="utf-8")
        taken.append(file)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            holder = file.read().strip() or "another run"
            Held(taken).release()
            return holder
        file.truncate(0)
        file.write(who)
        file.flush()
    return Held(taken)
