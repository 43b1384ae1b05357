"""`tuning-bot` and `python -m bot`: the only place that reads the environment."""

import io
import logging
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from bot.cli.app import run
from bot.world import World
from knowledge.shelf import keep_in

LOG = "TUNING_BOT_LOG"


def main() -> None:
    """Runs the command line and exits with its status. Bugs are logged in full to the file that TUNING_BOT_LOG names."""
    named = os.environ.get(LOG)
    kept = logging.FileHandler(named, encoding="utf-8", delay=True) if named else logging.NullHandler()
    logging.basicConfig(handlers=[kept], format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    _open_what_is_closed()
    world = World(environment=os.environ, stdin=sys.stdin.buffer, stdout=sys.stdout, stderr=sys.stderr)
    cache = _cache(os.environ)
    if cache is not None:
        keep_in(cache)
    _open_hub(os.environ, cache)
    status = run([_decoded(argument) for argument in sys.argv[1:]], world)
    try:
        sys.stdout.flush()
    except OSError:  # the reader went away or the disk is full: nothing may be left to flush when Python exits
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 1
    sys.exit(status)


def _open_what_is_closed() -> None:
    """Gives Python the streams that it was started without: nothing to read, nobody who hears errors. Without an output it ends."""
    if sys.stdin is None:
        sys.stdin = io.TextIOWrapper(io.BytesIO())
    if sys.stderr is None:
        sys.stderr = io.StringIO()
    if sys.stdout is None:
        sys.exit("Standard output is closed, so no answer can be written. Send it to a file or a terminal.")


def _cache(environment: Mapping[str, str]) -> Path | None:
    """Where what is fetched and worked out is kept; None for somebody without a home."""
    try:
        return Path(environment.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tuning-bot"
    except RuntimeError:
        return None


def _decoded(argument: str) -> str:
    """An argument that the locale could not decode, read as UTF-8."""
    return argument.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _open_hub(environment: Mapping[str, str], cache: Path | None) -> None:
    """Lets models that are not listed be fetched, unless HF_HUB_OFFLINE is set; what is fetched is kept in the user's cache."""
    if environment.get("HF_HUB_OFFLINE", "").lower() in ("1", "true", "yes", "on"):
        return
    from knowledge.catalogue import open_hub
    from knowledge.hub import HubAccess

    open_hub(HubAccess(token=environment.get("HF_TOKEN"), cache_dir=cache, endpoint=environment.get("HF_ENDPOINT")))


if __name__ == "__main__":
    main()
