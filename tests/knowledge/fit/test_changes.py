"""What would change a verdict: single changes, two together, and what is not enough but more."""

from typing import Any

import pytest

from knowledge.fit.estimate import Change, Estimate
from knowledge.fit.estimator import as_json, estimates
from knowledge.fit.request import FitRequest
from knowledge.memory.judgement import Verdict

LLAMA_70B = "meta-llama/Llama-3.3-70B-Instruct"
DEEPSEEK = "deepseek-ai/DeepSeek-V3.1"
PHI = "microsoft/Phi-3.5-mini-instruct"


def one(**said: Any) -> Estimate:
    return estimates(FitRequest(**said))[0]


def by_kind(estimate: Estimate) -> dict[str, Change]:
    return {change.kind: change for change in estimate.changes}


def test_a_context_that_was_asked_is_not_cut_to_a_fraction() -> None:
    # 18 requests of 13,088 tokens at 384 KiB a token take 86 GiB; a 24 GB card holds a tenth of that
    estimate = one(model=PHI, gpu="A10G", context=13_088, concurrency=18)
    shorter = by_kind(estimate).get("context")
    assert shorter is None or 4 * int(shorter.to) >= 13_088


def test_a_context_that_nobody_asked_may_shrink_with_a_lighter_build() -> None:
    # 37 GiB of 4-bit weights leave some 32 of 72.9 GiB; 131,072 tokens at 320 KiB would take 40
    estimate = one(model=LLAMA_70B, gpu="A100-80GB")
    build = next(change for change in estimate.changes if change.kind == "quantization" and change.also_kind)
    assert build.verdict is Verdict.FITS
    assert (build.also_kind, build.also_flag) == ("context", "--max-model-len")
    assert f"--max-model-len {build.also_to}" in build.serve_command
    assert 65_536 <= int(build.also_to) < 131_072


def test_two_changes_are_tried_where_none_alone_is_enough() -> None:
    # 8.58 GiB a request on every GPU of a split: 64 of 80 GB hold about 50 of 16 bits, twice as many in FP8
    estimate = one(model=DEEPSEEK, gpu="H800", count=16, context=131_072, concurrency=60)
    together = [change for change in estimate.changes if change.also_kind]
    assert together
    assert together[0].verdict is Verdict.FITS
    told = as_json(estimate)["changes"][estimate.changes.index(together[0])]
    assert told["also"] == {"flag": together[0].also_flag, "to": together[0].also_to}


def test_where_nothing_is_enough_what_holds_more_is_listed() -> None:
    estimate = one(model=LLAMA_70B, gpu="A100-80GB", count=4, context=131_072, concurrency=5000)
    assert estimate.changes
    assert {change.verdict for change in estimate.changes} == {Verdict.DOES_NOT_FIT}
    held = [change.max_concurrency for change in estimate.changes]
    assert held == sorted(held, reverse=True)
    assert all("Not enough, but more" in change.effect for change in estimate.changes)
    assert estimate.serve_command is not None  # what was asked starts, and only holds fewer


def test_an_mla_cache_is_spread_by_copies_not_by_a_wider_split() -> None:
    # each of 8 GPUs keeps the whole latent cache under TP 8, an eighth of the requests under DP 8
    asked = {"model": DEEPSEEK, "gpu": "H200", "count": 8, "context": 131_072, "concurrency": 8}
    copies = by_kind(one(**asked))["copies"]
    assert copies.flag == "--data-parallel-size"
    assert "--enable-expert-parallel" in copies.serve_command
    assert f"--data-parallel-size {copies.to}" in copies.serve_command


def test_what_the_same_gpus_can_do_better_is_told_beside_what_takes_more() -> None:
    estimate = one(model=DEEPSEEK, gpu="H800", count=16, context=131_072, concurrency=60)
    better = by_kind(estimate)["copies"]
    assert better.verdict is Verdict.DOES_NOT_FIT
    assert better.max_concurrency > (estimate.max_concurrency.expected if estimate.max_concurrency else 0)
    assert estimate.changes[0].verdict is Verdict.FITS


def test_a_stated_layout_is_left_alone() -> None:
    asked = {"model": DEEPSEEK, "gpu": "H200", "tp": 8, "context": 131_072, "concurrency": 8}
    assert "copies" not in by_kind(one(**asked))


def test_a_start_that_is_not_sure_gets_the_context_that_is() -> None:
    estimate = one(model="mistralai/Mistral-Small-3.2-24B-Instruct-2506", gpu="A100-40GB", count=2)
    if estimate.verdict is Verdict.UNCERTAIN and estimate.changes[0].kind == "context":
        assert estimate.serve_command == estimate.changes[0].serve_command
        assert estimate.command_change == "context"


