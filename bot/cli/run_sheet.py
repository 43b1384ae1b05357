"""A run at the terminal: what it was, what it measured, what must be known of it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, TextIO

from runners.jobs.job import Job, State
from runners.results.export import commands
from runners.results.result import Result
from runners.results.spread import Spread
from runners.results.summary import (
    PERCENTILES,
    latencies,
    predicted_beside_observed,
    server_figures,
    throughputs,
)
from runners.results.truth import Flag

if TYPE_CHECKING:
    from rich.table import Table

FLAGS = {
    Flag.ERRORS: "Some requests failed; the latencies leave them out.",
    Flag.CLIENT_LATE: "The client sent requests late: the server was given less than was asked.",
    Flag.CLIENT_BUSY: "The client kept its core busy: it may be the bottleneck, not the server.",
    Flag.RATE_NOT_REACHED: "The asked rate was not reached.",
    Flag.DRIFT: "Latencies changed while it was measured: there was no steady state.",
    Flag.TOO_FEW_P99: "Fewer than 100 requests a repeat: p99 says little.",
    Flag.TOO_FEW_P95: "Fewer than 20 requests a repeat: p95 says little.",
    Flag.OVERLOADED: "The server was overloaded: the queue grew all the time, so these latencies depend on the duration.",
    Flag.CACHE_HITS: "Prompts were found in the prefix cache that should have been new.",
    Flag.FOREIGN_REQUESTS: "Somebody else used the server meanwhile.",
    Flag.CACHE_NOT_RESET: "The prefix cache could not be emptied between repeats.",
    Flag.PREEMPTIONS: "Requests were preempted: the KV cache was full.",
    Flag.NOISY: "The repeats lie further apart than 5 %: measure more of them.",
}
UNITS = {
    "request_throughput": "requests/s",
    "output_throughput": "output tokens/s",
    "total_token_throughput": "tokens/s",
    "goodput": "good requests/s",
    "error_rate": "of requests failed",
}
STYLES = {State.DONE: "bold green", State.FAILED: "bold red"}


def show_run(job: Job, result: Result | None, stream: TextIO) -> None:
    """Prints a run: with colour where a person reads it, as plain text where a pipe does."""
    from rich.console import Console
    from rich.text import Text

    console = Console(file=stream, highlight=False, width=None if stream.isatty() else 160)
    console.print(Text(headline(job, result), style=STYLES.get(job.state, "bold yellow")))
    if result is None:
        return
    if result.failure is not None and result.failure.line:
        console.print(Text(f"  {result.failure.line}", style="dim"))
    if result.repeats:
        console.print(_latency_table(result))
    for line in lines(result):
        console.print(Text(line))
    for command in commands(result)[:2]:
        console.out(f"\n{command}", highlight=False)


def headline(job: Job, result: Result | None) -> str:
    """One sentence."""
    what = f"Run {job.number}: {job.spec.model} on {job.spec.host}"
    if job.state is State.DONE and result is not None:
        return f"{what}, {len(result.repeats)} repeats ({job.hash[:12]})."
    return f"{what}: {job.state}. {job.why}".strip()


def lines(result: Result) -> Iterator[str]:
    """Everything but latencies, a line each."""
    for name, spread in throughputs(result).items():
        yield f"{_figure(spread)} {UNITS[name]}"
    yield from (f"{name}: {value:.4g}" for name, value in server_figures(result).items())
    if result.start is not None:
        yield f"start: {result.start.seconds:.1f} s"
    for name, (said, seen) in predicted_beside_observed(result).items():
        yield f"{name}: predicted {said:.4g}, observed {seen:.4g}"
    yield f"GPU time: {result.gpu_seconds / 60:.1f} minutes"
    yield from (FLAGS[flag] for flag in result.flags)
    yield from result.notes


def _latency_table(result: Result) -> "Table":
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("ms")
    for name in ("mean", *PERCENTILES):
        table.add_column(name, justify="right")
    for row in latencies(result):
        table.add_row(row.name.upper(), _figure(row.mean), *(_figure(row.percentiles[each]) for each in PERCENTILES))
    return table


def _figure(spread: Spread) -> str:
    """A mean, and how far its interval reaches."""
    if spread.low is None or spread.high is None or spread.low == spread.high:
        return f"{spread.mean:.4g}"
    return f"{spread.mean:.4g} ± {(spread.high - spread.low) / 2:.2g}"
