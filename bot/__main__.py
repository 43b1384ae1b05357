"""`tuning-bot` and `python -m bot`: the only place that reads the environment."""

import logging
import os
import sys

from bot.cli.app import run
from bot.cli.world import World

LOG = "TUNING_BOT_LOG"


def main() -> None:
    """Runs the command line and exits with its status. Bugs are logged in full to the file that TUNING_BOT_LOG names."""
    named = os.environ.get(LOG)
    kept = logging.FileHandler(named, encoding="utf-8", delay=True) if named else logging.NullHandler()
    logging.basicConfig(handlers=[kept], format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    world = World(environment=os.environ, stdin=sys.stdin.buffer, stdout=sys.stdout, stderr=sys.stderr)
    status = run(sys.argv[1:], world)
    try:
        sys.stdout.flush()
    except BrokenPipeError:  # the reader went away: nothing may be left to flush when Python exits
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 1
    sys.exit(status)


if __name__ == "__main__":
    main()
