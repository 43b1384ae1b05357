"""What every dispatcher keeps to: submitting twice is once, a cancelled attempt never starts, a lost one is told."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

import pytest

from runners.dispatch.embedded import Embedded
from runners.dispatch.link import LEASE_S, Claim, Fenced
from runners.dispatch.orders import Order, Progress, Step
from runners.dispatch.protocol import Dispatcher, Phase
from runners.jobs.job import State
from runners.jobs.journal import open_journal
from runners.jobs.spec import BenchSpec, Limits
from runners.machines.host import Host

BEGAN = Progress(steps=(Step(state=State.STARTING, at=1.0),))
RESULT = {"spec_hash": "h", "attempt": "bench-1-1"}


class Stage(Protocol):
    """A dispatcher, and what its wrappers do at the other end."""

    dispatcher: Dispatcher

    def take(self) -> str | None:
        """Somebody begins the next attempt: its key."""

    def report(self, key: str) -> str | None:
        """The attempt goes on: why it is to be stopped."""

    def finish(self, key: str) -> None:
        """The attempt comes to an end."""

    def vanish(self) -> None:
        """Whoever runs things is not heard of until its attempts count as lost."""

    def restart(self) -> None:
        """The dispatcher's own process is killed and started again."""


class EmbeddedStage:
    """The queue in the store, with agents that speak to it directly."""

    def __init__(self, folder: Path) -> None:
        self._journal = open_journal(folder / "store.sqlite", lambda: 1_800_000_000.0)
        self._steady = 0.0
        self._claims: dict[str, Claim] = {}
        self.restart()

    def restart(self) -> None:
        hosts = {"h100": Host(name="h100", gpu="H100", gpus=2)}
        self.embedded = Embedded(self._journal.db, hosts, lambda: 1_800_000_000.0, lambda: self._steady)
        self.dispatcher: Dispatcher = self.embedded

    def take(self) -> str | None:
        self.embedded.admit("h100", "agent-1")
        claim = self.embedded.claim("h100", self._claims)
        if claim is None:
            return None
        self._claims[claim.order.key] = claim
        return claim.order.key

    def report(self, key: str) -> str | None:
        return self.embedded.renew(key, self._claims[key].token, BEGAN)

    def finish(self, key: str) -> None:
        self.embedded.finish(key, self._claims[key].token, BEGAN, RESULT)

    def vanish(self) -> None:
        self._steady += LEASE_S + 1

    def close(self) -> None:
        self._journal.db.close()


@pytest.fixture(params=[EmbeddedStage], ids=["embedded"])
def stage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Stage]:
    made = request.param(tmp_path)
    yield made
    made.close()


@pytest.fixture
def order() -> Callable[[int], Order]:
    def make(job: int) -> Order:
        spec = BenchSpec(model="org/model", host="h100", gpus=(0,), limits=Limits(gpu_minutes=5))
        return Order(key=f"bench-{job}-1", job=job, spec=spec)

    return make


MakeOrder = Callable[[int], Order]


async def phase(stage: Stage, key: str) -> Phase:
    return (await stage.dispatcher.observe([key]))[key].phase


async def test_an_attempt_goes_from_queued_to_done(stage: Stage, order: MakeOrder) -> None:
    await stage.dispatcher.submit(order(1))
    assert await phase(stage, "bench-1-1") is Phase.QUEUED
    assert stage.take() == "bench-1-1"
    assert stage.report("bench-1-1") is None
    seen = (await stage.dispatcher.observe(["bench-1-1"]))["bench-1-1"]
    assert (seen.phase, seen.progress, seen.host) == (Phase.RUNNING, BEGAN, "h100")
    stage.finish("bench-1-1")
    seen = (await stage.dispatcher.observe(["bench-1-1"]))["bench-1-1"]
    assert (seen.phase, seen.result) == (Phase.DONE, RESULT)


async def test_submitting_twice_is_once(stage: Stage, order: MakeOrder) -> None:
    assert await stage.dispatcher.submit(order(1)) == await stage.dispatcher.submit(order(1))
    assert stage.take() == "bench-1-1"
    await stage.dispatcher.submit(order(1))
    assert stage.take() is None
    assert await phase(stage, "bench-1-1") is Phase.RUNNING


