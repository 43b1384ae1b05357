"""How long the journal takes with 10,000 jobs: a listing, everybody's turn, a restart. Bounds: 100 ms each.

Run: python -m tests.bench.runner_journal
"""

import asyncio
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from runners.dispatch.embedded import Embedded
from runners.foreman import Foreman
from runners.jobs.job import State
from runners.jobs.journal import Journal, open_journal
from runners.jobs.spec import BenchSpec
from runners.jobs.workload import Workload
from runners.machines.host import Host

JOBS, QUEUED = 10_000, 200
BOUND_MS = 100.0
WHOLE = (State.QUEUED, State.STARTING, State.LOADING, State.WARMING, State.MEASURING, State.STOPPING, State.DONE)
HOSTS = {name: Host(name=name, gpu="H100", gpus=8) for name in ("h100-1", "h100-2", "a100-1")}


def filled(path: Path) -> Journal:
    """A journal of so many jobs on three hosts, the last of which wait."""
    journal = open_journal(path, time.time)
    names = list(HOSTS)
    journal.db.execute("PRAGMA synchronous = OFF")
    for place in range(JOBS):
        spec = BenchSpec(
            model=f"org/model-{place % 20}",
            host=names[place % 3],
            gpus=(place % 8,),
            workload=Workload(num_prompts=100 + place % 7),
        )
        job = journal.request(f"m{place}", spec, owner=f"U{place % 50}", desk="serve")
        for state in WHOLE if place < JOBS - QUEUED else WHOLE[:1]:
            journal.move(job.number, state, who="bench")
    return journal


def timed(what: str, action: Callable[[], object], times: int = 7) -> float:
    """Prints the median milliseconds of an action."""
    seconds = []
    for _ in range(times):
        begun = time.perf_counter()
        action()
        seconds.append(time.perf_counter() - begun)
    milliseconds = median(seconds) * 1000
    print(f"{what:<28} {milliseconds:8.2f} ms")
    return milliseconds


def main() -> None:
    """Prints each figure; fails when one is over its bound."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "store.sqlite"
        begun = time.perf_counter()
        journal = filled(path)
        print(
            f"{JOBS} jobs, {journal.newest_event()} events, {path.stat().st_size / 2**20:.0f} MiB, {time.perf_counter() - begun:.1f} s to write"
        )
        embedded = Embedded(journal.db, HOSTS, time.time, time.monotonic)
        foreman = Foreman(journal, embedded, "serve", time.time)

        def restart() -> None:
            again = open_journal(path, time.time)
            fresh = Foreman(again, Embedded(again.db, HOSTS, time.time, time.monotonic), "serve", time.time)
            asyncio.run(fresh.tick())
            again.db.close()

        found = [
            timed("a listing of 50", journal.listing),
            timed("one person's", lambda: journal.listing(owner="U7")),
            timed("everybody's turn on a host", lambda: foreman.turns("h100-1")),
            timed("a restart, first tick", restart),
            timed("a tick", lambda: asyncio.run(foreman.tick())),
        ]
        journal.db.close()
        assert max(found) < BOUND_MS, f"{max(found):.0f} ms"


if __name__ == "__main__":
    main()
