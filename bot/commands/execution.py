"""The seam to what carries commands out: each part brings handlers for its commands, and the executor calls the right one."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from bot.commands.command import Command, Name, Risk
from bot.sheet import Sheet
from bot.understand.understood import Language
from knowledge.errors import Refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A command and who gave it where. `key` is the same for one message however often it is delivered: what a handler starts,
    it starts once a key. `thread` is where a job's progress goes; `zone` is the asker's, for times without one.
    """

    command: Command
    key: str
    asked_by: str
    channel: str
    thread: str
    language: Language
    zone: str = "UTC"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What is told at once. `job` is the number of the job that was started, whose own message follows; None when none was."""

    sheet: Sheet
    job: int | None = None


class Handler(Protocol):
    """Carries out one command. Raises Refusal for what may not or cannot be done; access and approval are its own first step."""

    async def __call__(self, order: Order) -> Outcome:
        """Does it, or queues it, and says so."""
        ...


class Executor:
    """Handlers by command, from any number of parts. What changes production has none and never gets one."""

    def __init__(self, *tables: Mapping[Name, Handler]) -> None:
        """Refuses two handlers for one command, and one for a command that is never carried out: both are faults of ours."""
        self._handlers: dict[Name, Handler] = {}
        for table in tables:
            for name, handler in table.items():
                if name in self._handlers or Command(name=name).risk is Risk.NEVER:
                    raise ValueError(f"`{name}` cannot have this handler")
                self._handlers[name] = handler

    def can(self, command: Command) -> bool:
        """Whether the command can be given to a handler as it is: within limits, and nothing that it needs is missing."""
        return command.name in self._handlers and not command.problems

    async def execute(self, order: Order) -> Outcome:
        """Carries the command out. Raises Refusal: the first limit that it breaks, or that nothing here does it."""
        command = order.command
        if command.problems:
            raise command.problems[0]
        handler = self._handlers.get(command.name)
        if handler is None:
            raise Refusal(
                "not-here",
                f"`{command.name}` is not set up here.",
                "Ask whoever runs this bot.",
                name=command.name.value,
            )
        return await handler(order)
