"""One attempt against the stand-in: what it measures, how it fails, and that nothing is left of it."""

import asyncio
import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from runners.agent.attempt import Attempt
from runners.agent.folder import Folder
from runners.agent.surroundings import Surroundings
from runners.dispatch.orders import Order, Progress
from runners.jobs.job import State
from runners.jobs.spec import BenchSpec, Limits, Slo
from runners.machines import locks
from runners.machines.machine import Machine
from runners.measuring.failure import Layer
from runners.processes import warden
from runners.results.result import Result
from runners.results.truth import Flag

DEADLINE_S = 30.0
Make = Callable[..., Any]


class Running:
    """An attempt under way, and all that it told."""

    def __init__(self, spec: BenchSpec, folder: Path, around: Surroundings) -> None:
        self.told: list[Progress] = []
        self.folder = Folder(folder)
        self.attempt = Attempt(Order(key="bench-1-1", job=1, spec=spec), self.folder, around, self._hear)
        self._news = asyncio.Event()

    def _hear(self, progress: Progress) -> None:
        self.told.append(progress)
        self._news.set()

    @property
    def states(self) -> list[str]:
        """Every state in order, with its repeat."""
        steps = self.told[-1].steps if self.told else ()
        return [" ".join([step.state, *(str(step.detail["repeat"]) for _ in step.detail)][:2]) for step in steps]

    async def reaches(self, state: State, repeat: int = 1) -> None:
        async with asyncio.timeout(DEADLINE_S):
            while not self._is_at(state, repeat):
                self._news.clear()
                await self._news.wait()

    def _is_at(self, state: State, repeat: int) -> bool:
        steps = self.told[-1].steps if self.told else ()
        return any(step.state is state and step.detail.get("repeat") == repeat for step in steps)

    async def result(self) -> Result:
        async with asyncio.timeout(DEADLINE_S):
            return await self.attempt.run()

    def nothing_is_left(self) -> bool:
        server = self.folder.server()
        return server is None or warden.members(server[0]) == []


@pytest.fixture
def start(tmp_path: Path) -> Callable[[BenchSpec, Surroundings], Running]:
    return lambda spec, around: Running(spec, tmp_path / "attempt", around)


async def test_every_repeat_is_what_the_bench_itself_says(start: Make, make_spec: Make, surroundings: Make) -> None:
    running = start(make_spec(slo=Slo(ttft_ms=1000)), surroundings())
    result = await running.result()
    assert result.failure is None
    assert result.cancelled is None
    assert [repeat.number for repeat in result.repeats] == [1, 2]
    for repeat in result.repeats:
        said = json.loads(running.folder.report(repeat.number).read_text())
        assert repeat.completed == said["completed"] == 20
        assert repeat.request_throughput == said["request_throughput"]
        assert repeat.goodput == said["request_goodput"]
        assert repeat.latencies["ttft"].p99 == said["p99_ttft_ms"]
        assert repeat.latencies["e2el"].mean == said["mean_e2el_ms"]
    assert running.nothing_is_left()


async def test_it_tells_each_state_once_and_in_order(start: Make, make_spec: Make, surroundings: Make) -> None:
    running = start(make_spec(), surroundings(starts="1.2"))
    await running.result()
    assert running.states == [
        "starting",
        "loading",
        "warming 1",
        "measuring 1",
        "warming 2",
        "measuring 2",
        "stopping",
    ]
    assert running.told[-2].done <= running.told[-2].total


async def test_repeats_have_different_seeds_and_an_empty_cache(
    start: Make, make_spec: Make, surroundings: Make
) -> None:
    result = await start(make_spec({"repeats": 3}), surroundings()).result()
    assert len({repeat.seed for repeat in result.repeats}) == 3
    assert [repeat.cache_reset for repeat in result.repeats] == [None, True, True]
    assert Flag.CACHE_HITS not in result.flags


