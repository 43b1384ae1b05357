"""What the README shows of the command line: tables of commands, options and settings, and calls with their real output."""

import shlex
from collections.abc import Iterable, Iterator
from io import BytesIO, StringIO
from typing import Any, get_args, get_origin

from pydantic import BaseModel

from bot.cli.app import command, run
from bot.settings import Settings
from bot.world import World


def commands() -> str:
    """A table of the commands that people have a use for."""
    rows = [(f"`tuning-bot {name}`", _first_line(each.help)) for name, each in _commands() if not each.hidden]
    return _table(("command", "does"), rows)


def options(name: str) -> str:
    """A table of one command's arguments and options."""
    found = dict(_commands())[name]
    rows = [(_spelling(each), _cell(each.help or "")) for each in found.params if each.name != "help"]
    return _table(("option", "meaning"), rows)


def settings() -> str:
    """A table of every key of `tuning-bot.toml`."""
    return _table(("key", "default", "meaning"), list(_keys()))


def console(*calls: str) -> str:
    """A console block: each call as it is typed, and what it prints."""
    shown = [line for call in calls for line in (f"$ {call}", *printed(call).splitlines())]
    return "\n".join(["```console", *shown, "```"])


def printed(call: str) -> str:
    """What `tuning-bot …` (or `echo … | tuning-bot …`) prints where no terminal reads it."""
    sent, _, command_line = call.rpartition(" | ")
    out = StringIO()
    stdin = BytesIO(" ".join(shlex.split(sent)[1:]).encode() + b"\n" if sent else b"")
    world = World(environment={}, stdin=stdin, stdout=out, stderr=out)
    run(shlex.split(command_line)[1:], world)
    return out.getvalue()


def _commands() -> list[tuple[str, Any]]:
    group: Any = command()
    return list(group.commands.items())


def _spelling(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return f"`{parameter.name.upper()}`"
    return ", ".join(f"`{spelling}`" for spelling in parameter.opts)


def _keys() -> Iterator[tuple[str, str, str]]:
    for section, field in Settings.model_fields.items():
        kind, title = field.annotation, f"[{section}]"
        if not isinstance(kind, type):
            title = f"[[{section}]]" if get_origin(kind) is tuple else f"[{section}.NAME]"
            kind = next(each for each in get_args(kind) if issubclass(each, BaseModel))
        assert issubclass(kind, BaseModel)
        for key, value in kind.model_fields.items():
            default = None if value.is_required() else value.get_default(call_default_factory=True)
            yield f"`{title}` {key}", _default(default), _cell(value.description or "")


def _default(value: object) -> str:
    """As it is written in TOML; empty where nothing is set."""
    if value is None or value in ((), [], {}):
        return ""
    if isinstance(value, tuple):
        return f"`{list(value)}`"
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _first_line(text: str | None) -> str:
    return _cell((text or "").strip().splitlines()[0].rstrip("."))


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [heads, tuple("---" for _ in heads), *rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in lines)
