"""`tuning-bot` and `python -m bot`: the only place that reads the environment."""

import logging
import os
import sys
from collections.abc import Mapping
from pathlib import Path

from bot.cli.app import run
from bot.cli.world import World
from knowledge.shelf import keep_in

LOG = "TUNING_BOT_LOG"


def main() -> None:
    """Runs the command line and exits with its status. Bugs are logged in full to the file that TUNING_BOT_LOG names."""
    named = os.environ.get(LOG)
    kept = logging.FileHandler(named, encoding="utf-8", delay=True) if named else logging.NullHandler()
    logging.basicConfig(handlers=[kept], format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    world = World(environment=os.environ, stdin=sys.stdin.buffer, stdout=sys.stdout, stderr=sys.stderr)
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tuning-bot"
    keep_in(cache)
    _open_hub(os.environ, cache)
    status = run(sys.argv[1:], world)
    try:
        sys.stdout.flush()
    except BrokenPipeError:  # the reader went away: nothing may be left to flush when Python exits
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 1
    sys.exit(status)


def _open_hub(environment: Mapping[str, str], cache: Path) -> None:
    """Lets models that are not listed be fetched, unless HF_HUB_OFFLINE is set; what is fetched is kept in the user's cache."""
    if environment.get("HF_HUB_OFFLINE", "").lower() in ("1", "true", "yes", "on"):
        return
    from knowledge.catalogue import open_hub
    from knowledge.hub import HubAccess

    open_hub(HubAccess(token=environment.get("HF_TOKEN"), cache_dir=cache, endpoint=environment.get("HF_ENDPOINT")))


if __name__ == "__main__":
    main()
