"""A workspace with the bot's own manifest, Slack's own client, and small Bolt apps connected to it."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.app.async_app import AsyncApp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground.server import Manifest, SlackServer, Timings, load_manifest

PROMPT = Timings(retry_delays=(0.0, 0.0, 0.0))
"""Retries at once: the order of things stays, nobody sits through minutes."""
IMPATIENT = Timings(ack=0.3, retry_delays=(0.0, 0.0, 0.0))
"""For tests of what happens when nobody answers."""


@pytest.fixture(scope="session")
def manifest() -> Manifest:
    return load_manifest(Path(__file__).parents[3] / "deploy" / "slack-manifest.yaml")


class Clock:
    """The real time, and as much more as a test has put it forward."""

    def __init__(self) -> None:
        self._ahead = 0.0

    def __call__(self) -> float:
        return time.time() + self._ahead

    def forward(self, seconds: float) -> None:
        self._ahead += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def server(manifest: Manifest, clock: Clock) -> AsyncIterator[SlackServer]:
    async with SlackServer(manifest, timings=PROMPT, clock=clock) as server:
        yield server


@pytest.fixture
async def impatient(manifest: Manifest) -> AsyncIterator[SlackServer]:
    async with SlackServer(manifest, timings=IMPATIENT) as server:
        yield server


@pytest.fixture
def client(server: SlackServer) -> AsyncWebClient:
    return client_of(server)


def client_of(server: SlackServer) -> AsyncWebClient:
    """Slack's client with the bot's token, and without its silent repetitions."""
    return AsyncWebClient(token=server.credentials.bot, base_url=server.api_url, retry_handlers=[])


@pytest.fixture
def client_for() -> Callable[[SlackServer], AsyncWebClient]:
    return client_of


async def refusal(call: Awaitable[Any]) -> Any:
    """The answer to a call that Slack's client raises for; its `error` is the code."""
    with pytest.raises(SlackApiError) as raised:
        await call
    return raised.value.response


@pytest.fixture
def refused() -> Callable[[Awaitable[Any]], Awaitable[Any]]:
    return refusal


@asynccontextmanager
async def connected(app: AsyncApp, server: SlackServer) -> AsyncIterator[AsyncSocketModeHandler]:
    """The app, connected over Socket Mode."""
    handler = AsyncSocketModeHandler(app, server.credentials.app, ping_interval=0.3)
    handler.client.web_client.base_url = server.api_url
    before = len(server.socket_mode.connections)
    await handler.connect_async()  # type: ignore[no-untyped-call]  # Bolt declares no types here
    await server.observed.wait_until(lambda: len(server.socket_mode.connections) > before, what="a connection")
    try:
        yield handler
    finally:
        await handler.close_async()  # type: ignore[no-untyped-call]  # Bolt declares no types here


@pytest.fixture
def connected_to() -> Callable[[AsyncApp, SlackServer], AbstractAsyncContextManager[AsyncSocketModeHandler]]:
    return connected


Connect = Callable[[AsyncApp], Awaitable[AsyncSocketModeHandler]]


@pytest.fixture
def app(client: AsyncWebClient) -> AsyncApp:
    """A Bolt app that acknowledges what nobody listens to."""
    return AsyncApp(client=client)


@pytest.fixture
async def connect(server: SlackServer) -> AsyncIterator[Connect]:
    """Connects apps and disconnects them at the end."""
    open_contexts = []

    async def start(app: AsyncApp) -> AsyncSocketModeHandler:
        context = connected(app, server)
        open_contexts.append(context)
        return await context.__aenter__()

    yield start
    for context in reversed(open_contexts):
        await context.__aexit__(None, None, None)
