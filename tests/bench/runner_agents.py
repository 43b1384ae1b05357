"""What 100 agents cost one bot: the share of a core that they take while they wait, and while each reports a run.

Run: python -m tests.bench.runner_agents
"""

import asyncio
import resource
import sys
import tempfile
import time
from pathlib import Path

from bot.agents import Listener
from runners.dispatch.embedded import Embedded
from runners.dispatch.http_link import HttpLink
from runners.dispatch.link import BEAT_S
from runners.dispatch.orders import Order, Progress, Step
from runners.foreman import Foreman
from runners.jobs.job import State
from runners.jobs.journal import open_journal
from runners.jobs.spec import BenchSpec
from runners.machines.host import Host

AGENTS, SECONDS = 100, 20.0
BOUND = 0.10  # of a core
WAIT_S = 20.0


async def serve(path: Path) -> None:
    """The bot's side in a process of its own: prints what it used between two lines from its standard input."""
    hosts = {f"host-{place}": Host(name=f"host-{place}") for place in range(AGENTS)}
    journal = open_journal(path / "store.sqlite", time.time)
    embedded = Embedded(journal.db, hosts, time.time, time.monotonic)
    foreman = Foreman(journal, embedded, "serve", time.time)
    listener = Listener(embedded)
    await listener.start(f"unix:{path / 'agents.sock'}")
    working = asyncio.create_task(foreman.run(embedded.changed))
    print("listening", flush=True)
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        if line.startswith("work"):
            for name in hosts:
                job = journal.request(name, BenchSpec(model="org/model", host=name), owner=name, desk="serve")
                journal.move(job.number, State.QUEUED, who=name)
            foreman.stirred.set()
        used = resource.getrusage(resource.RUSAGE_SELF)
        print(used.ru_utime + used.ru_stime, flush=True)
    working.cancel()
    await listener.close()


async def wait(links: list[HttpLink]) -> list[Order]:
    """Every agent asks for work until it has some."""

    async def one(link: HttpLink) -> Order:
        while True:
            claim = await link.claim(frozenset(), WAIT_S)
            if claim is not None:
                return claim.order

    return list(await asyncio.gather(*(one(link) for link in links)))


async def report(links: list[HttpLink], orders: list[Order]) -> None:
    """Every agent reports as one does that runs something: every few seconds, with what is new."""

    async def one(link: HttpLink, order: Order, delay: float) -> None:
        await asyncio.sleep(delay)
        steps = tuple(Step(state=state, at=time.time()) for state in (State.STARTING, State.WARMING, State.MEASURING))
        for count in range(1000):
            await link.renew(order.key, 1, Progress(steps=steps, done=count, total=1000))
            await asyncio.sleep(BEAT_S)

    async with asyncio.timeout(SECONDS):
        spread = (BEAT_S * place / AGENTS for place in range(AGENTS))
        await asyncio.gather(*(one(*pair) for pair in zip(links, orders, spread, strict=True)))


async def measure(path: Path) -> None:
    """Prints the shares; fails when one is over the bound."""
    bot = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.bench.runner_agents", str(path)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert bot.stdin is not None
    assert bot.stdout is not None
    await bot.stdout.readline()

    async def used(word: str) -> float:
        assert bot.stdin is not None
        assert bot.stdout is not None
        bot.stdin.write(f"{word}\n".encode())
        return float(await bot.stdout.readline())

    links = [HttpLink(f"unix:{path / 'agents.sock'}", f"host-{place}", f"agent-{place}") for place in range(AGENTS)]
    waiting = asyncio.create_task(wait(links))
    await asyncio.sleep(2)
    before = await used("now")
    await asyncio.sleep(SECONDS)
    idle = (await used("now") - before) / SECONDS
    await used("work")
    orders = await waiting
    await asyncio.sleep(3)
    before = await used("now")
    try:
        await report(links, orders)
    except TimeoutError:
        busy = (await used("now") - before) / SECONDS
    print(f"{AGENTS} agents waiting:   {idle:6.1%} of a core")
    print(f"{AGENTS} agents reporting: {busy:6.1%} of a core")
    bot.stdin.close()
    await bot.wait()
    assert max(idle, busy) < BOUND, f"{max(idle, busy):.1%}"


def main() -> None:
    """Measures, or is the bot that is measured."""
    if len(sys.argv) > 1:
        asyncio.run(serve(Path(sys.argv[1])))
        return
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(measure(Path(folder)))


if __name__ == "__main__":
    main()
