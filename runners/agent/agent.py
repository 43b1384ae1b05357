"""The agent of a host: takes attempts, runs them, says how they go; what it has begun it takes up again after a restart."""

import asyncio
import fcntl
import logging
import shutil
import uuid
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO

from knowledge.errors import Refusal
from runners.agent.attempt import Attempt
from runners.agent.folder import Folder
from runners.agent.surroundings import Surroundings
from runners.dispatch.link import BEAT_S, Claim, Fenced, Link, Turned, Unreachable
from runners.dispatch.orders import Progress
from runners.results.result import Result

WAIT_S = 20.0  # one question for work
AGAIN_S, LONGEST_S = 1.0, 30.0  # between attempts to reach the bot, doubled
KEPT = 20  # folders of attempts that have ended, for their logs
log = logging.getLogger(__name__)


class Agent:
    """Runs what the link gives it, each on GPUs of its own. `say` gets a line when something changes that a person should know."""

    def __init__(
        self, link: Link, folder: Path, around: Surroundings, say: Callable[[str], object] = lambda _: None
    ) -> None:
        self._link, self._folder, self._around, self._say = link, folder, around, say
        self._carried: dict[str, asyncio.Task[None]] = {}
        self._said = ""

    async def run(self, stop: asyncio.Event) -> None:
        """Works until `stop` is set. What runs then is stopped without a result: the next agent here goes on with it."""
        stopped = asyncio.create_task(stop.wait())
        claiming = asyncio.create_task(self._claim_all())
        try:
            await asyncio.wait({stopped, claiming}, return_when=asyncio.FIRST_COMPLETED)
            if claiming.done():
                claiming.result()
        finally:
            tasks = [claiming, stopped, *self._carried.values()]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _claim_all(self) -> None:
        pause = AGAIN_S
        while True:
            try:
                claim = await self._link.claim(frozenset(self._carried), WAIT_S)
            except (Unreachable, Turned) as fault:
                self._tell(
                    f"{fault} Trying again." if isinstance(fault, Turned) else f"The bot cannot be reached: {fault}."
                )
                await asyncio.sleep(pause)
                pause = min(pause * 2, LONGEST_S)
                continue
            pause = AGAIN_S
            self._tell(f"Answering for `{self._around.host.name}`.")
            if claim is not None:
                self._take(claim)

    def _take(self, claim: Claim) -> None:
        key = claim.order.key
        self._say(f"Run {claim.order.job}: {claim.order.spec.model} ({key}).")
        task = asyncio.create_task(self._carry(claim))
        self._carried[key] = task
        task.add_done_callback(lambda _: self._carried.pop(key, None))

    async def _carry(self, claim: Claim) -> None:
        """One attempt from claim to acknowledged result."""
        folder = Folder(self._folder / claim.order.key)
        news = News()
        attempt = Attempt(claim.order, folder, self._around, news.tell)
        beating = asyncio.create_task(self._beat(claim, attempt, news))
        try:
            result = await attempt.run()
            await self._hand_over(claim, folder.progress(), result)
        finally:
            beating.cancel()
            with suppress(asyncio.CancelledError):
                await beating
        self._prune()

    async def _beat(self, claim: Claim, attempt: Attempt, news: "News") -> None:
        """Keeps the lease, tells what is new, and stops what is to be stopped."""
        while True:
            try:
                cancel = await self._link.renew(claim.order.key, claim.token, news.newest)
                if cancel is not None:
                    attempt.cancel(cancel)
            except Fenced:
                attempt.cancel("It was given to somebody else.")
            except (Unreachable, Turned) as fault:
                log.warning("%s could not be renewed: %s", claim.order.key, fault)
            await news.wait(BEAT_S)

    async def _hand_over(self, claim: Claim, progress: Progress, result: Result) -> None:
        pause = AGAIN_S
        while True:
            try:
                await self._link.finish(claim.order.key, claim.token, progress, result.model_dump(mode="json"))
            except (Unreachable, Turned) as fault:
                log.warning("the result of %s could not be handed over: %s", claim.order.key, fault)
                await asyncio.sleep(pause)
                pause = min(pause * 2, LONGEST_S)
            except Fenced:
                self._say(f"The result of run {claim.order.job} counts no more: another attempt has begun.")
                return
            else:
                how = result.failure.why if result.failure else result.cancelled or "done"
                self._say(f"Run {claim.order.job}: {how}")
                return

    def _tell(self, line: str) -> None:
        if line != self._said:
            self._said = line
            self._say(line)

    def _prune(self) -> None:
        ended = [folder for folder in self._folder.iterdir() if (folder / "result.json").exists()]
        for folder in sorted(ended, key=lambda each: each.stat().st_mtime)[:-KEPT]:
            shutil.rmtree(folder, ignore_errors=True)


class News:
    """The newest progress, and a bell for steps: counts alone wait for the next beat."""

    def __init__(self) -> None:
        self.newest = Progress()
        self._bell = asyncio.Event()

    def tell(self, progress: Progress) -> None:
        """Keeps it; rings where a new state was reached."""
        if len(progress.steps) > len(self.newest.steps):
            self._bell.set()
        self.newest = progress

    async def wait(self, seconds: float) -> None:
        """Returns at the next step, or after so long."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._bell.wait()
        self._bell.clear()


class Identity:
    """Who an agent is across restarts: a name in its folder, which no second agent on this machine can hold."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._file: IO[str] = (folder / "agent").open("a+", encoding="utf-8")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._file.close()
            error = f"Another agent works in `{folder}`."
            raise Refusal("agent-running", error, "Stop that one first.") from None
        self._file.seek(0)
        self.instance = self._file.read().strip()
        if not self.instance:
            self.instance = uuid.uuid4().hex
            self._file.write(self.instance)
            self._file.flush()

    def release(self) -> None:
        """Lets another agent take the folder."""
        self._file.close()