async def test_what_was_measured_on_is_written_down(start: Make, make_spec: Make, surroundings: Make) -> None:
    spec = make_spec(serve={"--max-num-seqs": 16})
    result = await start(spec, surroundings(host={"serve_args": ("--load-format", "dummy")})).result()
    assert result.fingerprint is not None
    assert result.fingerprint.vllm == "0.32.0"
    assert result.fingerprint.serve == {"--max-num-seqs": 16, "host's own": "--load-format dummy"}
    assert result.fingerprint.cpu == "a processor"
    assert result.spec_hash == spec.hash
    assert result.start is not None
    assert result.start.observed["kv_tokens"] == 1_048_576
    assert result.serve_command[-4:] == ("--max-num-seqs", "16", "--load-format", "dummy")
    assert len(result.bench_commands) == 2


async def test_a_duration_at_a_concurrency_is_filled(start: Make, make_spec: Make, surroundings: Make) -> None:
    load = {"num_prompts": None, "duration_s": 1.0, "max_concurrency": 2, "repeats": 1}
    result = await start(make_spec(load), surroundings(step="0.02")).result()
    assert result.failure is None
    assert 20 <= result.repeats[0].completed <= 100  # two at a time, each 20 ms and the client's own time


@pytest.mark.parametrize(
    ("standin", "expected"),
    [
        (
            {"fails": "ValueError: To serve at least one request with the model's max seq len (32768), (0.5 GiB KV cache is "
             "needed, which is larger than the available KV cache memory (0.02 GiB)."},
            (Layer.SERVER_START, "The server did not start.", "To serve at least one request"),
        ),
        ({"dies": "15"}, (Layer.LOAD, "The server ended", "")),
        ({"breaks": "15"}, (Layer.MEASUREMENT, "requests failed", "")),
    ],
    ids=["start", "server ends", "requests fail"],
)  # fmt: skip
async def test_a_failure_has_its_layer_and_its_line(
    start: Make, make_spec: Make, surroundings: Make, standin: dict[str, str], expected: tuple[Layer, str, str]
) -> None:
    running = start(make_spec(), surroundings(**standin))
    result = await running.result()
    assert result.failure is not None
    layer, says, line = expected
    assert result.failure.layer is layer
    assert says in result.failure.why
    assert line in result.failure.line
    assert result.repeats == ()
    assert running.nothing_is_left()


async def test_failures_that_are_let_pass_are_said(start: Make, make_spec: Make, surroundings: Make) -> None:
    spec = make_spec({"repeats": 1}, limits=Limits(gpu_minutes=5, error_rate=0.5))
    result = await start(spec, surroundings(breaks="15")).result()
    assert result.failure is None
    assert result.repeats[0].failed > 0
    assert Flag.ERRORS in result.flags


