"""`tuning-bot kb`: the knowledge base, listed, shown, searched and checked."""

from pathlib import Path
from typing import Annotated

import typer

from bot.cli.world import World

kb = typer.Typer(help="The knowledge base: list, show, search, check.", no_args_is_help=True)

JSON = typer.Option("--json", help="print JSON")
ONLY = typer.Argument(help="ids of entries; all when none is given", show_default=False)
FOLDER = typer.Option("--folder", help="a folder of entries of your own", show_default=False)


@kb.command("list")
def list_entries(ctx: typer.Context, as_json: Annotated[bool, JSON] = False) -> int:
    """List the entries: id, title, and the further topics that each answers for."""
    from bot.cli.lines import compact
    from knowledge.entries.loading import every

    world: World = ctx.obj
    if as_json:
        listed = [{"id": entry.id, "title": entry.en.title, "topics": list(entry.topics)} for entry in every()]
        world.say(compact(listed))
        return 0
    for entry in every():
        world.say(f"{entry.id}  {entry.en.title}")
    return 0


@kb.command()
def check(
    ctx: typer.Context,
    only: Annotated[list[str] | None, ONLY] = None,
    folder: Annotated[Path | None, FOLDER] = None,
) -> int:
    """Report every fault of the entries at once; exit status 1 if there is any."""
    from knowledge.entries import loading
    from knowledge.entries.check import faults

    world: World = ctx.obj
    found = faults(folder, loading.ids()) if folder else faults()
    shown = [fault for fault in found if not only or fault.entry in only]
    for fault in shown:
        world.say(str(fault))
    checked = len(only) if only else len(loading.ids(folder or loading.FOLDER))
    world.say(f"{checked} entries checked, {len(shown)} faults")
    return int(bool(shown))
