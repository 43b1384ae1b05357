"""`python -m bot.playground.server`: the server as a process, until it is told to stop."""

import asyncio
import json
import signal
from pathlib import Path
from typing import Annotated

import typer

from bot.playground.server.description import DEFAULT, Described
from bot.playground.server.manifest import default_manifest, load_manifest
from bot.playground.server.server import SlackServer


async def _serve(server: SlackServer, port: int) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    await server.start(port)
    typer.echo(json.dumps(server.environment))
    await stop.wait()
    await server.stop()


def main(
    port: Annotated[int, typer.Option(help="Port on the loopback interface; 0 takes a free one.")] = 0,
    manifest: Annotated[Path | None, typer.Option(help="The app's manifest, YAML or JSON.")] = None,
    workspace: Annotated[Path | None, typer.Option(help="People and rooms, as JSON.")] = None,
    request_url: Annotated[str | None, typer.Option(help="Deliver over HTTP to this address.")] = None,
    enforce_rates: Annotated[bool, typer.Option(help="Answer 429 by Slack's rate tiers.")] = False,
) -> None:
    """Serve a workspace; the first line on stdout is the environment that connects an app to it, as JSON."""
    described = DEFAULT if workspace is None else Described.model_validate_json(workspace.read_bytes())
    loaded = load_manifest(manifest or default_manifest())
    server = SlackServer(loaded, described, request_url=request_url, enforce_rates=enforce_rates)
    asyncio.run(_serve(server, port))


if __name__ == "__main__":
    typer.run(main)
