"""The real process, `tuning-bot serve`, against a Slack-compatible server."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from bot.playground.server import Described, Person, Room, SlackServer, Timings, load_manifest
from bot.playground.server.deliveries import Delivery
from bot.playground.server.state import Ephemeral, Message

ROOT = Path(__file__).parents[2]
WITHIN = 15.0
PATIENCE = 20.0
"""Seconds for a process to start on a busy machine."""
WORKSPACE = Described(
    people=(
        *(Person(name=f"person{number}") for number in range(80)),
        Person(name="xiaoming", locale="zh-CN", tz="Asia/Shanghai"),
    ),
    rooms=(
        *(Room(name=f"room{number}", members=(f"person{number}", "xiaoming")) for number in range(80)),
        Room(name="serving-zh", members=("person0", "xiaoming"), private=True),
    ),
)
"""Every test has a room and a person of its own, so that one workspace serves many."""


class Bot:
    """A folder with settings and a store, and the process that runs in it."""

    def __init__(self, server: SlackServer, folder: Path) -> None:
        self.server, self.folder = server, folder
        self.environment = {**os.environ, **server.environment, "TUNING_BOT_CONFIG": "tuning-bot.toml"}
        self.process: asyncio.subprocess.Process | None = None
        self.settings("")

    def settings(self, text: str) -> None:
        """Writes the settings file."""
        (self.folder / "tuning-bot.toml").write_text(text, "utf-8")

    async def start(self) -> None:
        """Runs it until it is connected."""
        before = len(self.server.socket_mode.connections)
        await self.run()
        await self.server.observed.wait_until(
            lambda: len(self.server.socket_mode.connections) > before, PATIENCE, "a connection"
        )

    async def run(self) -> None:
        """Runs it."""
        log = (self.folder / "log.txt").open("ab")
        self.process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "bot",
            "serve",
            cwd=self.folder,
            env=self.environment | {"PYTHONPATH": str(ROOT)},
            stdout=log,
            stderr=log,
        )
        log.close()

    async def stop(self, number: int = signal.SIGTERM) -> int:
        """Signals it and waits for its exit status."""
        assert self.process is not None
        if self.process.returncode is None:
            self.process.send_signal(number)
        async with asyncio.timeout(PATIENCE):
            return await self.process.wait()

    async def restart(self, number: int = signal.SIGTERM) -> None:
        """Ends it and starts it again."""
        await self.stop(number)
        await self.server.observed.wait_until(lambda: not self.server.socket_mode.connections, PATIENCE, "a goodbye")
        await self.start()

    @property
    def log(self) -> str:
        """What it wrote."""
        return (self.folder / "log.txt").read_text("utf-8")


class Place:
    """A room with one person in it, who asks."""

    def __init__(self, server: SlackServer, number: int) -> None:
        self.server, self.room, self.person = server, f"room{number}", f"person{number}"

    def mention(self, text: str, **also: Any) -> Message:
        """Asks in the room."""
        return self.server.people.say(self.room, self.person, f"{self.server.mention} {text}", **also)

    def say(self, text: str, **also: Any) -> Message:
        """Says something in the room."""
        return self.server.people.say(self.room, self.person, text, **also)

    def write(self, text: str) -> Message:
        """Writes to the bot alone."""
        return self.server.people.direct_message(self.person, text)

    async def slash(self, text: str) -> Delivery:
        """Types a command."""
        return await self.server.people.slash(self.room, self.person, "/vllm", text)

    async def click(self, message: Message | Ephemeral, action_id: str, value: object) -> Delivery:
        """Chooses in a menu."""
        return await self.server.people.click(self.person, message, action_id, value)

    async def whispers(self, count: int = 1) -> list[Ephemeral]:
        """What only this person sees, once there is so much of it."""
        return await self.server.observed.wait_for_ephemerals(self.person, count, WITHIN)

    async def answer(self, question: Message) -> Message:
        """The one answer to a question, after everything has become quiet."""
        await self.server.observed.wait_for_answers(question, 1, WITHIN)
        await self.server.observed.quiet(0.2, WITHIN)
        (answer,) = self.server.observed.answers(question)
        return answer

    async def until(self, look: Callable[[], object]) -> None:
        """Waits until something is so."""
        await self.server.observed.wait_until(lambda: look() or None, WITHIN)


@asynccontextmanager
async def serving(timings: Timings = Timings(retry_delays=(0.05, 0.2, 0.5))) -> AsyncIterator[SlackServer]:  # noqa: B008 - frozen
    """A server that must not have seen anything wrong at the end."""
    async with SlackServer(
        load_manifest(ROOT / "deploy" / "slack-manifest.yaml"), WORKSPACE, timings=timings
    ) as server:
        yield server
        assert not list(server.violations), str(server.violations)


@asynccontextmanager
async def running(server: SlackServer, folder: Path, settings: str = "") -> AsyncIterator[Bot]:
    """A bot that must end without a word about itself."""
    bot = Bot(server, folder)
    bot.settings(settings)
    await bot.start()
    try:
        yield bot
    finally:
        status = await bot.stop()
        assert status in {0, -signal.SIGKILL}, bot.log
        assert "Traceback" not in bot.log, bot.log


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def bot(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Bot]:
    """One process for a module's tests."""
    async with serving() as server, running(server, tmp_path_factory.mktemp("bot")) as bot:
        yield bot


@pytest_asyncio.fixture(loop_scope="module")
async def own_bot(tmp_path: Path) -> AsyncIterator[Bot]:
    """A process for one test that will end it."""
    async with serving() as server, running(server, tmp_path) as bot:
        yield bot


@pytest.fixture
def server(bot: Bot) -> SlackServer:
    return bot.server


@pytest.fixture(scope="module")
def numbers() -> Iterator[int]:
    return iter(range(80))


@pytest.fixture
def place(server: SlackServer, numbers: Iterator[int]) -> Place:
    """A room and a person that no other test of the module has."""
    return Place(server, next(numbers))


@pytest.fixture
def own_place(own_bot: Bot) -> Place:
    return Place(own_bot.server, 0)