async def test_all_are_observed_at_once_and_strangers_are_unknown(stage: Stage, order: MakeOrder) -> None:
    await stage.dispatcher.submit(order(1))
    await stage.dispatcher.submit(order(2))
    stage.take()
    seen = await stage.dispatcher.observe(["bench-1-1", "bench-2-1", "bench-3-1"])
    assert {key: each.phase for key, each in seen.items()} == {
        "bench-1-1": Phase.RUNNING,
        "bench-2-1": Phase.QUEUED,
        "bench-3-1": Phase.UNKNOWN,
    }


async def test_one_that_is_cancelled_in_the_queue_never_starts(stage: Stage, order: MakeOrder) -> None:
    await stage.dispatcher.submit(order(1))
    await stage.dispatcher.cancel("bench-1-1", "U1 cancelled it.")
    seen = (await stage.dispatcher.observe(["bench-1-1"]))["bench-1-1"]
    assert (seen.phase, seen.why) == (Phase.CANCELLED, "U1 cancelled it.")
    assert stage.take() is None


async def test_one_that_runs_is_told_to_stop(stage: Stage, order: MakeOrder) -> None:
    await stage.dispatcher.submit(order(1))
    stage.take()
    await stage.dispatcher.cancel("bench-1-1", "U1 cancelled it.")
    await stage.dispatcher.cancel("bench-1-1", "U2 cancelled it.")
    assert stage.report("bench-1-1") == "U1 cancelled it."
    stage.finish("bench-1-1")
    await stage.dispatcher.cancel("bench-1-1", "too late")
    assert await phase(stage, "bench-1-1") is Phase.DONE


async def test_cancelling_a_stranger_changes_nothing(stage: Stage) -> None:
    await stage.dispatcher.cancel("bench-9-1", "whatever")
    assert await phase(stage, "bench-9-1") is Phase.UNKNOWN


async def test_one_that_is_not_heard_of_is_lost_and_its_late_result_refused(stage: Stage, order: MakeOrder) -> None:
    await stage.dispatcher.submit(order(1))
    stage.take()
    stage.vanish()
    seen = (await stage.dispatcher.observe(["bench-1-1"]))["bench-1-1"]
    assert (seen.phase, seen.why) == (Phase.LOST, "The agent on `h100` was not heard of for 3 minutes.")
    with pytest.raises(Fenced):
        stage.report("bench-1-1")
    with pytest.raises(Fenced):
        stage.finish("bench-1-1")
    assert await phase(stage, "bench-1-1") is Phase.LOST


async def test_one_that_is_lost_while_it_is_stopped_is_cancelled(stage: Stage, order: MakeOrder) -> None:
    await stage.dispatcher.submit(order(1))
    stage.take()
    await stage.dispatcher.cancel("bench-1-1", "U1 cancelled it.")
    stage.vanish()
    seen = (await stage.dispatcher.observe(["bench-1-1"]))["bench-1-1"]
    assert (seen.phase, seen.why) == (Phase.CANCELLED, "U1 cancelled it.")


async def test_the_queue_waits_however_long_nobody_takes_from_it(stage: Stage, order: MakeOrder) -> None:
    await stage.dispatcher.submit(order(1))
    stage.vanish()
    assert await phase(stage, "bench-1-1") is Phase.QUEUED


async def test_a_restart_loses_nothing_and_gives_everybody_time(stage: Stage, order: MakeOrder) -> None:
    await stage.dispatcher.submit(order(1))
    await stage.dispatcher.submit(order(2))
    stage.take()
    stage.vanish()
    stage.restart()
    assert await phase(stage, "bench-1-1") is Phase.RUNNING
    assert await phase(stage, "bench-2-1") is Phase.QUEUED
    assert stage.report("bench-1-1") is None
    stage.vanish()
    assert await phase(stage, "bench-1-1") is Phase.LOST


async def test_what_can_never_run_is_said_before_it_is_submitted(stage: Stage) -> None:
    spec = BenchSpec(model="org/model", host="h100", gpus=(0, 1))
    assert await stage.dispatcher.fits(spec) is None
    for changed, code in (
        ({"gpus": (2,)}, "no-such-gpus"),
        ({"gpus": ()}, "no-such-gpus"),
        ({"host": "a100"}, "unknown-host"),
        ({"model": "/srv/model"}, "model-not-allowed"),
        ({"limits": Limits(gpu_minutes=1000)}, "over-limit"),
    ):
        refusal = await stage.dispatcher.fits(spec.model_copy(update=changed))
        assert refusal is not None
        assert refusal.code == code
