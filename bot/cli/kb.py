"""`tuning-bot kb`: the knowledge base, listed, shown, searched and checked."""

from pathlib import Path
from typing import Annotated

import typer

from bot.settings import Language
from bot.world import World

kb = typer.Typer(help="The knowledge base: list, show, search, gaps, check.", no_args_is_help=True)

ID = typer.Argument(help="an entry's id")
TEXT = typer.Argument(help="what to look for, in English or Chinese")
LANG = typer.Option("--lang", help="`en` or `zh`", show_default=False)
CONFIG = typer.Option("--config", help="the settings file; TUNING_BOT_CONFIG names it otherwise", show_default=False)
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
def show(
    ctx: typer.Context,
    entry_id: Annotated[str, ID],
    lang: Annotated[Language | None, LANG] = None,
    config: Annotated[Path | None, CONFIG] = None,
) -> int:
    """Show one entry as it is answered."""
    from bot.answers.entries import entry_sheet
    from bot.answers.whole import single
    from bot.terminal import show as print_answer
    from bot.understand.understood import Intent, Understood
    from knowledge.entries.loading import find, ids
    from knowledge.versions import DEFAULT, parse

    world: World = ctx.obj
    settings = world.settings(config)
    language = lang or settings.defaults.language or "en"
    named = settings.defaults.vllm_version
    folder = settings.knowledge.folder
    own = folder if folder and entry_id in ids(folder) else None
    version = parse(named) if named else DEFAULT
    sheet = entry_sheet(find(entry_id, folder), language, version, assumed=named is None, own=own)
    print_answer(single(Understood(text="", language=language, intent=Intent.KNOWLEDGE), sheet), world.stdout)
    return 0


@kb.command("search")
def search_entries(
    ctx: typer.Context,
    text: Annotated[list[str], TEXT],
    as_json: Annotated[bool, JSON] = False,
    config: Annotated[Path | None, CONFIG] = None,
) -> int:
    """Search the entries; exit status 1 when none answers well enough, the nearest then stand in brackets."""
    from dataclasses import asdict

    from bot.cli.lines import compact
    from knowledge.search import nearest, search

    world: World = ctx.obj
    folder = world.settings(config).knowledge.folder
    wanted = " ".join(text)
    hits = search(wanted, extra_folder=folder)
    if as_json:
        world.say(compact([asdict(hit) for hit in hits]))
        return int(not hits)
    for hit in hits:
        world.say("  ".join([f"{hit.score:.2f}", hit.id, *hit.why]))
    for hit in () if hits else nearest(wanted, extra_folder=folder):
        world.say(f"({hit.score:.2f}  {hit.id})")
    return int(not hits)


@kb.command()
def gaps(
    ctx: typer.Context, as_json: Annotated[bool, JSON] = False, config: Annotated[Path | None, CONFIG] = None
) -> int:
    """List what to write next: questions without an entry, and entries that did not help, with counts."""
    from dataclasses import asdict

    from bot.answers.gaps import gaps as found_in
    from bot.cli.lines import compact
    from bot.store.asked import asked

    world: World = ctx.obj
    settings = world.settings(config)
    found = found_in(asked(settings.store.path), settings.knowledge.folder)
    if as_json:
        world.say(compact([asdict(gap) for gap in found]))
        return 0
    for gap in found:
        told = f"{gap.unhelpful} not helpful" if gap.answered else "no entry"
        told = ", ".join([told, *gap.reasons])
        world.say(
            f"{gap.times} ×  {told}  {' '.join(gap.text.split())[:100]}" + (f"  ({gap.nearest})" if gap.nearest else "")
        )
    world.say(f"{len(found)} gaps")
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
