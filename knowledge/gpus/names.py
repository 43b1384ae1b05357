"""The vocabulary of GPU names, and the cards that a name means at a given memory."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from knowledge.gpus.cards import Gpu, Link, all_gpus, computed, of_family, tables

PIECE = re.compile(r"(?<=\d)x(?=\d|[a-z]{1,4}\d)|[a-z]+|\d+|昇腾|海光|昆仑芯?|沐曦|曦云")


@dataclass(frozen=True, slots=True)
class Name:
    """What one name may mean: listed cards, the likeliest first, and the row of an unlisted family."""

    family: str
    cards: tuple[Gpu, ...]
    row: dict[str, Any] | None

    def meant(self) -> list[Gpu]:
        """The cards it means when no memory is said."""
        family = [card for card in self.cards if card.family == self.family]
        own = [card for card in family if not card.on_request] or family
        sizes = self.row["memory_gb"] if self.row else []
        return own + [self.of_size(gb) for gb in sizes]

    def of_size(self, gb: float) -> Gpu:
        """An unlisted card of this name."""
        if self.cards:
            return computed(self.cards[0], gb)
        assert self.row is not None
        return of_family(self.row, gb)


@lru_cache(maxsize=1)
def vocabulary() -> dict[str, Name]:
    """Every known name, squashed (`rtx 4090` is `rtx4090`), and what it means."""
    cards: dict[str, list[Gpu]] = {}
    rows: dict[str, dict[str, Any]] = {}
    for row, card in zip(tables()["listed"], all_gpus(), strict=True):
        for name in dict.fromkeys(map(squash, (*row["names"], card.family))):
            cards.setdefault(name, []).append(card)
    for row in tables()["unlisted"]:
        for name in dict.fromkeys(map(squash, (*row["names"], row["family"]))):
            rows.setdefault(name, row)
    return {
        name: Name(
            cards[name][0].family if name in cards else rows[name]["family"],
            tuple(cards.get(name, ())),
            rows.get(name),
        )
        for name in {**cards, **rows}
    }


def squash(name: str) -> str:
    """`name` as the vocabulary has it: lower case, letters and digits only."""
    return "".join(PIECE.findall(fold(name)))


_WIDE = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}


def fold(text: str) -> str:
    """`text` in lower case and ASCII widths, character by character, so that offsets stay."""
    if text.isascii():
        return text.lower()
    text = text.translate(_WIDE)
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def candidates(name: str, gb: float | None, *, pcie: bool = False) -> tuple[Gpu, ...]:
    """The cards that a vocabulary name or a family means, likeliest first, at `gb` of memory where that is said."""
    known = vocabulary()[squash(name)]
    found = known.meant() if gb is None else [card for card in known.cards if _holds(card, gb)] or [known.of_size(gb)]
    return tuple(_of_form(found, pcie=pcie))


def _holds(card: Gpu, gb: float) -> bool:
    """Whether `gb`, nominal or as the driver reports it, is this card's memory."""
    near = any(abs(gb - size) <= 0.03 * size for size in (card.memory_gb, *card.also_gb))
    return near or card.total_gib.low * 0.985 <= gb <= card.memory_gb


def _of_form(cards: list[Gpu], *, pcie: bool) -> Iterator[Gpu]:
    wired = {card.memory_gb for card in cards if card.link is Link.NVLINK}
    plain = {card.memory_gb for card in cards if card.link is Link.PCIE}
    for card in cards:
        if pcie and card.link is Link.NVLINK:
            if card.memory_gb not in plain:
                device = re.sub(r"SXM\d", "PCIE", card.device_name)
                yield replace(card, link=Link.PCIE, name=f"{card.name}-PCIe", device_name=device)
        elif pcie or card.link is not Link.PCIE or card.memory_gb not in wired:
            yield card


def nearest(text: str) -> list[str]:
    """At most two families whose names are nearest to a mistyped one."""
    from rapidfuzz import fuzz, process

    families = dict.fromkeys(name.family for name in vocabulary().values())
    found = process.extract(
        squash(text)[:60], {family: squash(family) for family in families}, scorer=fuzz.ratio, score_cutoff=60, limit=2
    )
    return [family for _, _, family in found]
