"""The measured part of an attempt: warm-ups and repeats, each looked at from both sides."""

import asyncio
import math
from typing import Any

from runners.agent.preparing import Prepared
from runners.agent.serving import Site, loaded_revision
from runners.agent.session import Session
from runners.agent.watch import Watch
from runners.jobs.job import State
from runners.machines.weights import digest, file_digest
from runners.measuring import bench, server
from runners.measuring.bench import Called, Seen
from runners.measuring.bench_command import BenchOrder, Target, bench_argv
from runners.measuring.environment import for_bench, for_server, telling
from runners.measuring.failure import Layer, RunFailed, failed
from runners.measuring.logfile import load_failure
from runners.measuring.scrape import Sample, watched
from runners.results.course import course
from runners.results.fingerprint import Fingerprint
from runners.results.result import Repeat
from runners.results.truth import judge, too_many_errors

NOT_RESET = "The prefix cache was not reset: the server is not ours. Every repeat had prompts of its own."
NO_RESET = "The prefix cache could not be reset between repeats. Every repeat had prompts of its own."
ENDS_S = 15.0  # an API server follows its killed engine after 4.5 s (0.32, CPU)
CALIBRATION = 4  # requests for each of the concurrent ones, to find how many fill a duration


async def measure_all(session: Session, prepared: Prepared, site: Site) -> None:
    """Runs every repeat that is not done yet. Raises RunFailed at the first that does not count."""
    session.fingerprint = fingerprint(session, prepared, site)
    if site.server is None:
        session.note(NOT_RESET)
    repeats = session.spec.workload.repeats
    done = session.folder.repeats()
    fresh = site.server is not None
    for number in range(1, repeats + 1):
        if number in done:
            continue
        session.step(State.WARMING, repeat=number, repeats=repeats)
        emptied = None if fresh else await _emptied(site)
        prompts = await _prompts(session, prepared, site)
        repeat = await _repeat(session, prepared, site, number, prompts)
        session.folder.keep_repeat(repeat.model_copy(update={"cache_reset": emptied}))
        if emptied is False:
            session.note(NO_RESET)
        fresh = False


async def _emptied(site: Site) -> bool | None:
    return None if site.server is None else await server.reset_prefix_cache(site.url)


async def _prompts(session: Session, prepared: Prepared, site: Site) -> int:
    """How many requests a repeat sends; what fills a duration at a given concurrency is found by asking the server."""
    load = session.spec.workload
    if not load.finds_its_length:
        return load.prompts_expected
    known = session.folder.prompts()
    if known is None:
        count = CALIBRATION * (load.max_concurrency or 1)
        called, _ = await _called(session, prepared, site, 0, count)
        assert load.duration_s is not None
        known = max(count, math.ceil(called.report.request_throughput * load.duration_s))
        session.folder.keep_state(spent=session.spent, prompts=known)
        if site.server is not None:
            await server.reset_prefix_cache(site.url)
    return known


async def _repeat(session: Session, prepared: Prepared, site: Site, number: int, prompts: int) -> Repeat:
    called, samples = await _called(session, prepared, site, number, prompts)
    report, seen = called.report, watched(samples)
    why = too_many_errors(report, session.spec.limits)
    if why is not None:
        await _blame_server(site)
        raise failed(Layer.MEASUREMENT, f"{why}.", line=why.partition(": ")[2])
    return Repeat(
        number=number,
        seed=seed(session, number),
        completed=report.completed,
        failed=report.failed,
        duration=report.duration,
        request_throughput=report.request_throughput,
        output_throughput=report.output_throughput,
        total_token_throughput=report.total_token_throughput,
        goodput=report.request_goodput,
        input_tokens=report.total_input_tokens,
        output_tokens=report.total_output_tokens,
        latencies=report.figures,
        watched=seen,
        truth=judge(report, session.spec.workload, samples, seen, called.client_cores),
        course=course(report),
        client_cores=called.client_cores,
    )


async def _blame_server(site: Site) -> None:
    """Raises RunFailed when requests failed because our server is ending: an engine that died takes its API server along in seconds."""
    if site.server is None or await server.answers(site.url):
        return
    ended = site.server.program.ended
    await asyncio.wait({ended}, timeout=ENDS_S)
    raise load_failure(site.server.launch.log, ended.result() if ended.done() else None)


