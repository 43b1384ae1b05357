"""What goes out: a row before every call to Slack, so that nothing is said twice and nothing is forgotten."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sqlite_utils import Database


class Call(StrEnum):
    """How a message goes out."""

    POST = "post"
    UPDATE = "update"
    DELETE = "delete"
    RESPOND = "respond"  # through the response URL of a command or a click


class State(StrEnum):
    """How far it got: TRIED means that a call began and its end is not known."""

    NEW = "new"
    TRIED = "tried"
    SENT = "sent"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing:
    """One message on its way. `target` is a channel's id or a response URL, `body` the call's arguments."""

    id: int
    key: str
    inbox: int
    question: str | None
    call: Call
    target: str
    body: dict[str, Any]
    state: State
    at: float


class Outbox:
    """Messages by the delivery that caused them."""

    def __init__(self, db: Database, clock: Callable[[], float]) -> None:
        self._db, self._clock = db, clock

    def add(
        self, key: str, inbox: int, call: Call, target: str, body: dict[str, Any], *, question: str | None = None
    ) -> None:
        """Writes one down, unless there is one with this key already."""
        self._db.execute(
            "INSERT OR IGNORE INTO outbox (key, inbox, question, call, target, body, state, at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (key, inbox, question, call, target, json.dumps(body), State.NEW, self._clock()),
        )

    def of(self, inbox: int) -> list[Outgoing]:
        """What one delivery caused, oldest first."""
        rows = self._db.execute(
            "SELECT id, key, inbox, question, call, target, body, state, at FROM outbox WHERE inbox = ? ORDER BY id",
            (inbox,),
        )
        return [
            Outgoing(
                id=row,
                key=key,
                inbox=cause,
                question=question,
                call=Call(call),
                target=target,
                body=json.loads(body),
                state=State(state),
                at=at,
            )
            for row, key, cause, question, call, target, body, state, at in rows
        ]

    def trying(self, row: int) -> None:
        """A call begins."""
        self._db.execute("UPDATE outbox SET state = ? WHERE id = ?", (State.TRIED, row))

    def waiting(self, row: int) -> None:
        """Nothing happened in the call that began: the next process may begin another."""
        self._db.execute("UPDATE outbox SET state = ? WHERE id = ?", (State.NEW, row))

    def sent(self, row: int, ts: str | None) -> None:
        """It arrived; `ts` is the message's, where Slack tells it."""
        self._db.execute("UPDATE outbox SET state = ?, ts = ? WHERE id = ?", (State.SENT, ts, row))

    def failed(self, row: int, error: str) -> None:
        """It will never arrive, for this reason."""
        self._db.execute("UPDATE outbox SET state = ?, error = ? WHERE id = ?", (State.FAILED, error, row))
