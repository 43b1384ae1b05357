"""What an answer says, in reading order, before it becomes text, blocks or a terminal's lines: all of them say the same."""

from dataclasses import dataclass
from enum import StrEnum


class Tone(StrEnum):
    """How the first sentence is marked."""

    GOOD = "good"
    BAD = "bad"
    UNSURE = "unsure"
    PLAIN = "plain"


class Menu(StrEnum):
    """What a reader can pin with one click."""

    MODEL = "model"
    GPU = "gpu"


class Act(StrEnum):
    """What a button does, or a subcommand."""

    OPEN = "open_entry"  # shows an entry, for the one who pressed
    CHOOSE = "choose_entry"  # answers with an entry, in the place of the question what was meant
    MEASURE = "measure_entry"  # shows how to measure what an entry says
    LIST = "kb_list"
    SEARCH = "kb_search"
    GAPS = "kb_gaps"
    MODEL = "settings_model"  # a model's whole name, as it is kept
    QUIZ = "quiz_start"
    REVEAL = "quiz_reveal"
    KNEW = "quiz_knew"
    MISSED = "quiz_missed"
    CHART = "memory_chart"  # draws where the memory goes, into the answer's thread
    REMEMBER = "remember_start"  # asks for the host that a start is kept for
    KEEP = "keep_start"  # keeps it for the host that was chosen


@dataclass(frozen=True, slots=True)
class Button:
    """Something to press: `value` is what it does it with, an entry's id or where a quiz stands."""

    act: Act
    text: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A small table: `rows` are as long as `columns`; the first column names the row.

    `spoken` are the columns' names beside a cell where a row is read as a line; empty for a cell that speaks for itself.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    spoken: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """One question's answer in plain text. Empty parts are left out; titles are those of the parts that follow them.

    `quote` is a line of a pasted text, as it stood there. `points` are what to change or do, best first. `notes` are things to know, `assumed` the one line of assumptions.
    `command` is one line to copy. `menus` are the choices a front with menus offers; `feedback` asks whether it helped.
    `buttons` are for fronts that have some; with a `buttons_title` the others name what stands on them, without one the text says it already.
    """

    lead: str
    tone: Tone = Tone.PLAIN
    quote: str = ""
    figures: tuple[tuple[str, str], ...] = ()
    table: Table | None = None
    points_title: str = ""
    points: tuple[str, ...] = ()
    command_title: str = ""
    command: str | None = None
    notes: tuple[str, ...] = ()
    assumed: str | None = None
    sources: str | None = None
    menus: tuple[Menu, ...] = ()
    buttons_title: str = ""
    buttons: tuple[Button, ...] = ()
    feedback: bool = True
