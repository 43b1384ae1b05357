"""The people's side over HTTP and JSON, for tests and tools in another process: `POST /control/NAME`."""

import dataclasses
import json
from collections.abc import Awaitable, Callable, Mapping
from enum import Enum
from typing import Any

from aiohttp import web

from bot.playground.server.changes import NotSeen
from bot.playground.server.deliveries import Deliveries
from bot.playground.server.errors import SlackError
from bot.playground.server.faults import (
    CutAfterSend,
    Delay,
    Drop,
    Duplicate,
    Fault,
    Faults,
    InvalidJson,
    LoseAck,
    RateLimited,
    Refuse,
    ServerError,
)
from bot.playground.server.interactions import Target
from bot.playground.server.observed import PATIENCE, Observed
from bot.playground.server.people import People
from bot.playground.server.selections import CannotChoose
from bot.playground.server.socket_mode import SocketMode
from bot.playground.server.state import Json, Message, View
from bot.playground.server.violations import Violations
from bot.playground.server.web_api.front import WebApi
from bot.playground.server.workspace import UnknownName, Workspace

FAULTS: Mapping[str, type[Fault]] = {
    "cut_after_send": CutAfterSend,
    "delay": Delay,
    "drop": Drop,
    "duplicate": Duplicate,
    "invalid_json": InvalidJson,
    "lose_ack": LoseAck,
    "rate_limited": RateLimited,
    "refuse": Refuse,
    "server_error": ServerError,
}
Action = Callable[[Json], Awaitable[object]]


@dataclasses.dataclass(frozen=True, slots=True)
class Rooms:
    """What the control API acts on."""

    workspace: Workspace
    people: People
    observed: Observed
    deliveries: Deliveries
    socket_mode: SocketMode
    faults: Faults
    violations: Violations
    web_api: WebApi


