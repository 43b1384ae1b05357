"""`tuning-bot serve`: the bot in Slack, until it is told to stop."""

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.cli.ask import CONFIG
from bot.world import World

if TYPE_CHECKING:
    from bot.slack.serving import Serving


def serve(ctx: typer.Context, config: Annotated[Path | None, CONFIG] = None) -> int:
    """Answer in Slack. Set SLACK_BOT_TOKEN and SLACK_APP_TOKEN (SLACK_SIGNING_SECRET for HTTP); `tuning-bot check` says what is missing."""
    import asyncio
    import time

    from bot.store.lightly import take_lightly

    take_lightly()
    from bot.slack import tokens
    from bot.slack.serving import Serving
    from bot.store.store import open_store

    world: World = ctx.obj
    settings = world.settings(config)
    secrets = tokens.read(world.environment, settings.slack.mode)
    log_to(world)
    with open_store(settings.store.path, time.time) as store:
        serving = Serving(
            settings=settings,
            tokens=secrets,
            store=store,
            stop=asyncio.Event(),
            say=world.say,
            observed=world.observed(settings).path,
        )
        asyncio.run(_until_signalled(serving, world.environment))
    return 0


async def _until_signalled(serving: "Serving", environment: Mapping[str, str]) -> None:
    import asyncio
    import signal

    from bot.slack.serving import serve as keep_answering

    loop = asyncio.get_running_loop()

    def stop() -> None:
        """The first signal stops cleanly; the second one does what signals do."""
        serving.stop.set()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop)
    if not serving.settings.hosts:
        await keep_answering(serving)
        return
    from bot.jobs import heard

    async with heard(serving.settings, environment):
        await keep_answering(serving)


def log_to(world: World) -> None:
    """A line on standard error for what an operator may want to know."""
    handler = logging.StreamHandler(world.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.getLogger().addHandler(handler)
    for name in ("bot", "runners"):
        logging.getLogger(name).setLevel(logging.INFO)
