from typing import Any

import pytest

from knowledge.errors import Refusal
from knowledge.gpus import Gpu, Link, all_gpus, find, from_memory, with_total


def test_lists_57_cards_each_under_a_name_of_its_own() -> None:
    names = [gpu.name for gpu in all_gpus()]
    assert len(names) == len(set(names)) == 57


@pytest.mark.parametrize("gpu", all_gpus(), ids=lambda gpu: gpu.name)
def test_every_card_is_found_by_its_own_name(gpu: Gpu) -> None:
    assert gpu in find(gpu.name)
    assert find(f"{gpu.family} {gpu.memory_gb}GB")[0].family == gpu.family


@pytest.mark.parametrize("gpu", all_gpus(), ids=lambda gpu: gpu.name)
def test_a_total_is_never_more_than_the_nominal_size(gpu: Gpu) -> None:
    assert 0 < gpu.total_gib.low <= gpu.total_gib.expected <= gpu.total_gib.high <= gpu.memory_gb


# What public logs show: torch's totals of 24 GB and 80 GB cards, and the nominal size never.
@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("A100-80GB", 79.14, 79.33),
        ("A100-40GB", 39.38, 39.59),
        ("RTX 4090", 23.52, 23.68),
        ("H100-80GB", 79.1, 79.22),
        ("L40S", 44.39, 44.52),
        ("T4", 14.56, 14.75),
        ("MI300X", 191.69, 191.98),
    ],
)
def test_totals_are_what_torch_reports(name: str, low: float, high: float) -> None:
    total = next(gpu for gpu in all_gpus() if gpu.name == name).total_gib
    assert (total.low, total.high) == (low, high)


TYPED = [
    ("A100", ["A100-80GB", "A100-40GB"]),
    ("a100s", ["A100-80GB", "A100-40GB"]),
    ("A100 80G", ["A100-80GB"]),
    ("A100-40G", ["A100-40GB"]),
    ("A100-SXM4-80GB", ["A100-80GB"]),
    ("NVIDIA A100 80GB PCIe", ["A100-80GB-PCIe"]),
    ("A100-PCIE-40GB", ["A100-40GB-PCIe"]),
    ("A100 PCIe", ["A100-80GB-PCIe", "A100-40GB-PCIe"]),
    ("V100", ["V100-16GB", "V100-32GB"]),
    ("V100 32G", ["V100-32GB"]),
    ("H100", ["H100-80GB"]),
    ("NVIDIA H100 80GB HBM3", ["H100-80GB"]),
    ("h100 nvl", ["H100-NVL-94GB"]),
    ("H100 NVL 94gb", ["H100-NVL-94GB"]),
    ("H100 94G", ["H100-NVL-94GB"]),
    ("H20", ["H20-96GB"]),
    ("H20 141G", ["H20-141GB"]),
    ("H20-3e", ["H20-141GB"]),
    ("4090", ["RTX 4090"]),
    ("RTX4090", ["RTX 4090"]),
    ("rtx 4090 24g", ["RTX 4090"]),
    ("NVIDIA GeForce RTX 4090", ["RTX 4090"]),
    ("3090ti", ["RTX 3090"]),
    ("6000 ada", ["RTX 6000 Ada"]),
    ("rtx 6000 96G", ["RTX PRO 6000"]),
    ("rtx6000 pro", ["RTX PRO 6000"]),
    ("NVIDIA RTX PRO 6000 Blackwell Server Edition", ["RTX PRO 6000"]),
    ("Tesla T4", ["T4"]),
    ("T4 15G", ["T4"]),
    ("mi300x", ["MI300X"]),
    ("MI250X 128GB", ["MI250X"]),
    ("gb200", ["GB200"]),
    ("B200 192GB", ["B200"]),
    ("DGX Spark", ["DGX Spark"]),
    ("昇腾910B", ["Ascend 910B"]),
    ("昇腾 910B 64G", ["Ascend 910B"]),
    ("Ａ１００ ８０Ｇ", ["A100-80GB"]),
    ("p4d", ["A100-40GB"]),
    ("g5", ["A10G"]),
    ("g6e.12xlarge", ["L40S"]),
    ("a3-highgpu-8g", ["H100-80GB"]),
]


@pytest.mark.parametrize(("text", "names"), TYPED, ids=[text for text, _ in TYPED])
def test_names_that_people_type(text: str, names: list[str]) -> None:
    assert [gpu.name for gpu in find(text)] == names