class Control:
    """Takes `{argument: value}`, answers `{"ok": true, "result": …}` or `{"ok": false, "error": sentence}`."""

    def __init__(self, rooms: Rooms) -> None:
        self._rooms = rooms
        self._actions: dict[str, Action] = {
            "say": self._say,
            "direct_message": self._direct_message,
            "edit": self._edit,
            "delete": self._delete,
            "open_home": self._open_home,
            "slash": self._slash,
            "click": self._click,
            "act": self._act,
            "shortcut": self._shortcut,
            "submit": self._submit,
            "fault": self._fault,
            "disconnect": self._disconnect,
            "cut": self._cut,
            "state": self._state,
            "calls": self._calls,
            "deliveries": self._all_deliveries,
            "violations": self._violations,
            "wait_for_answers": self._wait_for_answers,
            "wait_for_ephemerals": self._wait_for_ephemerals,
            "quiet": self._quiet,
        }

    async def handle(self, request: web.Request) -> web.Response:
        """The aiohttp handler."""
        action = self._actions.get(request.match_info["name"])
        if action is None:
            return _failed(404, f"the control API has {', '.join(sorted(self._actions))}")
        try:
            given = json.loads(await request.text() or "{}")
            result = await action(given)
        except KeyError as missing:
            return _failed(400, f"`{missing.args[0]}` is missing or names nothing")
        except (ValueError, TypeError, UnknownName, CannotChoose, SlackError) as wrong:
            return _failed(400, str(wrong))
        except NotSeen as late:
            return _failed(408, str(late))
        return web.json_response({"ok": True, "result": result}, dumps=_dumps)

    async def _say(self, given: Json) -> object:
        files = self._files(given["user"], given)
        return self._rooms.people.say(
            given["channel"], given["user"], given["text"], thread_ts=given.get("thread_ts"), files=files
        )

    async def _direct_message(self, given: Json) -> object:
        files = self._files(given["user"], given)
        return self._rooms.people.direct_message(
            given["user"], given["text"], thread_ts=given.get("thread_ts"), files=files
        )

    def _files(self, user: str, given: Json) -> list[Json]:
        return [self._rooms.people.attach(user, f["name"], f["content"].encode()) for f in given.get("files", [])]

    def _message(self, given: Json) -> Message:
        return self._rooms.workspace.channel(given["channel"]).messages[given["ts"]]

    def _target(self, given: Json) -> Target:
        """A view by `view`, an ephemeral message by `ephemeral`, else a message by `channel` and `ts`."""
        if "view" in given:
            return self._view(given["view"])
        if "ephemeral" in given:
            return {e.ts: e for e in self._rooms.workspace.ephemerals}[given["ephemeral"]]
        return self._message(given)

    def _view(self, view_id: str) -> View:
        return self._rooms.people.modals.find(view_id, None)

    async def _edit(self, given: Json) -> object:
        return self._rooms.people.edit(self._message(given), given["text"])

    async def _delete(self, given: Json) -> object:
        self._rooms.people.delete(self._message(given))
        return None

    async def _open_home(self, given: Json) -> object:
        self._rooms.people.open_home(given["user"], given.get("tab", "home"))
        return None

    async def _slash(self, given: Json) -> object:
        text = given.get("text", "")
        return await self._rooms.people.slash(given["channel"], given["user"], given["command"], text)

    async def _click(self, given: Json) -> object:
        target = self._target(given)
        return await self._rooms.people.click(given["user"], target, given["action_id"], given.get("value"))

    async def _act(self, given: Json) -> object:
        return await self._rooms.people.act(given["user"], self._target(given), given["action"])

    async def _shortcut(self, given: Json) -> object:
        message = self._message(given) if "ts" in given else None
        return await self._rooms.people.shortcut(given["user"], given["callback_id"], message)

    async def _submit(self, given: Json) -> object:
        return await self._rooms.people.submit(self._view(given["view"]), given.get("values", {}))

    async def _fault(self, given: Json) -> object:
        """Plan a fault: `target`, `kind` (see FAULTS), its own fields in `with`, `times`."""
        fault = FAULTS[given["kind"]](**given.get("with", {}))
        self._rooms.faults.plan(given["target"], fault, given.get("times", 1))
        return None

    async def _disconnect(self, given: Json) -> object:
        await self._rooms.socket_mode.disconnect(given.get("reason", "refresh_requested"))
        return None

    async def _cut(self, given: Json) -> object:
        self._rooms.socket_mode.cut()
        return None

    async def _state(self, given: Json) -> object:
        workspace = self._rooms.workspace
        return {
            "team": workspace.team,
            "users": workspace.users,
            "channels": workspace.channels,
            "ephemerals": workspace.ephemerals,
            "views": workspace.views,
            "home_tabs": workspace.home_tabs,
            "files": workspace.files,
            "connections": len(self._rooms.socket_mode.connections),
        }

    async def _calls(self, given: Json) -> object:
        return self._rooms.web_api.calls

    async def _all_deliveries(self, given: Json) -> object:
        return self._rooms.deliveries.all

    async def _violations(self, given: Json) -> object:
        return list(self._rooms.violations)

    async def _wait_for_answers(self, given: Json) -> object:
        question, count = self._message(given), given.get("count", 1)
        return await self._rooms.observed.wait_for_answers(question, count, given.get("within", PATIENCE))

    async def _wait_for_ephemerals(self, given: Json) -> object:
        count, within = given.get("count", 1), given.get("within", PATIENCE)
        return await self._rooms.observed.wait_for_ephemerals(given["user"], count, within)

    async def _quiet(self, given: Json) -> object:
        await self._rooms.observed.quiet(given.get("for", 0.2), given.get("within", PATIENCE))
        return None


def _failed(status: int, sentence: str) -> web.Response:
    return web.json_response({"ok": False, "error": sentence}, status=status)


def _dumps(value: object) -> str:
    return json.dumps(value, default=_plain)


def _plain(value: Any) -> object:
    """What JSON has no form for: records become objects, sets lists, bytes their text."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, set | frozenset):
        return sorted(value)
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, Enum):
        return value.value
    raise TypeError(f"{type(value).__name__} has no JSON form")
