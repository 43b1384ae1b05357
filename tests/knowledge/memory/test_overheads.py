"""Libraries, communication buffers and CUDA graphs, against the logs; and which model runner a launch gets."""

from dataclasses import replace
from typing import Any

import pytest

from knowledge import catalogue
from knowledge.launch import Launch, Speculation
from knowledge.memory.cuda_graphs import cuda_graph_estimate, cuda_graphs, graph_count
from knowledge.memory.overheads import non_torch
from knowledge.memory.runner import runs_v2
from knowledge.shapes.layers import Layer, RecurrentState
from knowledge.units import GIB
from tests.knowledge.memory.starts import gpu, start

LLAMA = "meta-llama/Llama-3.1-8B-Instruct"
CARDS = {name: gpu(name) for name in ("H100 80GB", "A100 80GB", "H200", "L40S", "RTX 4090", "RTX 3090", "B200", "T4")}
SMALL: dict[str, Any] = {"max_num_seqs": 256, "max_num_batched_tokens": 2048}


@pytest.mark.parametrize(
    ("card", "version", "changes", "gib"),
    [
        pytest.param("H100 80GB", "0.19", {}, 0.25, id="h100"),
        pytest.param("H100 80GB", "0.15", {}, 0.13, id="h100-before-0.18"),
        pytest.param("RTX 4090", "0.10.2", SMALL, 0.02, id="4090-0.10"),
        pytest.param("RTX 4090", "0.20", SMALL, 0.06, id="4090"),
        pytest.param("A100 80GB", "0.31", SMALL, 0.13, id="a100-second-runner"),
        pytest.param("L40S", "0.28", SMALL, 1.33, id="l40s-since-the-start"),
        pytest.param("RTX 4090", "0.28", SMALL, 0.73, id="4090-since-the-start"),
        pytest.param("H100 80GB", "0.13", {"tp": 2}, 0.55, id="h100-tp2-0.13"),
        pytest.param("H100 80GB", "0.19", {"pp": 2}, 0.07, id="h100-stages"),
        pytest.param("L40S", "0.27", SMALL | {"tp": 4}, 1.7, id="pcie-since-the-start"),
        pytest.param("RTX 3090", "0.6.6", SMALL, 0.35, id="3090-v0"),
        pytest.param("T4", "0.7.3", SMALL, 0.01, id="t4-v0"),
        pytest.param("H100 80GB", "0.19", {"tp": 2}, 2.07, id="h100-tp2"),
        pytest.param("H100 80GB", "0.19", {"tp": 4}, 2.21, id="h100-tp4"),
        pytest.param("H200", "0.10.2", {"tp": 2}, 1.38, id="h200-tp2-0.10"),
        pytest.param("L40S", "0.19", SMALL | {"tp": 4}, 0.21, id="l40s-tp4"),
        pytest.param("B200", "0.24", {"tp": 4}, 0.95, id="b200-tp4"),
        pytest.param("RTX 4090", "0.7.2", SMALL | {"tp": 2}, 0.25, id="4090-tp2-v0"),
        pytest.param("H100 80GB", "0.6.2", SMALL | {"tp": 8}, 3.7, id="h100-tp8-before-0.6.4"),
    ],
)
def test_the_range_holds_what_was_logged(card: str, version: str, changes: dict[str, Any], gib: float) -> None:
    found = non_torch(start(LLAMA, CARDS[card], version, **changes))
    assert found.low <= gib * GIB <= found.high


def test_0_8_counts_the_cuda_context_too() -> None:
    before, after = (
        non_torch(start(LLAMA, CARDS["H100 80GB"], version)).expected / GIB for version in ("0.8.5", "0.9.2")
    )
    assert before - after == pytest.approx(0.48)


def test_an_unlisted_card_is_taken_by_its_size() -> None:
    small, large = (non_torch(start(LLAMA, gpu(total_gib=total), "0.20")).expected / GIB for total in (15.5, 93.0))
    assert [small, large] == pytest.approx([0.16, 0.25])


def test_data_parallel_experts_communicate_and_dense_replicas_do_not() -> None:
    dense, experts = (
        non_torch(start(model, CARDS["H100 80GB"], "0.19", dp=8)).expected / GIB
        for model in (LLAMA, "Qwen/Qwen1.5-MoE-A2.7B")
    )
    assert [dense, experts] == pytest.approx([0.25, 2.1])


@pytest.mark.parametrize(
    ("version", "seqs", "graphs"),
    [("0.19", 256, 51 + 35), ("0.19", 32, 11 + 7), ("0.19", 8, 5 + 4), ("0.22", 128, 35 + 19), ("0.11", 256, 67 + 35)],
)
def test_graphs_are_counted_as_the_logs_show(version: str, seqs: int, graphs: int) -> None:
    assert graph_count(start(LLAMA, CARDS["L40S"], version, max_num_seqs=seqs)) == graphs


def test_older_versions_capture_one_set_of_graphs() -> None:
    launch = start(LLAMA, CARDS["L40S"], "0.10.2", max_num_seqs=1024)
    assert graph_count(launch) == 67
    assert graph_count(replace(launch, version=start(LLAMA, CARDS["L40S"], "0.6.6").version)) == 35


