"""Commands go to the handler of the part that carries them out, and nothing else is carried out."""

import pytest

from bot.commands import Command, Name, read
from bot.commands.execution import Executor, Order, Outcome
from bot.sheet import Sheet
from knowledge.errors import Refusal


async def shown(order: Order) -> Outcome:
    """A handler that tells what it got."""
    return Outcome(sheet=Sheet(lead=f"{order.command.name} for {order.asked_by}"), job=7)


def order(command: Command) -> Order:
    return Order(command=command, key="m1", asked_by="U1", channel="C1", thread="1.0", language="en")


async def test_a_command_goes_to_its_handler() -> None:
    executor = Executor({Name.JOB_LIST: shown}, {Name.BENCH_RUN: shown})
    command = Command(name=Name.JOB_LIST)
    assert executor.can(command)
    outcome = await executor.execute(order(command))
    assert (outcome.sheet.lead, outcome.job) == ("job.list for U1", 7)


async def test_a_command_without_a_handler_is_refused() -> None:
    executor = Executor()
    command = Command(name=Name.JOB_LIST)
    assert not executor.can(command)
    with pytest.raises(Refusal, match="not set up"):
        await executor.execute(order(command))


async def test_a_command_beyond_a_limit_never_reaches_its_handler() -> None:
    executor = Executor({Name.BENCH_RUN: shown})
    command = read("bench qwen3-8b at 10000000 rps", "en")
    assert command is not None
    assert not executor.can(command)
    with pytest.raises(Refusal, match="limit"):
        await executor.execute(order(command))


@pytest.mark.parametrize("name", [Name.DEPLOY_CHANGE, Name.JOB_LIST])
def test_production_gets_no_handler_and_no_command_gets_two(name: Name) -> None:
    with pytest.raises(ValueError, match=name.value):
        Executor({Name.JOB_LIST: shown}, {name: shown})
