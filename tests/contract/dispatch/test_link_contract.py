"""What an agent is told, whichever way it speaks to the queue: directly, over a Unix socket, over TCP."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from bot.agents import Listener
from runners.dispatch.direct import Direct
from runners.dispatch.embedded import Embedded
from runners.dispatch.http_link import HttpLink
from runners.dispatch.link import LEASE_S, Fenced, Link, Turned, Unreachable
from runners.dispatch.orders import Order, Progress, Step
from runners.dispatch.protocol import Phase
from runners.jobs.job import State
from runners.jobs.journal import open_journal
from runners.jobs.spec import BenchSpec
from runners.machines.host import Host

BEGAN = Progress(steps=(Step(state=State.STARTING, at=1.0),), done=3, total=7)
TOKENS = {"h100": "secret-1", "a100": "secret-2"}


class Queue:
    """A queue, and a steady clock that is moved by hand."""

    def __init__(self, folder: Path) -> None:
        self.journal = open_journal(folder / "store.sqlite", lambda: 1_800_000_000.0)
        self.steady = 0.0
        hosts = {name: Host(name=name) for name in TOKENS}
        self.embedded = Embedded(self.journal.db, hosts, lambda: 1_800_000_000.0, lambda: self.steady)

    async def submit(self, job: int, host: str = "h100") -> None:
        await self.embedded.submit(Order(key=f"bench-{job}-1", job=job, spec=BenchSpec(model="org/model", host=host)))


Connect = Callable[..., Awaitable[Link]]


@pytest.fixture
async def queue(tmp_path: Path) -> AsyncIterator[Queue]:
    made = Queue(tmp_path)
    yield made
    made.journal.db.close()


@pytest.fixture(params=["direct", "unix", "tcp"])
async def connect(request: pytest.FixtureRequest, queue: Queue, tmp_path: Path) -> AsyncIterator[Connect]:
    """A link of one agent: `host`, and which `instance` of it."""
    listener = Listener(queue.embedded, TOKENS if request.param == "tcp" else None)
    asked = {"direct": None, "unix": f"unix:{tmp_path / 'agents.sock'}", "tcp": "127.0.0.1:0"}[request.param]
    where = await listener.start(asked) if asked else None
    links: list[HttpLink] = []

    async def make(host: str = "h100", instance: str = "agent-1") -> Link:
        if where is None:
            return Direct(queue.embedded, host, instance)
        links.append(HttpLink(where, host, instance, TOKENS.get(host)))
        return links[-1]

    yield make
    for link in links:
        await link.close()
    await listener.close()


async def test_work_is_claimed_renewed_and_finished(queue: Queue, connect: Connect) -> None:
    await queue.submit(7)
    link = await connect()
    claim = await link.claim(frozenset(), 5)
    assert claim is not None
    assert (claim.order.key, claim.order.job, claim.order.spec.model) == ("bench-7-1", 7, "org/model")
    assert await link.renew(claim.order.key, claim.token, BEGAN) is None
    seen = (await queue.embedded.observe(["bench-7-1"]))["bench-7-1"]
    assert seen.progress == BEGAN
    await link.finish(claim.order.key, claim.token, BEGAN, {"a": 1.5})
    await link.finish(claim.order.key, claim.token, BEGAN, {"a": 2.5})  # said again: the answer was lost
    seen = (await queue.embedded.observe(["bench-7-1"]))["bench-7-1"]
    assert (seen.phase, seen.result) == (Phase.DONE, {"a": 1.5})


async def test_no_work_is_none_and_waiting_work_comes_at_once(queue: Queue, connect: Connect) -> None:
    link = await connect()
    assert await link.claim(frozenset(), 0.01) is None
    waiting = asyncio.create_task(link.claim(frozenset(), 30))
    await asyncio.sleep(0)
    await queue.submit(1)
    async with asyncio.timeout(10):
        claim = await waiting
    assert claim is not None


async def test_an_agent_gets_the_work_of_its_own_host(queue: Queue, connect: Connect) -> None:
    await queue.submit(1, host="a100")
    assert await (await connect("h100")).claim(frozenset(), 0.01) is None
    assert await (await connect("a100")).claim(frozenset(), 0.01) is not None


async def test_a_restarted_agent_gets_back_what_it_had_under_a_new_token(queue: Queue, connect: Connect) -> None:
    await queue.submit(1)
    link = await connect()
    first = await link.claim(frozenset(), 5)
    assert first is not None
    assert await link.claim(frozenset({"bench-1-1"}), 0.01) is None
    again = await (await connect()).claim(frozenset(), 5)
    assert again is not None
    assert (again.order, again.token) == (first.order, first.token + 1)
    with pytest.raises(Fenced):
        await link.renew("bench-1-1", first.token, BEGAN)
    with pytest.raises(Fenced):
        await link.finish("bench-1-1", first.token, BEGAN, {})


async def test_a_second_agent_of_one_name_is_turned_away_while_the_first_lives(queue: Queue, connect: Connect) -> None:
    await queue.submit(1)
    assert await (await connect(instance="agent-1")).claim(frozenset(), 5) is not None
    other = await connect(instance="agent-2")
    with pytest.raises(Turned, match="Another agent answers for `h100`"):
        await other.claim(frozenset(), 0.01)
    queue.steady += LEASE_S
    assert await other.claim(frozenset({"bench-1-1"}), 0.01) is None


async def test_a_host_that_is_not_configured_is_turned_away(connect: Connect) -> None:
    link = await connect("v100")
    with pytest.raises(Turned):
        await link.claim(frozenset(), 0.01)


async def test_a_cancelled_run_is_told_at_the_next_word(queue: Queue, connect: Connect) -> None:
    await queue.submit(1)
    link = await connect()
    claim = await link.claim(frozenset(), 5)
    assert claim is not None
    await queue.embedded.cancel("bench-1-1", "U1 cancelled it.")
    assert await link.renew("bench-1-1", claim.token, BEGAN) == "U1 cancelled it."


async def test_a_late_result_of_a_lost_attempt_is_refused(queue: Queue, connect: Connect) -> None:
    await queue.submit(1)
    link = await connect()
    claim = await link.claim(frozenset(), 5)
    assert claim is not None
    queue.steady += LEASE_S + 1
    await queue.embedded.observe([])
    with pytest.raises(Fenced):
        await link.finish("bench-1-1", claim.token, BEGAN, {})


async def test_an_unknown_attempt_is_refused(connect: Connect) -> None:
    link = await connect()
    with pytest.raises(Fenced):
        await link.renew("bench-9-9", 1, BEGAN)


async def test_over_tcp_only_the_hosts_own_token_is_taken(queue: Queue) -> None:
    listener = Listener(queue.embedded, TOKENS)
    where = await listener.start("127.0.0.1:0")
    for token in (None, "wrong", TOKENS["a100"]):
        link = HttpLink(where, "h100", "agent-1", token)
        with pytest.raises(Turned, match="not that of `h100`"):
            await link.claim(frozenset(), 0.01)
        await link.close()
    await listener.close()


async def test_a_bot_that_is_not_there_is_unreachable(tmp_path: Path) -> None:
    for where in (f"unix:{tmp_path / 'none.sock'}", "http://127.0.0.1:1"):
        link = HttpLink(where, "h100", "agent-1")
        with pytest.raises(Unreachable):
            await link.claim(frozenset(), 0.01)
        await link.close()
