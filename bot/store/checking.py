"""Whether the store works, and whether the bot that writes into it lives."""

import os
from collections.abc import Callable
from pathlib import Path

from bot.checks import Finding, failed, ok
from bot.store.store import open_store
from knowledge.errors import Refusal

SILENT = 60.0  # seconds without a sign of life, which comes every ten, after which a bot counts as dead
START = "Start it with `tuning-bot serve`, or look at why it stopped."


def check_store(path: Path, clock: Callable[[], float]) -> Finding:
    """Whether the file can be written, beside a bot that uses it too; it is not created for that."""
    folder = next(parent for parent in path.absolute().parents if parent.exists())
    if folder.is_dir() and not path.exists() and os.access(folder, os.W_OK):
        return ok("store", f"`{path}` can be created.")
    try:
        with open_store(path, clock, alone=False) as store:
            store.try_writing()
    except Refusal as refusal:
        return failed("store", refusal)
    return ok("store", f"`{path}` can be written.")


def check_alive(path: Path, clock: Callable[[], float]) -> Finding:
    """Whether a bot has lately said that it lives and that Slack reaches it."""
    if not path.exists():
        return failed("serve", Refusal("not-serving", f"No bot has written `{path}` yet.", START))
    try:
        with open_store(path, clock, alone=False) as store:
            pulse = store.pulse()
    except Refusal as refusal:
        return failed("serve", refusal)
    if pulse is None or pulse[0] > SILENT:
        return failed("serve", Refusal("not-serving", "The bot does not run.", START))
    if not pulse[1]:
        unreachable = Refusal(
            "not-connected", "The bot runs and is not connected to Slack.", "It keeps trying; see its log."
        )
        return failed("serve", unreachable)
    return ok("serve", f"The bot lives, and was connected {pulse[0]:.0f} s ago.")
