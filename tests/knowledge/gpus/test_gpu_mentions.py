import pytest

from knowledge.gpus import mentions


def read(text: str) -> list[tuple[str | None, float | None]]:
    return [(mention.family, mention.memory_gb) for mention in mentions(text)]


SENTENCES = [
    ("will 16k context fit on 4×A100?", [("A100", None)]),
    ("r1 671b awq on 8xA100 80", [("A100", 80)]),
    ("a100 80 concurrent", [("A100", None)]),
    ("70b on 3xA100-80: 2 is too small", [("A100", 80)]),
    ("A100-80x4", [("A100", 80)]),
    ("A100 80 x 4", [("A100", 80)]),
    ("A100/80G", [("A100", 80)]),
    ("tesla p100, p40", [("P100", None), ("P40", None)]),
    ("八张 40G 的 A100，半精度", [("A100", 40)]),
    ("80g a100 x4", [("A100", 80)]),
    ("A100，每张80G", [("A100", 80)]),
    ("H100, 80GB each", [("H100", 80)]),
    ("A100 单卡 80G", [("A100", 80)]),
    ("on 8gb 3070?", [("RTX 3070", 8)]),
    ("2x4090 48G", [("RTX 4090", None)]),
    ("两张4090 48G", [("RTX 4090", None)]),
    ("one 4090 48G", [("RTX 4090", 48)]),
    ("4090*2 能跑多长", [("RTX 4090", None)]),
    ("mi300x8", [("MI300X", None)]),
    ("a100x8", [("A100", None)]),
    ("8×H100-80G", [("H100", 80)]),
    ("3080 + 3090 in one box", [("RTX 3080", None), ("RTX 3090", None)]),
    ("gpu: 4090", [("RTX 4090", None)]),
    ("gpu=4090", [("RTX 4090", None)]),
    ("昇腾 910B 64G 八卡 qwen3-235b w8a8", [("Ascend 910B", 64)]),
    ("显存80G 能跑吗", [(None, 80)]),
    ("takes 20GB vram on a 24GB gpu", [(None, 24)]),
    ("2x24GB", [(None, 24)]),
    ("A100 256GB RAM", [("A100", None)]),
    ("Qwen3.5-122B-A10B on 2 A10", [("A10", None)]),
    ("w4a16 on an A16", [("A16", None)]),
    ("MiniMax-M2.5 on 8 H20", [("H20", None)]),
    ("V1 engine on a v100, sm_70", [("V100", None)]),
    ("笔记本 4060", [("RTX 4060", 8)]),
    ("用 aws p5 跑", [("H100", None)]),
]


@pytest.mark.parametrize(("text", "expected"), SENTENCES, ids=[text for text, _ in SENTENCES])
def test_sentences_name_their_cards(text: str, expected: list[tuple[str | None, float | None]]) -> None:
    assert read(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "max-model-len 4090 tokens",
        "--max-model-len=4090",
        "k=3090",
        "port 3080",
        "localhost:3080",
        "上下文 4090",
        "1,4090 requests",
        "3060 ms",
        "3060 rps",
        "p100 latency",
        "ttft p50 and p100",
        "llama 3.1 8b",
        "p50 latency and p95",
        "a 100 GB file",
        "gpt4 says",
        "needs 20GB vram",
        "p5 is a percentile",
        "",
    ],
)
def test_numbers_versions_and_sizes_are_not_cards(text: str) -> None:
    assert read(text) == []


def test_spans_cover_the_name_and_its_memory() -> None:
    text = "qwen on 八张 40G 的 A100 跑"
    (mention,) = mentions(text)
    assert text[mention.start : mention.end] == "40G 的 A100"
    text = "two NVIDIA GeForce RTX 4090s please"
    (mention,) = mentions(text)
    assert text[mention.start : mention.end] == "NVIDIA GeForce RTX 4090s"


@pytest.mark.parametrize(
    ("text", "count"),
    [("p4d.24xlarge", 8), ("g5.12xlarge", 4), ("a2-highgpu-2g", 2), ("g2-standard-48", 4), ("p4d", None)],
)
def test_an_instance_says_how_many_cards_it_has(text: str, count: int | None) -> None:
    assert mentions(text)[0].count == count


def test_a_letter_whose_lower_case_is_longer_moves_nothing() -> None:
    text = "İİİ A100"
    (mention,) = mentions(text)
    assert text[mention.start : mention.end] == "A100"


@pytest.mark.parametrize(
    "text", [" " * 40_000 + "h100" + " " * 40_000, "显存 " * 13_000, "nvidia " * 6_000, "4 x " * 10_000]
)
def test_long_texts_are_read_to_the_end(text: str) -> None:
    assert len(mentions(text)) <= 1
