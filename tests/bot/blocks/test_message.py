"""A whole message of blocks."""

import json
from typing import Any

from bot.blocks import limits
from bot.blocks.message import Choice, Words, message, text_length
from bot.playground.server.blocks.payload import validate_blocks
from bot.sheet import Menu, Sheet, Table

WORDS = Words(helpful="Helpful", not_helpful="Not helpful")
CHOICES = {
    Menu.MODEL: Choice(options=(("M", "owner/M"),), placeholder="Another model", chosen="owner/M"),
    Menu.GPU: Choice(options=(("T4", "T4"),), placeholder="Another GPU"),
}


def kinds(sheets: list[Sheet]) -> list[str]:
    return [block["type"] for block in message(sheets, CHOICES, WORDS)]


def test_a_full_sheet_comes_in_reading_order() -> None:
    sheet = Sheet(
        lead="Yes.",
        figures=(("Weights", "1.00 GiB"),),
        table=Table(columns=("a", "b"), rows=(("1", "2"),)),
        points_title="What to change",
        points=("more GPUs",),
        command_title="Command",
        command="vllm serve m",
        notes=("a note",),
        assumed="Assumed: TP 1.",
        sources="Sources: x",
        menus=(Menu.MODEL, Menu.GPU),
    )
    assert kinds([sheet]) == [
        "section", "section", "table", "section", "section", "section", "context", "actions", "context_actions",
    ]  # fmt: skip


def test_the_first_sentence_is_bold_unless_it_has_several_lines() -> None:
    assert message([Sheet(lead="Yes.")], {}, WORDS)[0]["text"]["text"] == "*Yes.*"
    assert message([Sheet(lead="Revoke it.\nYes.")], {}, WORDS)[0]["text"]["text"] == "Revoke it.\nYes."


def test_only_the_first_of_two_tables_is_a_table() -> None:
    table = Table(columns=("Model", "Verdict"), rows=(("A", "fits"),))
    found = message([Sheet(lead="One.", table=table), Sheet(lead="Two.", table=table)], {}, WORDS)
    assert [block["type"] for block in found] == [
        "section",
        "table",
        "divider",
        "section",
        "section",
        "context_actions",
    ]
    assert found[4]["text"]["text"] == "*Model · Verdict*\nA · fits"


def test_a_menu_without_a_choice_and_a_sheet_without_feedback_leave_nothing() -> None:
    assert [
        block["type"] for block in message([Sheet(lead="Hi.", menus=(Menu.MODEL,), feedback=False)], {}, WORDS)
    ] == ["section"]


def test_block_ids_are_unique_and_follow_what_is_said() -> None:
    def ids(lead: str) -> list[Any]:
        blocks = message([Sheet(lead=lead, menus=(Menu.MODEL,))], CHOICES, WORDS)
        return [block["block_id"] for block in blocks if "block_id" in block]

    assert len(set(ids("One."))) == 2
    assert set(ids("One.")).isdisjoint(ids("Two."))
    assert ids("One.") == ids("One.")


def test_a_message_stays_within_what_slack_takes_and_keeps_its_buttons() -> None:
    sheets = [
        Sheet(lead=f"Question {number}. " + "word " * 300, figures=(("a", "b" * 900),), menus=(Menu.GPU,))
        for number in range(40)
    ]
    found = message(sheets, CHOICES, WORDS)
    assert len(found) <= limits.BLOCKS
    assert sum(text_length(block) for block in found) <= limits.ALL_TEXT
    assert [block["type"] for block in found[-2:]] == ["actions", "context_actions"]


def test_blocks_are_json() -> None:
    found = message([Sheet(lead="<@U1> & *bold*", menus=(Menu.GPU,))], CHOICES, WORDS)
    assert "<@U1>" not in json.dumps(found)


def test_the_workspace_of_the_playground_finds_nothing_wrong_with_a_full_message() -> None:
    table = Table(columns=("Model", "Verdict"), rows=(("A", "fits"), ("B", "")))
    sheet = Sheet(
        lead="Yes & <no>.",
        figures=(("Weights", "1.00 GiB"),) * 12,
        table=table,
        points_title="What to change",
        points=("more GPUs",) * 4,
        command_title="Command",
        command="vllm serve m --hf-overrides '{\"a\": 1}' " * 200,
        notes=("a note",),
        assumed="Assumed: TP 1.",
        sources="Sources: x",
        menus=(Menu.MODEL, Menu.GPU),
    )
    assert validate_blocks(list(message([sheet, sheet], CHOICES, WORDS))) == []
