"""Socket Mode: single-use links, hello, envelopes and their acknowledgements, disconnects and cut connections."""

import asyncio
import json
from dataclasses import dataclass, field

from aiohttp import WSMsgType, web

from bot.playground.server.common import Common
from bot.playground.server.deliveries import NotDelivered, Parcel
from bot.playground.server.state import Json
from bot.playground.server.violations import Rule

MAX_CONNECTIONS = 10
"""Slack keeps up to ten connections of one app (docs.slack.dev, Socket Mode)."""
CONNECTION_SECONDS = 18060
DEBUG_CONNECTION_SECONDS = 360
"""What `hello` announces as the life of a connection; the second for links with `debug_reconnects=true`."""


@dataclass(slots=True, eq=False)
class Connection:
    """One web socket; `draining` ones get no further envelopes."""

    number: int
    socket: web.WebSocketResponse
    request: web.Request
    draining: bool = False
    delivered: int = 0

    def abort(self) -> None:
        """Cut it as a failing network would: no close frame."""
        if self.request.transport is not None:
            self.request.transport.abort()


@dataclass(slots=True)
class Pending:
    """An envelope that was sent; `answer` is resolved by its acknowledgement."""

    parcel: Parcel
    connection: Connection
    sent: float
    answer: asyncio.Future[Json] = field(repr=False)