async def _called(
    session: Session, prepared: Prepared, site: Site, number: int, prompts: int
) -> tuple[Called, list[Sample]]:
    """One call of the bench, watched; it is stopped at once when the server ends."""
    words = bench_argv(session.around.host.vllm, _order(session, site, number, prompts), prepared.version)
    session.commands.append(words)
    watch = Watch(site.url, site.api_key)

    def follow(seen: Seen) -> None:
        if seen.measuring and number:
            watch.begin()
            session.step(State.MEASURING, repeat=number, repeats=session.spec.workload.repeats)
            session.count(seen.done, seen.total or prompts)

    host, around = session.around.host, session.around
    environment = for_bench(around.environment, host.environment, site.api_key)
    calling = asyncio.create_task(
        bench.call(words, environment, session.folder.bench_log, session.folder.report(number), follow)
    )
    try:
        await _either(calling, site)
        called = calling.result()
    except RunFailed as fault:
        if fault.failure.layer is Layer.MEASUREMENT:
            await _blame_server(site)
        raise
    finally:
        calling.cancel()
        await asyncio.wait({calling})
        samples = await watch.end()
    return called, samples


async def _either(calling: "asyncio.Task[Called]", site: Site) -> None:
    """Returns when the bench has ended. Raises RunFailed when the server ended first."""
    if site.server is None:
        await asyncio.wait({calling})
        return
    ended = site.server.program.ended
    await asyncio.wait({calling, ended}, return_when=asyncio.FIRST_COMPLETED)
    if ended.done():
        raise load_failure(site.server.launch.log, ended.result())


def _order(session: Session, site: Site, number: int, prompts: int) -> BenchOrder:
    return BenchOrder(
        target=Target(url=site.url, served_model=site.served_model, tokenizer=site.tokenizer),
        workload=session.spec.workload,
        slo=session.spec.slo,
        prompts=prompts,
        warmups=min(prompts, session.spec.workload.warmup_requests),
        seed=seed(session, number),
        report=session.folder.report(number),
        sharegpt=session.around.host.sharegpt,
    )


def seed(session: Session, number: int) -> int:
    """The repeat's seed. On servers of our own it depends on the workload alone, so that two settings get the same prompts; on one that
    runs already it depends on the job too: it may remember the last ones.
    """
    load = session.spec.workload
    if number == 0:
        return load.model_copy(update={"seeds": ()}).seed(0, session.order.key)
    return load.seed(number, session.order.key if session.spec.url else load.model_dump_json())


def fingerprint(session: Session, prepared: Prepared, site: Site) -> Fingerprint:
    """What this run depends on; of a server that is not ours only what it and the client tell."""
    spec, host = session.spec, session.around.host
    shared: dict[str, Any] = {
        "model": spec.model,
        "host": spec.host,
        "url": spec.url,
        "workload": spec.workload.model_dump(mode="json"),
        "slo": spec.slo.model_dump(mode="json"),
        "dataset": file_digest(host.sharegpt) if spec.workload.dataset == "sharegpt" else None,
        "company": prepared.notes,
    }
    if site.server is None:
        return Fingerprint(vllm=site.version, cache="not emptied", **shared)
    return Fingerprint(**shared, **_ours(session, prepared))


def _ours(session: Session, prepared: Prepared) -> dict[str, Any]:
    spec, host, machine = session.spec, session.around.host, prepared.machine
    first = next((state for state in machine.gpus if state.index in spec.gpus), None)
    told = for_server(session.around.environment, host.environment, ())
    card = {name: getattr(first, name) for name in ("driver", "power_limit_w", "max_sm_clock")} if first else {}
    return card | {
        "revision": loaded_revision(session),
        "weights": digest(spec.model),
        "vllm": prepared.installed.vllm,
        "torch": prepared.installed.torch,
        "transformers": prepared.installed.transformers,
        "gpu": first.name if first else None,
        "gpu_count": len(spec.gpus),
        "gpus": spec.gpus,
        "cpu": machine.cpu,
        "cores": machine.cores,
        "serve": spec.serve | ({"host's own": " ".join(host.serve_args)} if host.serve_args else {}),
        "environment": telling(told),
        "cache": "emptied between repeats",
    }
