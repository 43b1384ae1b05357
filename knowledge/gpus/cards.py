"""The cards: what the driver really reports of each, and how an unlisted one is computed from its memory."""

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import Any

from knowledge.units import Range


class Link(StrEnum):
    """What joins the cards of one host."""

    NVLINK = "nvlink"
    PCIE = "pcie"
    FABRIC = "fabric"  # AMD Infinity Fabric, Huawei HCCS, Gaudi RoCE


@dataclass(frozen=True, slots=True, kw_only=True)
class Gpu:
    """One card. `name` tells it from every other (A100-80GB), `family` is what people call it (A100).

    `total_gib` is the total that torch reports, which is what vLLM multiplies by --gpu-memory-utilization.
    `device_name` is the driver's, by which vLLM chooses defaults. Unlisted cards are computed from a stated memory alone.
    `on_request` cards share their family's name and are meant only when their memory is said (the 141 GB H20).
    `status` says how the total is known: measured, assumed, estimated, reported, computed or stated.
    """

    name: str
    family: str
    vendor: str
    memory_gb: int
    total_gib: Range
    link: Link
    device_name: str = ""
    compute_capability: tuple[int, int] | None = None
    native_bf16: bool = True
    native_fp8: bool = False
    bandwidth_gbs: float | None = None
    listed: bool = True
    also_gb: tuple[int, ...] = ()
    on_request: bool = False
    status: str = "measured"


@lru_cache(maxsize=1)
def tables() -> dict[str, Any]:
    """The data file as it stands: `listed`, `unlisted` and `instances`."""
    import tomllib

    return tomllib.loads((Path(__file__).parents[1] / "data" / "gpus.toml").read_text(encoding="utf-8"))


@lru_cache(maxsize=1)
def all_gpus() -> tuple[Gpu, ...]:
    """Every listed card."""
    return tuple(_card(row) for row in tables()["listed"])


def _card(row: dict[str, Any]) -> Gpu:
    low, high = row["total_gib"]
    return Gpu(
        name=row["name"],
        family=row["family"],
        vendor=row["vendor"],
        memory_gb=row["memory_gb"],
        total_gib=Range(low, round((low + high) / 2, 3), high),
        link=Link(row["link"]),
        device_name=row["device_name"],
        compute_capability=_capability(row),
        native_bf16=row["bf16"],
        native_fp8=row["fp8"],
        bandwidth_gbs=row["bandwidth"],
        also_gb=tuple(row.get("also_gb", ())),
        on_request=row.get("on_request", False),
        status=row["status"],
    )


def _capability(row: dict[str, Any]) -> tuple[int, int] | None:
    return (row["capability"][0], row["capability"][1]) if "capability" in row else None


def of_family(row: dict[str, Any], gb: float) -> Gpu:
    """A card of an unlisted family (a row of the data file) with `gb` of memory."""
    capability = _capability(row)
    nvidia = row["vendor"] == "NVIDIA"
    template = Gpu(
        name=row["family"],
        family=row["family"],
        vendor=row["vendor"],
        memory_gb=0,
        total_gib=Range.exact(0),
        link=Link(row.get("link", "pcie")),
        device_name=f"NVIDIA {row['family']}" if nvidia else row["family"],
        compute_capability=capability,
        native_bf16=not nvidia or (capability is not None and capability >= (8, 0)),
        native_fp8=bool(row.get("fp8")) or (capability is not None and capability >= (8, 9)),
    )
    return computed(template, gb)


def computed(template: Gpu, gb: float) -> Gpu:
    """`template` with another memory, its total computed from the nominal size."""
    named = template.name if template.name.endswith(" GPU") else f"{template.family} {gb:g}GB"
    return replace(
        template,
        name=named,
        memory_gb=round(gb),
        total_gib=_nominal(template.vendor, template.family, gb),
        listed=False,
        also_gb=(),
        on_request=False,
        status="computed",
    )


def _nominal(vendor: str, family: str, gb: float) -> Range:
    """What torch reports (GiB) of a card sold with `gb`, fitted on the 57 listed cards so that each lies inside its range.

    GeForce keeps 0.2 to 0.65 GiB back (13 cards, 10 to 32 GB); ECC takes 6 % more on professional Ampere and Ada cards,
    so any other NVIDIA card lies anywhere from 0.91 to 0.994 of its size (20 cards); AMD reports nearly all of it (7).
    """
    if vendor == "NVIDIA" and re.match(r"(?:GTX|RTX) \d0[5-9]0\b", family):
        return Range(gb - max(0.56, gb * 0.03), gb - max(0.3, gb * 0.018), gb - 0.2)
    if vendor == "AMD":
        return Range(gb * 0.98, gb * 0.998, gb)
    return Range(gb * 0.91, gb * 0.97, gb * 0.996)


def with_total(gpu: Gpu, gib: float) -> Gpu:
    """`gpu` with the total that its own driver reports, in GiB: known, not a range."""
    return replace(gpu, total_gib=Range.exact(gib), status="stated")


def nameless(gb: float) -> Gpu:
    """A card of which only the size it is sold with is known."""
    return labelled(f"{gb:g} GB GPU", gb)


def labelled(label: str, gb: float) -> Gpu:
    """A card that no table has, computed from its size alone."""
    unknown = Gpu(
        name=label, family=label, vendor="unknown", memory_gb=0, total_gib=Range.exact(0), link=Link.PCIE, listed=False
    )
    return replace(computed(unknown, gb), name=label)