class SocketMode:
    """Holds the connections and brings each parcel to one of them, in turn."""

    def __init__(self, common: Common, app_id: str, *, ping_every: float = 15.0) -> None:
        self._common, self._app_id, self._ping_every = common, app_id, ping_every
        self._tickets: set[str] = set()
        self._pending: dict[str, Pending] = {}
        self._done: dict[str, Pending] = {}
        self._opened = 0
        self.connections: list[Connection] = []

    def link(self) -> str:
        """A URL that one client may connect to once."""
        ticket = self._common.ids.uuid()
        self._tickets.add(ticket)
        return f"{self._common.address.socket}/link?ticket={ticket}&app_id={self._app_id}"

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """The aiohttp handler behind the link."""
        ticket = request.query.get("ticket", "")
        if ticket not in self._tickets:
            return web.Response(status=410, text="this link is unknown or was used before")
        self._tickets.discard(ticket)
        socket = web.WebSocketResponse(heartbeat=self._ping_every, max_msg_size=0)
        await socket.prepare(request)
        self._opened += 1
        connection = Connection(self._opened, socket, request)
        if len(self.connections) >= MAX_CONNECTIONS:
            await self._say_goodbye(connection, "too_many_websockets")
            await socket.close()
            return socket
        await self._serve(connection)
        return socket

    async def _serve(self, connection: Connection) -> None:
        self.connections.append(connection)
        try:
            await connection.socket.send_str(json.dumps(self._hello(connection)))
            self._common.changes.happened()
            async for message in connection.socket:
                if message.type == WSMsgType.TEXT:
                    self._acknowledge(message.data)
        finally:
            self.connections.remove(connection)
            self._fail_pending(connection)
            self._common.changes.happened()

    def _hello(self, connection: Connection) -> Json:
        debug = connection.request.query.get("debug_reconnects") == "true"
        life = DEBUG_CONNECTION_SECONDS if debug else CONNECTION_SECONDS
        return {
            "type": "hello",
            "num_connections": len(self.connections),
            "debug_info": {"host": "playground", "approximate_connection_time": life},
            "connection_info": {"app_id": self._app_id},
        }

    async def send(self, parcel: Parcel) -> Json:
        """Send an envelope and wait for its acknowledgement; raises NotDelivered."""
        connection = await self._pick(parcel)
        envelope_id = self._common.ids.uuid()
        loop = asyncio.get_running_loop()
        pending = Pending(parcel, connection, loop.time(), loop.create_future())
        self._pending[envelope_id] = pending
        connection.delivered += 1
        try:
            await connection.socket.send_str(json.dumps(_envelope(parcel, envelope_id)))
            if parcel.cut:
                connection.abort()
            async with asyncio.timeout(self._common.timings.ack):
                return await pending.answer
        except ConnectionError:
            raise NotDelivered("connection_failed") from None
        except TimeoutError:
            raise NotDelivered("timeout") from None
        finally:
            self._done[envelope_id] = self._pending.pop(envelope_id)
            if pending.answer.done() and not pending.answer.cancelled():
                pending.answer.exception()

    async def _pick(self, parcel: Parcel) -> Connection:
        """The next connection in turn; an event waits a little for one, a person does not."""
        if parcel.kind == "events_api" and not self._open():
            try:
                await self._common.changes.until(self._open, self._common.timings.ack)
            except AssertionError:
                raise NotDelivered("connection_failed") from None
        ready = self._open()
        if not ready:
            raise NotDelivered("connection_failed")
        return min(ready, key=lambda connection: connection.delivered)

    def _open(self) -> list[Connection]:
        return [c for c in self.connections if not c.draining and not c.socket.closed]

    def _acknowledge(self, text: str) -> None:
        violations = self._common.violations
        try:
            answer = json.loads(text)
            envelope_id = answer["envelope_id"]
            payload = answer.get("payload") or {}
        except (ValueError, TypeError, KeyError, AttributeError):
            violations.record(Rule.BAD_ACK, "socket", f"`{text[:200]}` is no acknowledgement")
            return
        pending = self._pending.get(envelope_id)
        if pending is None or pending.answer.done():
            self._acknowledge_again(envelope_id, pending)
        else:
            if payload and not pending.parcel.accepts_payload:
                violations.record(Rule.UNWANTED_PAYLOAD, pending.parcel.name, f"{json.dumps(payload)[:200]}")
            pending.answer.set_result(payload)

    def _acknowledge_again(self, envelope_id: str, pending: Pending | None) -> None:
        violations = self._common.violations
        done = pending or self._done.get(envelope_id)
        if done is None:
            violations.record(Rule.UNKNOWN_ENVELOPE, "socket", f"`{envelope_id}` was never sent")
        elif done.answer.cancelled():
            took = asyncio.get_running_loop().time() - done.sent
            violations.record(Rule.LATE_ACK, done.parcel.name, f"acknowledged after {took:.2f} s")
        else:
            violations.record(Rule.DOUBLE_ACK, done.parcel.name, f"`{envelope_id}` was acknowledged twice")

    def _fail_pending(self, connection: Connection) -> None:
        for pending in self._pending.values():
            if pending.connection is connection and not pending.answer.done():
                pending.answer.set_exception(NotDelivered("connection_failed"))

    async def warn(self) -> None:
        """Tell every connection that it will be closed soon; they stay open."""
        for connection in list(self.connections):
            await self._say_goodbye(connection, "warning")

    async def disconnect(self, reason: str = "refresh_requested") -> None:
        """Ask every connection to be opened anew, and close each once its envelopes are acknowledged."""
        leaving = list(self.connections)
        for connection in leaving:
            connection.draining = True
            await self._say_goodbye(connection, reason)
        for connection in leaving:
            await self._drained(connection)
            await connection.socket.close()

    async def _drained(self, connection: Connection) -> None:
        waiting = [p.answer for p in self._pending.values() if p.connection is connection]
        if waiting:
            await asyncio.wait(waiting, timeout=self._common.timings.ack)

    def cut(self) -> None:
        """Abort every connection as a failing network would."""
        for connection in list(self.connections):
            connection.abort()

    async def stop(self) -> None:
        """Close every connection for good."""
        for connection in list(self.connections):
            await connection.socket.close()

    async def _say_goodbye(self, connection: Connection, reason: str) -> None:
        farewell = {"type": "disconnect", "reason": reason, "debug_info": {"host": "playground"}}
        await connection.socket.send_str(json.dumps(farewell))


def _envelope(parcel: Parcel, envelope_id: str) -> Json:
    envelope: Json = {
        "envelope_id": envelope_id,
        "type": parcel.kind,
        "payload": parcel.payload,
        "accepts_response_payload": parcel.accepts_payload,
    }
    if parcel.kind == "events_api":
        envelope |= {"retry_attempt": parcel.retry, "retry_reason": parcel.retry_reason}
    return envelope