async def test_a_start_that_hangs_is_ended_though_it_ignores_term(
    start: Make, make_spec: Make, surroundings: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("runners.measuring.server.STOP_GRACE_S", 0.3)
    running = start(make_spec(), surroundings(hangs="1", host={"start_limit_s": 0.5}))
    result = await running.result()
    assert result.failure is not None
    assert result.failure.why == "The server was not ready within 0.00833 minutes."
    assert running.nothing_is_left()


async def test_a_run_is_stopped_at_its_limit(start: Make, make_spec: Make, surroundings: Make) -> None:
    spec = make_spec({"num_prompts": 500}, limits=Limits(gpu_minutes=2 / 60))
    running = start(spec, surroundings(step="1"))
    result = await running.result()
    assert result.failure is not None
    assert result.failure.layer is Layer.LIMIT
    assert running.nothing_is_left()


async def test_a_cancelled_run_is_cleaned_up(start: Make, make_spec: Make, surroundings: Make) -> None:
    running = start(make_spec({"num_prompts": 500}), surroundings(step="1"))
    ending = asyncio.create_task(running.result())
    await running.reaches(State.MEASURING)
    running.attempt.cancel("U1 cancelled it.")
    running.attempt.cancel("U2 cancelled it.")
    result = await ending
    assert (result.cancelled, result.failure) == ("U1 cancelled it.", None)
    assert running.nothing_is_left()


async def test_one_that_is_cancelled_first_starts_nothing(start: Make, make_spec: Make, surroundings: Make) -> None:
    running = start(make_spec(), surroundings())
    running.attempt.cancel("Never mind.")
    assert (await running.result()).cancelled == "Never mind."
    assert running.states == []


async def test_the_engine_killed_while_it_is_measured(start: Make, make_spec: Make, surroundings: Make) -> None:
    running = start(make_spec({"num_prompts": 500}), surroundings(step="0.2"))
    ending = asyncio.create_task(running.result())
    await running.reaches(State.MEASURING)
    server = running.folder.server()
    assert server is not None
    engine = next(pid for pid in warden.members(server[0]) if pid != server[0])
    os.kill(engine, signal.SIGKILL)
    result = await ending
    assert result.failure is not None
    assert result.failure.layer is Layer.LOAD
    assert running.nothing_is_left()


async def test_the_api_server_killed_while_it_is_measured(start: Make, make_spec: Make, surroundings: Make) -> None:
    running = start(make_spec({"num_prompts": 500}), surroundings(step="0.2"))
    ending = asyncio.create_task(running.result())
    await running.reaches(State.MEASURING)
    server = running.folder.server()
    assert server is not None
    os.kill(server[0], signal.SIGKILL)
    result = await ending
    assert result.failure is not None
    assert result.failure.why == "The server ended by signal 9 while it was measured."
    assert running.nothing_is_left()


async def test_an_agent_that_is_shut_down_goes_on_at_the_next_repeat(
    start: Make, make_spec: Make, surroundings: Make
) -> None:
    spec = make_spec({"repeats": 3})
    first = start(spec, surroundings())
    ending = asyncio.create_task(first.result())
    await first.reaches(State.WARMING, repeat=2)
    ending.cancel()
    with pytest.raises(asyncio.CancelledError):
        await ending
    assert first.nothing_is_left()
    kept = first.folder.repeats()
    second = start(spec, surroundings())
    result = await second.result()
    assert result.failure is None, result.failure
    assert [repeat.number for repeat in result.repeats] == [1, 2, 3]
    assert all(result.repeats[number - 1] == repeat for number, repeat in kept.items())
    assert len(result.bench_commands) == 3 - len(kept)
    assert (await start(spec, surroundings()).result()) == result


async def test_a_result_of_another_store_is_not_taken_for_this_one(
    start: Make, make_spec: Make, surroundings: Make, tmp_path: Path
) -> None:
    """A new store counts its jobs from 1 again, and the folder of an old bench-1-1 may still be there."""
    first = await start(make_spec({"repeats": 1}), surroundings()).result()
    later = Order(key="bench-1-1", job=1, spec=make_spec({"repeats": 1}), begun_at=1_800_000_000.0)
    again = Attempt(later, Folder(tmp_path / "attempt"), surroundings(), lambda _: None)
    second = await again.run()
    assert second.failure is None
    assert second.repeats[0].latencies != first.repeats[0].latencies


async def test_gpus_that_somebody_holds_are_not_shared(
    start: Make, make_spec: Make, surroundings: Make, tmp_path: Path
) -> None:
    held = locks.hold(tmp_path / "locks", [locks.WHOLE], "bench-9-1")
    assert not isinstance(held, str)
    result = await start(make_spec(), surroundings()).result()
    assert result.failure is not None
    assert result.failure.why == "The GPUs are held by `bench-9-1`."
    held.release()


async def test_no_vllm_no_run(start: Make, make_spec: Make, surroundings: Make) -> None:
    result = await start(make_spec(), surroundings(host={"vllm": ("/nowhere/vllm",)})).result()
    assert result.failure is not None
    assert result.failure.why == "`/nowhere/vllm` is no vLLM: it states no version."


async def test_an_option_that_this_release_lacks_is_refused_first(
    start: Make, make_spec: Make, surroundings: Make
) -> None:
    running = start(make_spec(serve={"--swap-space": 4.0}), surroundings())
    result = await running.result()
    assert result.failure is not None
    assert result.failure.layer is Layer.SET_UP
    assert "--swap-space" in result.failure.why
    assert running.states == []


async def test_a_bug_ends_the_attempt_and_not_the_agent(start: Make, make_spec: Make, surroundings: Make) -> None:
    def broken() -> Machine:
        raise LookupError("no such sensor")

    result = await start(make_spec(), surroundings(broken)).result()
    assert result.failure is not None
    assert result.failure.why == "The agent made an error of its own: LookupError: no such sensor."
