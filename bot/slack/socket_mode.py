"""Socket Mode: one connection to Slack at any time, replaced before it ends where Slack says so and at once where it does not.

Slack's own client (slack_sdk 3.48) closes the old connection before it opens the next, looks for a lost one every ping
interval only, dials a link that failed once for ever although each works once, and acknowledges on another connection than
the one that brought the envelope. What it does with an envelope, Bolt's adapter, is used here as it is.
"""

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import aiohttp
from slack_bolt.adapter.socket_mode.async_internals import run_async_bolt_app
from slack_bolt.app.async_app import AsyncApp
from slack_bolt.response import BoltResponse
from slack_sdk.socket_mode.request import SocketModeRequest

from bot.bugs import report
from bot.slack.app import UNREADABLE
from bot.slack.calls import CallFailed, Later

HEARTBEAT = 2.0  # seconds between pings; a dead connection is noticed after one and a half of them
DIALLING = 10.0  # seconds for a connection to be made
FIRST_WAIT, LONGEST_WAIT = 0.25, 10.0  # seconds between attempts, doubled each time
GOODBYE = 10.0  # seconds that a connection stays after its successor is there: Slack closes it itself
log = logging.getLogger(__name__)


@dataclass(slots=True, eq=False)
class _Connection:
    socket: aiohttp.ClientWebSocketResponse
    leaving: asyncio.Event = field(default_factory=asyncio.Event)  # Slack wants a new one, or it is gone


class SocketMode:
    """`run` keeps the bot connected until `close`. `link` gives a URL to dial, `proxy` is for the dialling."""

    def __init__(
        self,
        app: AsyncApp,
        link: Callable[[], Awaitable[str]],
        *,
        proxy: str | None = None,
        heartbeat: float = HEARTBEAT,
    ) -> None:
        self._app, self._link, self._proxy, self._heartbeat = app, link, proxy, heartbeat
        self._session = aiohttp.ClientSession()
        self._served: set[asyncio.Task[None]] = set()
        self._closing = False
        self._connections: set[_Connection] = set()

    @property
    def connected(self) -> bool:
        """Whether Slack can reach the bot now."""
        return any(not connection.leaving.is_set() for connection in self._connections)

    async def run(self, on_connected: Callable[[], object] = lambda: None) -> None:
        """Connects, and again whenever a connection ends."""
        while not self._closing:
            connection = await self._dial()
            task = asyncio.create_task(self._serve(connection))
            self._served.add(task)
            task.add_done_callback(self._served.discard)
            on_connected()
            await connection.leaving.wait()

    async def close(self) -> None:
        """Closes every connection; what was not acknowledged, Slack sends again."""
        self._closing = True
        for connection in list(self._connections):
            await connection.socket.close()
        await asyncio.gather(*self._served, return_exceptions=True)
        await self._session.close()

    async def _dial(self) -> _Connection:
        wait = FIRST_WAIT
        while True:
            try:
                async with asyncio.timeout(DIALLING):
                    link = await self._link()
                    socket = await self._session.ws_connect(
                        link, heartbeat=self._heartbeat, proxy=self._proxy, max_msg_size=0
                    )
            except (CallFailed, aiohttp.ClientError, OSError, TimeoutError) as fault:
                pause = fault.seconds if isinstance(fault, Later) else wait
                log.warning("no connection to Slack (%s), next attempt in %g s", _why(fault), pause)
                await asyncio.sleep(pause)
                wait = min(wait * 2, LONGEST_WAIT)
            else:
                return _Connection(socket)

    async def _serve(self, connection: _Connection) -> None:
        """Reads until the connection ends, or for a while after Slack has asked for another one."""
        self._connections.add(connection)
        try:
            async for message in connection.socket:
                if message.type is aiohttp.WSMsgType.TEXT:
                    await self._receive(connection, json.loads(message.data))
        except (aiohttp.ClientError, OSError) as fault:
            log.info("the connection to Slack broke: %s", _why(fault))
        except Exception as fault:  # noqa: BLE001 - the boundary: the next connection is dialled
            report(fault)
        finally:
            self._connections.discard(connection)
            connection.leaving.set()
            await connection.socket.close()

    async def _receive(self, connection: _Connection, message: Mapping[str, Any]) -> None:
        match message.get("type"):
            case "hello":
                log.info("connected to Slack by Socket Mode")
            case "disconnect":
                log.info("Slack asks for another connection: %s", message.get("reason"))
                connection.leaving.set()
                asyncio.get_running_loop().call_later(GOODBYE, self._leave, connection)
            case _:
                await self._envelope(connection, message)

    async def _envelope(self, connection: _Connection, message: Mapping[str, Any]) -> None:
        request = SocketModeRequest.from_dict(dict(message))
        if request is None:
            return
        try:
            response: BoltResponse = await run_async_bolt_app(self._app, request)
        except UNREADABLE as fault:  # acknowledged all the same: it would only come again
            log.warning("a payload that cannot be read: %r", fault)
            response = BoltResponse(status=200)
        if response.status == 200 and not connection.socket.closed:
            answer = {"envelope_id": request.envelope_id} | _payload(response)
            await connection.socket.send_str(json.dumps(answer))

    def _leave(self, connection: _Connection) -> None:
        if connection in self._connections:
            task = asyncio.create_task(self._hang_up(connection))
            self._served.add(task)
            task.add_done_callback(self._served.discard)

    async def _hang_up(self, connection: _Connection) -> None:
        await connection.socket.close()


def _why(fault: Exception) -> str:
    """What went wrong, without the link's ticket and a proxy's password, which aiohttp has in its words."""
    return repr(fault) if isinstance(fault, CallFailed) else type(fault).__name__


def _payload(response: BoltResponse) -> dict[str, Any]:
    return {"payload": json.loads(response.body)} if response.body else {}