def test_an_old_card_gets_a_build_that_runs_on_it() -> None:
    # AWQ needs compute capability 7.5, V100 has 7.0
    build = by_kind(one(model="Qwen/Qwen3-14B", gpu="V100-16GB", context=8192))["quantization"]
    assert "gptq" in build.to


def test_ascend_is_offered_w8a8_and_nothing_else() -> None:
    estimate = one(model=LLAMA_70B, gpu="Ascend 910B", count=1, context=8192)
    builds = [change.to for change in estimate.changes if change.kind == "quantization"]
    assert all("int8" in build or "w8a8" in build for build in builds)


@pytest.mark.parametrize(
    ("concurrency", "known"), [pytest.param(None, False, id="one"), pytest.param(8, True, id="eight")]
)
def test_the_longest_context_of_several_requests(concurrency: int | None, known: bool) -> None:
    estimate = one(model="Qwen/Qwen3-8B", gpu="L4", concurrency=concurrency)
    assert (estimate.max_context_together is not None) is known
    if estimate.max_context_together and estimate.max_context:
        # eight at once: an eighth of the cache each, in whole blocks of 16 tokens
        assert estimate.max_context_together.expected <= estimate.max_context.expected / 8 + 16


@pytest.mark.parametrize(
    ("model", "card", "refused"),
    [
        # get_min_capability in 0.32.0: AutoAWQ and WNA16 75, AutoGPTQ 60, Mxfp4 80, Fp8 75
        pytest.param("Qwen/Qwen3-14B-AWQ", "V100-32GB", True, id="awq-7.0"),
        pytest.param("Qwen/Qwen3-14B-AWQ", "T4", False, id="awq-7.5"),
        pytest.param("Qwen/Qwen2.5-7B-Instruct-GPTQ-Int4", "V100-32GB", False, id="gptq-7.0"),
        pytest.param("openai/gpt-oss-20b", "T4", True, id="mxfp4-7.5"),
        pytest.param("openai/gpt-oss-20b", "A10G", False, id="mxfp4-8.6"),
        pytest.param("Qwen/Qwen3-14B-FP8", "V100-32GB", True, id="fp8-7.0"),
        pytest.param("Qwen/Qwen3-14B", "V100-32GB", False, id="bf16-7.0"),
        pytest.param("Qwen/Qwen3-14B-AWQ", "MI300X", False, id="amd"),
    ],
)
def test_weights_that_vllm_refuses_on_a_card(model: str, card: str, refused: bool) -> None:
    estimate = one(model=model, gpu=card, context=4096)
    assert ("build-refused-by-card" in estimate.notes) is refused
    assert not refused or estimate.command_change is not None or estimate.serve_command is None


def test_where_weights_are_refused_only_what_starts_is_offered() -> None:
    refused = by_kind(one(model="Qwen/Qwen2.5-7B-Instruct-AWQ", gpu="V100-16GB", context=8192))
    assert set(refused) == {"quantization", "other-gpu"}
    assert refused["quantization"].to == "Qwen/Qwen2.5-7B-Instruct-GPTQ-Int4"
    shorter = by_kind(one(model="Qwen/Qwen3-32B-AWQ", gpu="V100-32GB"))["quantization"]
    assert (shorter.to, shorter.also_kind) == ("gptq-int4", "context")


@pytest.mark.parametrize(
    ("model", "checkpoint"),
    [
        pytest.param("Qwen/Qwen3-32B", "Qwen/Qwen3-32B-AWQ", id="by-another-method"),
        pytest.param(LLAMA_70B, "RedHatAI/Llama-3.3-70B-Instruct-quantized.w4a16", id="listed"),
        pytest.param("Qwen/Qwen3-30B-A3B-Instruct-2507", "./Qwen3-30B-A3B-Instruct-2507-int4", id="to-be-found"),
    ],
)
def test_four_bits_are_served_from_a_build_that_exists(model: str, checkpoint: str) -> None:
    estimate = one(model=model, gpu="A100-80GB", context=8192, quantization="int4")
    assert (estimate.serve_command or "").split()[2] == checkpoint
    assert estimate.asked_weights == "int4"


def test_more_is_at_least_one_whole_request_more() -> None:
    estimate = one(model="Qwen/Qwen3-14B-AWQ", gpu="RTX 3090")
    assert estimate.verdict is Verdict.FITS
    held = int(estimate.max_concurrency.expected if estimate.max_concurrency else 0)
    assert all(int(change.max_concurrency) > held for change in estimate.changes)