UNLISTED = [
    ("4090 48G", "RTX 4090", 48),
    ("3070 8G", "RTX 3070", 8),
    ("RTX 3070", "RTX 3070", 8),
    ("3060 8g", "RTX 3060", 8),
    ("2080ti 22g", "RTX 2080 Ti", 22),
    ("RTX 5060 Ti 16GB", "RTX 5060 Ti", 16),
    ("GH200 144G", "GH200", 144),
    ("L20", "L20", 48),
    ("P40", "P40", 24),
    ("RTX 4090 Laptop GPU", "RTX 4090", 16),
    ("24G", "24 GB GPU", 24),
]


@pytest.mark.parametrize(("text", "family", "gb"), UNLISTED, ids=[text for text, _, _ in UNLISTED])
def test_cards_without_a_line_are_computed_from_their_memory(text: str, family: str, gb: Any) -> None:
    (gpu,) = find(text)
    assert (gpu.family, gpu.memory_gb, gpu.listed) == (family, gb, False)
    assert gb * 0.9 < gpu.total_gib.low < gpu.total_gib.high < gb


def test_a_modded_card_keeps_what_is_not_memory() -> None:
    stock, modded = find("4090")[0], find("4090 48G")[0]
    assert (modded.compute_capability, modded.bandwidth_gbs) == (stock.compute_capability, stock.bandwidth_gbs)


# Cards whose total has other reasons than their memory: unified memory, or dies fused off.
SPECIAL = {"DGX Spark", "Strix Halo", "B300", "GB300", "Arc Pro B60", "MI250X"}


@pytest.mark.parametrize("gpu", [gpu for gpu in all_gpus() if gpu.name not in SPECIAL], ids=lambda gpu: gpu.name)
def test_the_computed_range_holds_what_listed_cards_of_that_size_report(gpu: Gpu) -> None:
    from knowledge.gpus.cards import computed

    total = computed(gpu, gpu.memory_gb).total_gib
    assert total.low <= gpu.total_gib.low
    assert gpu.total_gib.high <= total.high


def test_a_memory_said_elsewhere_decides_between_cards() -> None:
    assert [gpu.name for gpu in find("A100", memory_gb=40)] == ["A100-40GB"]
    assert find("rtx 6000", memory_gb=96)[0].name == "RTX PRO 6000"
    assert find("mystery card", memory_gb=32)[0].memory_gb == 32


def test_a_total_as_the_driver_reports_it_is_exact() -> None:
    gpu = from_memory("RTX 3090", gib=23.58)
    assert (gpu.name, gpu.listed, gpu.total_gib.low, gpu.total_gib.high) == ("RTX 3090", True, 23.58, 23.58)
    assert from_memory(None, gib=39.39).total_gib.expected == 39.39
    assert with_total(gpu, 23.6).total_gib.expected == 23.6


def test_a_card_that_nobody_knows_is_named_as_it_was_typed() -> None:
    assert from_memory("Zhaoxin X9", gb=48).name == "Zhaoxin X9"
    assert from_memory(None, gb=48).name == "48 GB GPU"


@pytest.mark.parametrize("gb", [None, 0, -8, 1e12, float("nan")])
def test_a_memory_that_no_card_has_is_refused(gb: Any) -> None:
    with pytest.raises(Refusal) as refusal:
        from_memory("X", gb=gb)
    assert refusal.value.code == "gpu-memory"


def test_an_unknown_name_is_refused_with_the_nearest() -> None:
    with pytest.raises(Refusal) as refusal:
        find("RTX 4099")
    assert refusal.value.code == "unknown-gpu"
    assert "RTX 4090" in refusal.value.facts["near"]
    with pytest.raises(Refusal) as refusal:
        find("?!")
    assert refusal.value.facts["near"] == []


def test_a_name_sold_in_many_sizes_asks_for_the_memory() -> None:
    with pytest.raises(Refusal) as refusal:
        find("macbook")
    assert refusal.value.code == "gpu-memory-needed"


def test_links_and_number_formats_differ_by_card() -> None:
    by_name = {gpu.name: gpu for gpu in all_gpus()}
    assert by_name["A100-80GB"].link is Link.NVLINK
    assert by_name["A100-80GB-PCIe"].link is Link.PCIE
    assert by_name["MI300X"].link is Link.FABRIC
    assert not by_name["T4"].native_bf16
    assert not by_name["A100-80GB"].native_fp8
    assert by_name["L4"].native_fp8


@pytest.mark.parametrize("name", ["MI308X", "MI300A", "RX 9070 XT"])
def test_an_unlisted_amd_card_may_have_fp8(name: str) -> None:
    assert find(name)[0].native_fp8
