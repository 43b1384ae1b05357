from dataclasses import replace

import pytest

from knowledge import defaults
from knowledge.gpus import find
from knowledge.versions import parse


@pytest.mark.parametrize(("version", "share"), [("0.19.1", 0.90), ("0.20.0", 0.92), ("0.33", 0.92)])
def test_utilization_rose_when_graphs_came_into_the_budget(version: str, share: float) -> None:
    assert defaults.utilization(parse(version)) == share


# (batched tokens, sequences) of the API server as the release sources set them, by version and card.
BATCH = [
    ("0.32", "L4", 2048, 256),
    ("0.32", "RTX 4090", 2048, 256),
    ("0.32", "A100 80G", 2048, 256),
    ("0.32", "A800", 8192, 1024),
    ("0.32", "H100", 8192, 1024),
    ("0.32", "H20", 8192, 1024),
    ("0.32", "RTX PRO 6000", 8192, 1024),
    ("0.32", "B200", 16384, 1024),
    ("0.32", "MI300X", 16384, 1024),
    ("0.32", "DGX Spark", 8192, 1024),
    ("0.33", "DGX Spark", 2048, 256),
    ("0.27", "B200", 8192, 1024),
    ("0.8.5", "A100 80G", 8192, 1024),
    ("0.9.0", "A100 80G", 2048, 256),
    ("0.8.4", "H100", 8192, 1024),
    ("0.8.4", "A100 80G", 2048, 256),
    ("0.8.4", "H20", 2048, 256),
    ("0.8.0", "H100", 8192, 1024),
    ("0.8.0", "L4", 2048, 1024),
    ("0.7.3", "H100", 2048, 256),
    ("0.4.0", "L4", 2048, 256),
]


@pytest.mark.parametrize(("version", "card", "tokens", "seqs"), BATCH, ids=[f"{v} {c}" for v, c, _, _ in BATCH])
def test_batch_defaults_by_version_and_card(version: str, card: str, tokens: int, seqs: int) -> None:
    assert defaults.batch(parse(version), find(card)[0]) == (tokens, seqs)


def test_a_host_without_gpus_counts_its_ranks() -> None:
    cpu = replace(find("L4")[0], vendor=defaults.CPU)
    assert defaults.batch(parse("0.32"), cpu, world=2) == (4096, 256)
    assert defaults.batch(parse("0.9"), cpu, world=2) == (2048, 256)


@pytest.mark.parametrize(
    ("version", "context", "settled"),
    [
        pytest.param("0.6.3", 8192, (8192, 256), id="V0 takes a whole prompt at once"),
        pytest.param("0.6.3", 65536, (512, 256), id="but chunks long ones, 512 tokens at first"),
        pytest.param("0.7.3", 65536, (2048, 256), id="then 2048"),
        pytest.param("0.32", 8192, (2048, 256), id="V1 always chunks"),
        pytest.param("0.32", 4, (1024, 256), id="a batch holds no more than all sequences have"),
        pytest.param("0.10.2", 4, (2048, 256), id="which was not looked at before"),
    ],
)
def test_the_context_has_its_say(version: str, context: int, settled: tuple[int, int]) -> None:
    assert defaults.settled(parse(version), find("A10")[0], context) == settled


def test_sequences_fit_into_the_batch_since_0_10_1() -> None:
    assert defaults.capped(parse("0.10.1"), 128, 256, 4096) == (128, 128)
    assert defaults.capped(parse("0.10.0"), 128, 256, 4096) == (128, 256)


def test_a_block_is_16_tokens_but_on_gaudi() -> None:
    assert defaults.block_size(find("H100")[0]) == 16
    assert defaults.block_size(find("gaudi 3")[0]) == 128
