"""Runs as files: JSON for programs, CSV for spreadsheets, Markdown for people."""

import csv
import io
import json
from typing import Any

from runners.jobs.job import Job
from runners.results.comparison import Comparison
from runners.results.result import Result
from runners.results.summary import table

HEAD = ("figure", "mean", "low", "high")


def as_object(job: Job, result: Result | None) -> dict[str, Any]:
    """A run as JSON: its job, its spec and its result."""
    return {
        "run": job.number,
        "hash": job.hash,
        "state": job.state,
        "why": job.why,
        "owner": job.owner,
        "requested_at": job.requested_at,
        "started_at": job.started_at,
        "ended_at": job.ended_at,
        "spec": job.spec.model_dump(mode="json"),
        "result": None if result is None else result.model_dump(mode="json"),
        "figures": {} if result is None else {name: each.model_dump() for name, each in result.spreads().items()},
        "flags": [] if result is None else list(result.flags),
    }


def as_json(job: Job, result: Result | None) -> str:
    """The same, written."""
    return json.dumps(as_object(job, result), ensure_ascii=False, indent=2)


def as_csv(job: Job, result: Result | None) -> str:
    """One figure a line."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["run", "model", "host", *HEAD, *_repeats(result)])
    for row in table(result) if result else ():
        writer.writerow([job.number, job.spec.model, job.spec.host, *row])
    return out.getvalue()


def as_markdown(job: Job, result: Result | None) -> str:
    """A heading, a table of figures, and how to repeat it."""
    lines = [f"## Run {job.number}: {job.spec.model} on {job.spec.host} ({job.state})", ""]
    if job.why:
        lines += [job.why, ""]
    if result is None or not result.repeats:
        return "\n".join(lines)
    head = [*HEAD, *_repeats(result)]
    lines += [f"| {' | '.join(head)} |", f"| {' | '.join('---' for _ in head)} |"]
    lines += [f"| {' | '.join(row)} |" for row in table(result)]
    lines += ["", "```sh", *commands(result), "```", ""]
    return "\n".join(lines)


def commands(result: Result) -> list[str]:
    """What was run, as a shell takes it: the server with its variables, then every repeat."""
    import shlex

    told = result.fingerprint.environment if result.fingerprint else {}
    variables = [f"{name}={shlex.quote(value)}" for name, value in told.items()]
    server = [" ".join([*variables, shlex.join(result.serve_command)])] if result.serve_command else []
    return [*server, *(shlex.join(words) for words in result.bench_commands)]


def comparison_object(comparison: Comparison) -> dict[str, Any]:
    """A comparison as JSON."""
    return {
        "comparable": comparison.comparable,
        "declared": comparison.declared,
        "differs": {name: list(values) for name, values in comparison.differs.items()},
        "beyond": list(comparison.beyond),
        "flags": list(comparison.flags),
        "figures": [
            {
                "name": each.name,
                "reference": each.reference.model_dump(),
                "other": each.other.model_dump(),
                "change": each.change,
                "verdict": each.verdict,
                "why": each.why,
            }
            for each in comparison.figures
        ],
    }


def _repeats(result: Result | None) -> list[str]:
    return [f"repeat {repeat.number}" for repeat in result.repeats] if result else []
