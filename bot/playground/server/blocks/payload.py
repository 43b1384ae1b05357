"""A whole list of blocks: each block by itself, and the rules that hold across them."""

from collections import Counter
from collections.abc import Iterator

from bot.playground.server.blocks.elements import MODAL_ONLY
from bot.playground.server.blocks.layout import ALLOWED, BLOCKS, MOST_BLOCKS, Surface
from bot.playground.server.blocks.rules import Items, Typed, problem

MARKDOWN_TOTAL = 12_000
TABLE_TOTAL = 10_000
DATA_TABLE_TOTAL = 20_000
MOST_OF_A_KIND = {"table": 1, "data_visualization": 2}
BLOCK_TEXT_TOTAL = 12_000
"""All texts of the blocks of one message; `chat.postMessage` refuses more whatever the single limits allow."""
_SHOWN = frozenset({"text", "title", "caption", "label", "alt_text", "name"})
"""Fields whose strings are shown to people."""


def validate_blocks(blocks: object, surface: Surface = "message") -> list[str]:
    """Everything that Slack would refuse about these blocks on this surface, the total of their texts included."""
    problems = block_problems(blocks, surface)
    if not problems and surface == "message" and (length := block_texts_length(blocks)) > BLOCK_TEXT_TOTAL:
        problems.append(
            problem(f"the texts of all blocks have {length} characters, {BLOCK_TEXT_TOTAL} allowed", "/blocks")
        )
    return problems


def block_problems(blocks: object, surface: Surface) -> list[str]:
    """What makes `invalid_blocks`: one sentence with a JSON pointer for each fault."""
    rule = Items(Typed(BLOCKS, ALLOWED[surface]), MOST_BLOCKS[surface], least=0)
    found = list(rule.check(blocks, "/blocks"))
    if isinstance(blocks, list):
        found += _repeated_ids(blocks)
        found += _repeated_actions(blocks)
        found += _too_many_of_a_kind(blocks)
        found += _too_long_in_total(blocks)
        found += _several_focused(blocks)
        found += [] if surface == "modal" else _modal_elements(blocks)
    return found


def block_texts_length(blocks: object) -> int:
    """Characters of all the texts that the blocks show."""
    return sum(map(len, _texts(blocks)))


def elements_of(value: object) -> Iterator[dict[str, object]]:
    """Every object, at any depth, that carries an `action_id` or could."""
    if isinstance(value, list):
        for item in value:
            yield from elements_of(item)
    elif isinstance(value, dict):
        if "action_id" in value:
            yield value
        for item in value.values():
            yield from elements_of(item)


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif isinstance(value, dict):
        for name, part in value.items():
            if isinstance(part, str) and name in _SHOWN:
                yield part
            else:
                yield from _texts(part)


def _repeated(keys: list[object]) -> list[object]:
    return [key for key, count in Counter(keys).items() if count > 1]


def _repeated_ids(blocks: list[object]) -> list[str]:
    ids = [block.get("block_id") for block in blocks if isinstance(block, dict) and block.get("block_id")]
    return [problem(f"block_id {key} is used more than once", "/blocks") for key in _repeated(ids)]


def _repeated_actions(blocks: list[object]) -> list[str]:
    found = []
    for index, block in enumerate(blocks):
        ids = [element["action_id"] for element in elements_of(block)]
        found += [problem(f"action_id {key} is used more than once", f"/blocks/{index}") for key in _repeated(ids)]
    return found


def _of_type(blocks: list[object], kind: str) -> list[dict[str, object]]:
    return [block for block in blocks if isinstance(block, dict) and block.get("type") == kind]


def _too_many_of_a_kind(blocks: list[object]) -> list[str]:
    counts = {kind: len(_of_type(blocks, kind)) for kind in MOST_OF_A_KIND}
    return [
        problem(f"no more than {MOST_OF_A_KIND[kind]} {kind} blocks allowed, has {count}", "/blocks")
        for kind, count in counts.items()
        if count > MOST_OF_A_KIND[kind]
    ]


def _too_long_in_total(blocks: list[object]) -> list[str]:
    limits = {"markdown": MARKDOWN_TOTAL, "table": TABLE_TOTAL, "data_table": DATA_TABLE_TOTAL}
    totals = {kind: block_texts_length(_of_type(blocks, kind)) for kind in limits}
    return [
        problem(f"{kind} blocks have {total} characters, {limits[kind]} allowed", "/blocks")
        for kind, total in totals.items()
        if total > limits[kind]
    ]


def _several_focused(blocks: list[object]) -> list[str]:
    focused = [element for element in elements_of(blocks) if element.get("focus_on_load") is True]
    return [problem("only one element may have focus_on_load", "/blocks")] if len(focused) > 1 else []


def _modal_elements(blocks: list[object]) -> list[str]:
    elements = [block.get("element") for block in _of_type(blocks, "input")]
    kinds = {element.get("type") for element in elements if isinstance(element, dict)}
    return [problem(f"{kind} stands in modals only", "/blocks") for kind in sorted(MODAL_ONLY) if kind in kinds]
