"""`tuning-bot`: the commands, and the one place where a failed one becomes a sentence and an exit status."""

import errno
from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer
from typer.exceptions import Abort, TyperException

from bot.bugs import report
from bot.cli.ask import ask
from bot.cli.bench import bench
from bot.cli.check import check
from bot.cli.diagnose import diagnose
from bot.cli.fit import fit
from bot.cli.kb import kb
from bot.cli.quiz import quiz
from bot.cli.runner import runner
from bot.cli.runs import runs
from bot.cli.serve import serve
from bot.cli.think import think
from bot.world import World
from knowledge.errors import Refusal

if TYPE_CHECKING:
    from typer._click import Command

ANSWERED, FAILED, CALLED_WRONGLY, INTERRUPTED = 0, 1, 2, 130
WRONG_CALLS = frozenset(
    [
        "unknown-key",
        "missing-key",
        "bad-value",
        "settings-unreadable",
        "file-unreadable",
        "settings-not-toml",
        "no-question",
        "unknown-option",
        "missing-model",
    ]
)

CANNOT_WRITE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF})

app = typer.Typer(
    name="tuning-bot",
    help="Answers whether a model fits your GPUs with vLLM, and what to change if it does not.",
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(ask)
app.command()(fit)
app.command()(diagnose)
app.command()(serve)
app.command()(check)
app.command()(bench)
app.command()(quiz)
app.command()(runner)
app.command(hidden=True)(think)
app.add_typer(kb, name="kb")
app.add_typer(runs, name="runs")


@app.callback()
def _group() -> None:
    """Keeps `ask` and `fit` subcommands whatever their number."""


def command() -> "Command":
    """The whole command line as typer builds it."""
    return typer.main.get_command(app)


def run(arguments: Sequence[str], world: World) -> int:
    """Runs one command. 0 answered, 1 what was asked about failed, 2 the call was wrong; errors are one sentence on stderr."""
    try:
        status = command().main(list(arguments), prog_name="tuning-bot", standalone_mode=False, obj=world)
    except Refusal as refusal:
        world.complain(f"{refusal.error} {refusal.hint}")
        return CALLED_WRONGLY if refusal.code in WRONG_CALLS else FAILED
    except TyperException as fault:
        world.complain(_sentence(fault))
        return fault.exit_code
    except Abort:
        return INTERRUPTED
    except BrokenPipeError:
        return FAILED
    except Exception as bug:  # noqa: BLE001 - the boundary of this front: a bug becomes a sentence with a reference
        world.complain(_not_written(bug) or report(bug).sentence("en"))
        return FAILED
    return status if isinstance(status, int) else ANSWERED


def _not_written(failure: Exception) -> str | None:
    """What is said where the answer could not be written out, which is no bug."""
    if isinstance(failure, OSError) and failure.errno in CANNOT_WRITE:
        return f"The answer cannot be written: {failure.strerror}. Send it somewhere that has room."
    return None


def _sentence(fault: TyperException) -> str:
    says = " ".join(fault.format_message().split()).rstrip(".")
    return f"{says}. See `tuning-bot --help`." if says else "Which command? See `tuning-bot --help`."
