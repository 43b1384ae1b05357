"""Saying each thing once: a message goes out, is looked for when its fate is unclear, and is never said again before that."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from bot.slack.calls import CallFailed, Later, NotSent, Refused, Unclear
from bot.slack.pace import Pace
from bot.store.outbox import Call, Outgoing, State
from bot.store.questions import Question
from bot.store.store import DAY, Store

FIRST_WAIT, LONGEST_WAIT = 0.5, 60.0  # seconds between attempts, doubled each time
GIVE_UP = DAY
RESPOND_FOR = 1800.0  # how long a response URL works (docs.slack.dev, handling user interaction)
TOO_MUCH = frozenset(["invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long", "http 400"])
log = logging.getLogger(__name__)
Body = Mapping[str, Any]


class Slack(Protocol):
    """What is needed of the Web API; `bot.slack.calls.Calls` has it."""

    async def post(self, channel: str, body: Body) -> str:
        """Posts: the message's timestamp."""

    async def update(self, channel: str, body: Body) -> None:
        """Changes a message."""

    async def delete(self, channel: str, body: Body) -> None:
        """Deletes a message."""

    async def respond(self, url: str, body: Body) -> None:
        """Answers a command or a click."""

    async def find(self, channel: str, thread: str | None, after: str | None, key: str) -> str | None:
        """The timestamp of the message that carries `key`."""


@dataclass(slots=True)
class _Attempt:
    """What the next attempt is, and whether Slack must be asked first whether the last one arrived."""

    message: Outgoing
    look: bool
    pause: float = FIRST_WAIT

    def wait(self) -> float:
        """Seconds until the next attempt."""
        now, self.pause = self.pause, min(self.pause * 2, LONGEST_WAIT)
        return now


class Sender:
    """Carries out the rows of the outbox. `wait` sleeps for some seconds."""

    def __init__(
        self, store: Store, slack: Slack, clock: Callable[[], float], wait: Callable[[float], Awaitable[object]]
    ) -> None:
        self._store, self._slack, self._clock, self._wait = store, slack, clock, wait
        self._pace = Pace(clock)

    async def deliver(self, message: Outgoing, *, again: bool) -> None:
        """Returns when `message` arrived or never will. `again` says that an earlier process may have tried already."""
        if message.state in {State.SENT, State.FAILED}:
            return
        attempt = _Attempt(message, look=again or message.state is State.TRIED)
        while (reason := self._too_late(attempt)) is None:
            try:
                ts = await self._attempt(attempt)
            except CallFailed as failed:
                reason = await self._recover(attempt, failed)
                if reason is not None:
                    break
            else:
                self._sent(message, ts)
                return
        self._failed(message, reason)

    async def _recover(self, attempt: _Attempt, failed: CallFailed) -> str | None:
        """Waits for the next attempt; why there will be none, where that is so."""
        message = attempt.message
        if message.call is Call.RESPOND and isinstance(failed, Later | NotSent):
            self._store.outbox.waiting(message.id)  # a restart meanwhile need not take it for begun
        match failed:
            case Later():
                self._pace.hold(message.target, failed.seconds)
                await self._wait(failed.seconds)
            case Refused():
                return None if self._less(attempt, failed) else failed.code
            case Unclear() if message.call is Call.RESPOND:
                return "unclear"  # nobody can look an ephemeral answer up: rather lost than doubled
            case _:
                attempt.look = attempt.look or isinstance(failed, Unclear)
                await self._wait(attempt.wait())
        return None

    async def _attempt(self, attempt: _Attempt) -> str | None:
        message = attempt.message
        if attempt.look and message.call is Call.POST:
            question = self._question(message)
            after = question.ts if question else None
            found = await self._slack.find(message.target, message.body.get("thread_ts"), after, message.key)
            if found:
                return found
            attempt.look = False
        match message.call:
            case Call.POST:
                if delay := self._pace.turn(message.target):
                    await self._wait(delay)
                self._store.outbox.trying(message.id)
                return await self._slack.post(message.target, message.body)
            case Call.UPDATE:
                await self._slack.update(message.target, message.body)
            case Call.DELETE:
                await self._slack.delete(message.target, message.body)
            case Call.RESPOND:
                self._store.outbox.trying(message.id)
                await self._slack.respond(message.target, message.body)
        return None

    def _too_late(self, attempt: _Attempt) -> str | None:
        """Why it is not worth another attempt."""
        message, age = attempt.message, self._clock() - attempt.message.at
        if message.call is Call.RESPOND:
            if message.state is State.TRIED:  # by a process that was killed meanwhile
                return "unclear"
            return "expired" if age > RESPOND_FOR else None
        question = self._question(message)
        if message.call is Call.POST and not attempt.look and question and question.deleted:
            return "deleted"
        return "gave up" if age > GIVE_UP else None

    def _question(self, message: Outgoing) -> Question | None:
        return self._store.questions.by_key(message.question) if message.question else None

    def _sent(self, message: Outgoing, ts: str | None) -> None:
        with self._store.atomic():
            self._store.outbox.sent(message.id, ts)
            if ts and message.question:
                self._store.questions.stands_at(message.question, ts)

    def _failed(self, message: Outgoing, reason: str) -> None:
        log.warning("%s %s did not go out: %s", message.call, message.key, reason)
        self._store.outbox.failed(message.id, reason)

    def _less(self, attempt: _Attempt, refused: Refused) -> bool:
        """Whether the same can be said without blocks, which Slack did not like."""
        body = attempt.message.body
        if refused.code not in TOO_MUCH or not body.get("blocks"):
            return False
        log.error("Slack refused the blocks of %s: %s", attempt.message.key, refused.code)
        attempt.message = replace(attempt.message, body={**body, "blocks": []})
        return True