def test_speculation_captures_whole_verification_steps() -> None:
    launch = start(LLAMA, CARDS["L40S"], "0.19", max_num_seqs=8, speculation=Speculation("eagle3", 3))
    assert graph_count(launch) == graph_count(replace(launch, speculation=None, max_num_seqs=32))


def graphs(launch: Launch) -> float:
    """GiB that captured graphs take, as expected."""
    return cuda_graphs(launch).expected / GIB


@pytest.mark.parametrize(
    ("model", "card", "version", "changes", "gib"),
    [
        pytest.param("Qwen/Qwen2.5-7B-Instruct", "L40S", "0.22", {"max_num_seqs": 128}, 0.37, id="qwen-7b-54-graphs"),
        pytest.param("google/gemma-7b", "H100 80GB", "0.19", {}, 0.84, id="gemma-7b"),
        pytest.param("meta-llama/CodeLlama-7b-hf", "H100 80GB", "0.19", {}, 0.84, id="codellama"),
        pytest.param("Qwen/Qwen1.5-MoE-A2.7B", "H100 80GB", "0.19", {}, 0.82, id="experts"),
        pytest.param("meta-llama/Llama-3.3-70B-Instruct", "H100 80GB", "0.19", {"tp": 4}, 1.7, id="llama-70b"),
        pytest.param("Qwen/Qwen2.5-72B-Instruct", "L40S", "0.19", SMALL | {"tp": 4}, 2.73, id="qwen-72b-over-pcie"),
        pytest.param("Qwen/Qwen3-8B-FP8", "RTX 4090", "0.10.2", SMALL, 0.68, id="before-decode-graphs"),
        pytest.param(LLAMA, "A100 80GB", "0.31", SMALL, 1.18, id="second-runner-measures"),
        pytest.param(
            "deepseek-ai/DeepSeek-V2-Lite-Chat", "H100 80GB", "0.19", {}, 1.39, id="latents-have-a-larger-base"
        ),
        pytest.param("Qwen/Qwen2.5-1.5B-Instruct", "T4", "0.7.3", SMALL, 0.17, id="old-engine"),
    ],
)
def test_graph_memory_is_about_what_was_logged(
    model: str, card: str, version: str, changes: dict[str, Any], gib: float
) -> None:
    launch = start(model, CARDS[card], version, **changes)
    assert graphs(launch) == pytest.approx(gib, rel=0.4)
    assert cuda_graphs(launch).low <= gib * GIB <= cuda_graphs(launch).high


@pytest.mark.parametrize(
    ("model", "version", "changes", "set_aside"),
    [
        pytest.param(LLAMA, "0.19", {}, False, id="before-0.20-on-top"),
        pytest.param(LLAMA, "0.20", {}, True, id="from-0.20-within"),
        pytest.param(LLAMA, "0.20", {"enforce_eager": True}, False, id="eager"),
        pytest.param(LLAMA, "0.28", {}, False, id="second-runner-did-not-estimate"),
        pytest.param(LLAMA, "0.29", {}, True, id="second-runner-measures"),
        pytest.param("Qwen/Qwen1.5-MoE-A2.7B", "0.22", {}, True, id="first-runner"),
    ],
)
def test_graphs_are_set_aside_by_version_and_runner(
    model: str, version: str, changes: dict[str, Any], set_aside: bool
) -> None:
    assert (cuda_graph_estimate(start(model, CARDS["H100 80GB"], version, **changes)).expected > 0) is set_aside


@pytest.mark.parametrize(
    ("model", "quantization", "version", "second"),
    [
        ("Qwen/Qwen3-14B", None, "0.21", False),
        ("Qwen/Qwen3-14B", None, "0.22", True),
        (LLAMA, None, "0.22", False),
        (LLAMA, None, "0.23", True),
        (LLAMA, "fp8", "0.23", False),
        (LLAMA, "fp8", "0.24", True),
        ("Qwen/Qwen2.5-7B-Instruct", None, "0.24", False),
        ("Qwen/Qwen2.5-7B-Instruct", None, "0.25", True),
        ("Qwen/Qwen3-30B-A3B", None, "0.28", False),
        ("Qwen/Qwen1.5-MoE-A2.7B", None, "0.28", True),
        ("Qwen/Qwen3-30B-A3B", None, "0.29", True),
    ],
)
def test_the_second_runner_comes_model_by_model(
    model: str, quantization: str | None, version: str, second: bool
) -> None:
    assert runs_v2(start(model, CARDS["H100 80GB"], version, quantization)) is second


def test_hybrids_and_deepseek_v4_get_it_later() -> None:
    shape = catalogue.resolve(LLAMA)
    hybrid = replace(shape, layers=(Layer((RecurrentState("gdn", ((1, 2),)),)), *shape.layers))
    v4 = replace(shape, architecture="DeepseekV4ForCausalLM", experts=256)
    for changed, version, second in ((hybrid, "0.28", False), (v4, "0.27", False), (v4, "0.28", True)):
        launch = replace(start(LLAMA, CARDS["H100 80GB"], version), shape=changed)
        assert runs_v2(launch) is second
    assert graphs(replace(start(LLAMA, CARDS["H100 80GB"], "0.19"), shape=hybrid)) > graphs(
        start(LLAMA, CARDS["H100 80GB"], "0.19")
    )
