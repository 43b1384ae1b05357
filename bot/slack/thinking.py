"""The bot's side of the process that thinks: started with the bot, started again when it ends, killed when it hangs."""

import asyncio
import logging
import sys
from collections.abc import Sequence
from contextlib import suppress
from itertools import count

from bot.slack.thought import Question, Thought

COMMAND = (sys.executable, "-m", "bot", "think")
PATIENCE = 30.0  # seconds for one answer: longer than a model's configuration may take to come
AT_ONCE = 8  # questions that the process has at any time: its patience is for thinking, not for standing in line
ATTEMPTS = 2  # a question that ends the process twice is not asked again
GOODBYE = 2.0  # seconds for the process to end by itself
LONGEST_LINE = 2**24  # bytes; an answer has some ten thousand
log = logging.getLogger(__name__)


class Thoughtless(Exception):
    """No answer came: the process hung, or ended more than once."""


class Thinking:
    """`about` answers one question; many may be asked at once. `start` before, `close` after."""

    def __init__(self, command: Sequence[str] = COMMAND, *, patience: float = PATIENCE) -> None:
        self._command, self._patience = command, patience
        self._numbers = count(1)
        self._asked: dict[int, asyncio.Future[Thought]] = {}
        self._process: asyncio.subprocess.Process | None = None
        self._listening: asyncio.Task[None] | None = None
        self._starting = asyncio.Lock()
        self._room = asyncio.Semaphore(AT_ONCE)
        self._warm = asyncio.Event()

    async def start(self) -> None:
        """Starts the process, unless it runs."""
        async with self._starting:
            if self._process is not None and self._process.returncode is None and not self._deaf():
                return
            pipe = asyncio.subprocess.PIPE
            self._process = await asyncio.create_subprocess_exec(
                *self._command, stdin=pipe, stdout=pipe, limit=LONGEST_LINE
            )
            self._listening = asyncio.create_task(self._listen(self._process))

    async def warm(self) -> None:
        """Waits until the first answer will be as fast as the next ones; not for ever: it is only better so."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self._patience):
                await self._warm.wait()

    async def about(self, question: Question) -> Thought:
        """The answer. Raises Thoughtless where none comes."""
        async with self._room:
            return await self._attempts(question)

    async def _attempts(self, question: Question) -> Thought:
        for _ in range(ATTEMPTS):
            await self.start()
            try:
                async with asyncio.timeout(self._patience):
                    return await self._ask(question.model_copy(update={"number": next(self._numbers)}))
            except TimeoutError:
                self._kill()
                break
            except ConnectionError as fault:
                log.warning("the process that thinks ended: %r", fault)
        raise Thoughtless

    async def close(self) -> None:
        """Lets the process end, or ends it."""
        if self._process is None or self._listening is None:
            return
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            async with asyncio.timeout(GOODBYE):
                await self._process.wait()
        except TimeoutError:
            self._kill()
            await self._process.wait()
        await self._listening

    async def _ask(self, question: Question) -> Thought:
        process = self._process
        assert process is not None
        assert process.stdin is not None
        answer: asyncio.Future[Thought] = asyncio.get_running_loop().create_future()
        self._asked[question.number] = answer
        try:
            process.stdin.write(question.model_dump_json().encode() + b"\n")
            await process.stdin.drain()
            return await answer
        finally:
            del self._asked[question.number]

    async def _listen(self, process: asyncio.subprocess.Process) -> None:
        """Hands out the answers until the process ends; who still waits then is told."""
        assert process.stdout is not None
        while line := await process.stdout.readline():
            self._warm.set()
            if not line.strip():
                continue
            thought = Thought.model_validate_json(line)
            answer = self._asked.get(thought.number)
            if answer is not None and not answer.done():
                answer.set_result(thought)
        await process.wait()
        self._warm.set()
        for answer in self._asked.values():
            if not answer.done():
                answer.set_exception(ConnectionResetError(f"exit status {process.returncode}"))

    def _deaf(self) -> bool:
        return self._listening is None or self._listening.done()

    def _kill(self) -> None:
        if self._process is not None and self._process.returncode is None:
            self._process.kill()
