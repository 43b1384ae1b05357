"""`tuning-bot think`: the process beside `serve` that computes its answers. People have no use for it."""

import typer

from bot.cli.serve import log_to
from bot.world import World


def think(ctx: typer.Context) -> int:
    """Answer lines of JSON from `serve`."""
    from bot.store.lightly import take_lightly

    take_lightly()
    from bot.slack.thinker import run

    world: World = ctx.obj
    log_to(world)
    run(world)
    return 0
