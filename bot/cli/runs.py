"""`tuning-bot runs`: the run journal, listed, shown, compared and exported."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from bot.cli.ask import CONFIG
from bot.world import World
from knowledge.errors import Refusal

if TYPE_CHECKING:
    from runners.jobs.job import Job
    from runners.jobs.journal import Journal
    from runners.results.comparison import Comparison
    from runners.results.result import Result

runs = typer.Typer(help="The run journal: list, show, compare, export.", no_args_is_help=True)

JSON = typer.Option("--json", help="print JSON")
NUMBER = typer.Argument(help="the run's number")
NUMBERS = typer.Argument(help="the runs' numbers; all of the list when none is given", show_default=False)
MODEL = typer.Option("--model", help="only runs of this model", show_default=False)
HOST = typer.Option("--host", help="only runs on this host", show_default=False)
OWNER = typer.Option("--owner", help="only this person's runs", show_default=False)
MOST = typer.Option("--most", help="how many at most", min=1)
DECLARED = typer.Option(
    "--field", help="the field that is meant to differ; unset: the one that does", show_default=False
)
FORMAT = typer.Option("--format", help="json, csv or markdown")


@runs.command("list")
def list_runs(  # noqa: PLR0913, PLR0917 - the options of a command line
    ctx: typer.Context,
    model: Annotated[str | None, MODEL] = None,
    host: Annotated[str | None, HOST] = None,
    owner: Annotated[str | None, OWNER] = None,
    most: Annotated[int, MOST] = 50,
    as_json: Annotated[bool, JSON] = False,
    config: Annotated[Path | None, CONFIG] = None,
) -> int:
    """List runs, newest first."""
    from bot.cli.lines import compact

    world: World = ctx.obj
    journal = _journal(world, config)
    found = journal.listing(model=model, host=host, owner=owner, most=most)
    if as_json:
        world.say(compact([_brief(job) for job in found]))
        return 0
    for job in found:
        world.say(f"{job.number:>5}  {job.state:<17}  {job.spec.host}  {job.spec.model}  {job.owner}  {job.hash[:12]}")
    if not found:
        world.complain("There are no runs yet.")
    return 0


@runs.command()
def show(
    ctx: typer.Context,
    number: Annotated[int, NUMBER],
    as_json: Annotated[bool, JSON] = False,
    config: Annotated[Path | None, CONFIG] = None,
) -> int:
    """Show one run: its figures, what must be known of them, and how to repeat it."""
    from bot.cli.run_sheet import show_run
    from runners.results.export import as_json as written

    world: World = ctx.obj
    job, result = _run(_journal(world, config), number)
    if as_json:
        world.say(written(job, result))
    else:
        show_run(job, result, world.stdout)
    return 0


@runs.command()
def compare(
    ctx: typer.Context,
    reference: Annotated[int, NUMBER],
    other: Annotated[int, NUMBER],
    declared: Annotated[str | None, DECLARED] = None,
    as_json: Annotated[bool, JSON] = False,
    config: Annotated[Path | None, CONFIG] = None,
) -> int:
    """Hold a run against a reference: better, worse or inconclusive, figure by figure; exit status 1 where they cannot be compared."""
    from bot.cli.lines import compact
    from runners.results.comparison import compare as held_against
    from runners.results.export import comparison_object

    world: World = ctx.obj
    journal = _journal(world, config)
    results = [_measured(journal, number) for number in (reference, other)]
    comparison = held_against(results[0], results[1], declared)
    if as_json:
        world.say(compact(comparison_object(comparison)))
    else:
        _show_comparison(world, comparison)
    return int(not comparison.comparable)


@runs.command()
def export(
    ctx: typer.Context,
    numbers: Annotated[list[int] | None, NUMBERS] = None,
    form: Annotated[Literal["json", "csv", "markdown"], FORMAT] = "json",
    config: Annotated[Path | None, CONFIG] = None,
) -> int:
    """Print runs as JSON (one a line), CSV or Markdown."""
    from bot.cli.lines import compact
    from runners.results.export import as_csv, as_markdown, as_object

    writers: dict[str, Callable[[Job, Result | None], str]] = {
        "json": lambda job, result: compact(as_object(job, result)),
        "csv": lambda job, result: as_csv(job, result).rstrip("\n"),
        "markdown": as_markdown,
    }
    world: World = ctx.obj
    journal = _journal(world, config)
    for number in numbers or [job.number for job in journal.listing()]:
        world.say(writers[form](*_run(journal, number)))
    return 0


def _journal(world: World, config: Path | None) -> "Journal":
    import time

    from runners.jobs.journal import open_journal

    return open_journal(world.settings(config).store.path, time.time)


def _run(journal: "Journal", number: int) -> "tuple[Job, Result | None]":
    from runners.results.result import Result

    found = journal.result(number)
    return journal.job(number), None if found is None else Result.model_validate(found)


def _measured(journal: "Journal", number: int) -> "Result":
    job, result = _run(journal, number)
    if result is None or not result.repeats:
        error = f"Run `{number}` has no figures: it is {job.state}."
        raise Refusal("no-figures", error, "Compare runs that were measured.", run=number)
    return result


def _brief(job: "Job") -> dict[str, object]:
    return {
        "run": job.number,
        "state": job.state,
        "model": job.spec.model,
        "host": job.spec.host,
        "owner": job.owner,
        "hash": job.hash,
        "requested_at": job.requested_at,
        "started_at": job.started_at,
        "ended_at": job.ended_at,
    }


def _show_comparison(world: World, comparison: "Comparison") -> None:
    for name, (before, after) in comparison.differs.items():
        world.say(f"{name}: {before} → {after}{' (also differs)' if name in comparison.beyond else ''}")
    if not comparison.comparable:
        also = ", ".join(f"`{name}`" for name in comparison.beyond)
        world.complain(f"These runs cannot be compared: {also} differ beside what was meant to.")
        return
    for each in comparison.figures:
        change = "" if each.change is None else f"{each.change:+.1%}"
        why = f" ({each.why})" if each.why else ""
        world.say(
            f"{each.name:<24} {each.reference.mean:>12.5g} {each.other.mean:>12.5g} {change:>8}  {each.verdict}{why}"
        )
