"""Where everything that comes in is accepted once, put in line, worked off and answered, whatever happens in between."""

import asyncio
import logging
from collections import deque
from collections.abc import Mapping
from typing import Any

from bot.bugs import report
from bot.slack import answering, charting, clicks
from bot.slack.calls import CallFailed
from bot.slack.incoming import INCOMING, Acted, Asked, Commanded, Deleted, Edited, Incoming, Picked, Shortcut
from bot.slack.means import Means
from bot.slack.reading import Delivery, lane_of, read
from bot.slack.sender import Sender
from bot.store.inbox import Received
from bot.store.store import StoreFault
from bot.understand.secrets import mask

MOST_WAITING = 1000  # accepted and not done; beyond it a question gets a kind sentence instead of an answer
log = logging.getLogger(__name__)


class Desk:
    """`accept` is short and never fails; the work is done by one task a lane, in the order in which it came."""

    def __init__(self, means: Means, sender: Sender, me: str, *, most_waiting: int = MOST_WAITING) -> None:
        self._means, self._sender, self._me, self._most = means, sender, me, most_waiting
        self._lanes: dict[str, deque[tuple[int, bool]]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._waiting = 0
        self._idle = asyncio.Event()
        self._idle.set()

    def accept(self, body: Mapping[str, Any]) -> None:
        """Keeps what a payload asks for before it is acknowledged; what asks for nothing, or came before, is let go."""
        delivery = read(body, self._me)
        if delivery is None or not self._wanted(delivery.work):
            return
        work, lane = _masked(delivery.work), self._lane(delivery)
        busy = self._waiting >= self._most
        with self._means.store.atomic():
            row = self._means.store.inbox.accept(delivery.key, lane, work.model_dump_json(), busy=busy)
            if row is not None:
                self._note(work)
        if row is not None:
            self._line_up(lane, row, again=False)

    def resume(self) -> int:
        """Takes up what an earlier process left undone: how much that is."""
        left = self._means.store.inbox.open()
        for received in left:
            self._line_up(received.lane, received.id, again=True)
        return len(left)

    async def close(self, within: float) -> bool:
        """Finishes what was accepted, within so many seconds; the rest is for the next start. Whether all was finished."""
        try:
            async with asyncio.timeout(within):
                await self._idle.wait()
        except TimeoutError:
            pass
        finished = self._idle.is_set()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        return finished

    def _wanted(self, work: Incoming) -> bool:
        """Whether it concerns the bot: what people say to each other is neither answered nor kept."""
        questions = self._means.store.questions
        match work:
            case Asked() | Edited():
                known = isinstance(work, Edited) and questions.at(work.channel, work.ts) is not None
                if work.direct or work.addressed or known:
                    return True
                return bool(work.thread and not work.to_others and questions.in_thread(work.channel, work.thread))
            case Deleted():
                return work.concerns or questions.at(work.channel, work.ts) is not None
            case _:
                return True

    def _note(self, work: Incoming) -> None:
        match work:
            case Asked() | Edited():
                self._means.store.questions.add(answering.question_at(work))
            case Deleted():
                self._means.store.questions.delete(answering.question_gone(work))
            case _:
                pass

    def _lane(self, delivery: Delivery) -> str:
        """A menu's choice waits for what changes the same answer."""
        if isinstance(delivery.work, Picked | Acted):
            question = self._means.store.questions.by_key(delivery.work.question)
            if question is not None:
                return lane_of(question.channel, question.thread)
        return delivery.lane

    def _line_up(self, lane: str, row: int, *, again: bool) -> None:
        self._waiting += 1
        self._idle.clear()
        line = self._lanes.get(lane)
        if line is not None:
            line.append((row, again))
            return
        self._lanes[lane] = deque([(row, again)])
        task = asyncio.create_task(self._work_off(lane), name=f"lane {lane}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _work_off(self, lane: str) -> None:
        line = self._lanes[lane]
        while line:
            row, again = line[0]
            await self._one(row, again=again)
            line.popleft()
            self._waiting -= 1
        del self._lanes[lane]
        if not self._lanes:
            self._idle.set()

    async def _one(self, row: int, *, again: bool) -> None:
        """Works one row off. Where the store cannot be read or written it stays open, for the next start."""
        try:
            received = self._means.store.inbox.get(row)
            if received is not None:
                self._means.store.inbox.done(row, await self._outcome(received, again=again))
        except StoreFault as fault:
            report(fault)

    async def _outcome(self, received: Received, *, again: bool) -> str:
        """The boundary: a fault of ours is logged with a reference and never stops the rest."""
        try:
            return await self._done(received, again=again)
        except StoreFault:
            raise
        except CallFailed as failed:
            return f"failed: {failed!r}"
        except Exception as fault:  # noqa: BLE001 - the boundary
            return f"bug {report(fault).reference}"

    async def _done(self, received: Received, *, again: bool) -> str:
        outcome = "sent"
        if not self._means.store.outbox.of(received.id):
            outcome = await self._work(received)
        for message in self._means.store.outbox.of(received.id):
            await self._sender.deliver(message, again=again)
            await charting.unasked(self._means, message)
        return outcome

    async def _work(self, received: Received) -> str:
        work = INCOMING.validate_json(received.body)
        match work:
            case Asked() | Edited() | Deleted():
                return await answering.handle(self._means, received, work)
            case _:
                return await clicks.handle(self._means, received, work)


def _masked(work: Incoming) -> Incoming:
    """Secrets that were pasted are neither kept nor repeated."""
    match work:
        case Asked() | Edited() | Commanded() | Shortcut():
            return work.model_copy(update={"text": mask(work.text)[0]})
        case _:
            return work
