"""`tuning-bot runner`: the agent on a GPU host, until it is told to stop."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.cli.ask import CONFIG
from bot.world import World
from knowledge.errors import Refusal

if TYPE_CHECKING:
    import asyncio

HOST = typer.Option("--host", help="what `hosts` in the settings calls this machine", show_default=False)
BOT = typer.Option("--bot", help="where `serve` listens: unix:PATH or http://HOST:PORT; unset: `agents.listen`")
FOLDER = typer.Option("--folder", help="where attempts are kept; unset: beside the store", show_default=False)


def runner(
    ctx: typer.Context,
    host: Annotated[str, HOST],
    bot: Annotated[str | None, BOT] = None,
    folder: Annotated[Path | None, FOLDER] = None,
    config: Annotated[Path | None, CONFIG] = None,
) -> int:
    """Run benchmarks on this host as `serve` hands them out. Over TCP, set TUNING_BOT_AGENT_TOKEN to this host's token."""
    import asyncio

    from bot.agents import SOCKET, TOKEN
    from bot.cli.serve import log_to
    from bot.cli.surroundings import surroundings_of
    from runners.agent.agent import Agent, Identity
    from runners.dispatch.http_link import HttpLink
    from runners.dispatch.link import UNIX

    world: World = ctx.obj
    settings = world.settings(config)
    found = next((each for each in settings.hosts if each.name == host), None)
    if found is None:
        known = ", ".join(f"`{each.name}`" for each in settings.hosts) or "none"
        raise Refusal("unknown-host", f"There is no host `{host}`.", f"Configured are: {known}.", host=host)
    beside = settings.store.path.resolve().parent
    kept = folder or beside / f"runner-{host}"
    where = bot or _where(settings.agents.listen) or f"{UNIX}{beside / SOCKET}"
    log_to(world)
    identity = Identity(kept)

    async def work() -> None:
        link = HttpLink(where, host, identity.instance, world.environment.get(TOKEN))
        agent = Agent(link, kept / "attempts", surroundings_of(found, settings, world.environment), world.say)
        try:
            await agent.run(stop_event())
        finally:
            await link.close()

    try:
        asyncio.run(work())
    finally:
        identity.release()
    return 0


def stop_event() -> "asyncio.Event":
    """An event that SIGINT and SIGTERM set."""
    import asyncio
    import signal

    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    return stop


def _where(listen: str | None) -> str | None:
    """An address to dial, of one to listen at."""
    from runners.dispatch.link import UNIX

    return listen if listen is None or listen.startswith(UNIX) else f"http://{listen}"
