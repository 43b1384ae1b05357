"""`tuning-bot check`: what works, and what to do about what does not."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.cli.ask import CONFIG as CONFIG_OPTION
from bot.settings import Settings
from bot.world import CONFIG, World
from knowledge.errors import Refusal

if TYPE_CHECKING:
    from bot.checks import Finding

ALIVE = typer.Option("--alive", help="only whether a running `serve` is well, for health checks of containers")


def check(
    ctx: typer.Context,
    config: Annotated[Path | None, CONFIG_OPTION] = None,
    alive: Annotated[bool, ALIVE] = False,
) -> int:
    """Check settings, tokens, scopes, connection and store; exit status 1 when anything fails."""
    import asyncio

    return asyncio.run(_check(ctx.obj, config, alive=alive))


async def _check(world: World, config: Path | None, *, alive: bool) -> int:
    from bot.checks import Verdict

    failures = 0
    async for finding in _findings(world, config, alive=alive):
        world.say(finding.line)
        failures += finding.verdict is Verdict.FAILED
    if not alive:
        world.say(
            "\nSomething is missing: see what failed." if failures else "\nReady: start it with `tuning-bot serve`."
        )
    return int(failures > 0)


async def _findings(world: World, config: Path | None, *, alive: bool) -> AsyncIterator["Finding"]:
    import time

    from bot.slack.checking import check_slack
    from bot.store.channel_defaults import said_in
    from bot.store.checking import check_alive, check_store

    settings, first = _settings(world, config)
    if alive:
        yield check_alive(settings.store.path, time.time)
        return
    yield first
    yield check_store(settings.store.path, time.time)
    async for finding in check_slack(settings, world.environment, said_in(settings.store.path)):
        yield finding


def _settings(world: World, config: Path | None) -> tuple[Settings, "Finding"]:
    """The settings, and whether they could be read; what follows is checked with the defaults where they could not."""
    from bot.checks import failed, ok

    try:
        settings = world.settings(config)
    except Refusal as refusal:
        return Settings(), failed("settings", refusal)
    named = config or world.environment.get(CONFIG)
    return settings, ok(
        "settings", f"`{named}` is valid." if named else "There is no settings file; the defaults hold."
    )
