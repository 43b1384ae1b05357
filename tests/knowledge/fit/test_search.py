"""Questions over many launches."""

from typing import Any

import pytest

from knowledge.fit.cards import common_cards
from knowledge.fit.request import FitRequest
from knowledge.fit.search import how_many, lighter_gpus, recommend, which_gpus, which_models
from knowledge.memory.judgement import Verdict

LLAMA_8B = "meta-llama/Llama-3.1-8B-Instruct"
LLAMA_70B = "meta-llama/Llama-3.3-70B-Instruct"


def said(**options: Any) -> FitRequest:
    return FitRequest(**{"model": LLAMA_70B, **options})


def test_which_models_a_card_holds_and_in_which_build() -> None:
    found = which_models(said(gpu="L4"), models=[LLAMA_8B, "Qwen/Qwen3-14B", LLAMA_70B])
    assert [(estimate.model_id, str(estimate.verdict)) for estimate in found] == [
        (LLAMA_8B, "fits"),
        (found[1].model_id, "fits"),
        (LLAMA_70B, "does-not-fit"),
    ]
    builds = [(estimate.assumed or {})["weight_quant"] for estimate in found]
    assert builds[0] == "bf16"
    assert builds[1] != "bf16"  # 27.5 GiB in 16 bits on a card of 22
    assert (found[0].assumed or {})["context_tokens"] == 8192


def test_a_stated_context_is_kept() -> None:
    (estimate,) = which_models(said(gpu="L4", context=16384), models=[LLAMA_8B])
    assert estimate.context == 16384
    assert "context_tokens" not in (estimate.assumed or {})


def test_a_model_that_cannot_be_split_as_stated_is_left_out() -> None:
    assert which_models(said(gpu="L4", tp=3), models=[LLAMA_8B]) == ()


def test_which_cards_hold_a_model_least_memory_first() -> None:
    found = which_gpus(said())
    memory = {"A100-80GB": 80, "H200-141GB": 141, "MI300X": 192}
    counts = {estimate.gpu: estimate.count for estimate in found}
    assert all(estimate.verdict is not Verdict.DOES_NOT_FIT for estimate in found)
    # 131.4 GiB of weights: two of 80 GB in any case, one of 192 GB; never a T4
    assert counts["A100-80GB"] in (2, 4)
    assert counts["MI300X"] == 1
    assert "T4" not in counts
    shown = [memory[name] * (count or 0) for name, count in counts.items() if name in memory]
    assert shown == sorted(shown)
    sure = [estimate for estimate in found if estimate.verdict is Verdict.FITS]
    assert list(found[: len(sure)]) == sure
    plugged = [estimate.gpu == "Ascend 910B" for estimate in sure]
    assert plugged == sorted(plugged)  # what needs a plug-in comes after the rest


def test_a_count_that_was_said_is_the_only_one() -> None:
    assert {estimate.count for estimate in which_gpus(said(count=1, quantization="awq"))} == {1}


def test_lighter_builds_need_less_each() -> None:
    found = lighter_gpus(said())
    memory = {card.name: card.memory_gb for card in common_cards()}
    needed = [memory[estimate.gpu or ""] * (estimate.count or 0) for estimate in found]
    assert needed == sorted(needed, reverse=True)
    assert found
    assert lighter_gpus(said(quantization="fp8")) == ()


def test_how_many_cards_for_each_build() -> None:
    found = how_many(said(gpu="RTX 4090"))
    by_build = {(estimate.assumed or {})["weight_quant"]: estimate.count or 0 for estimate in found}
    assert by_build["bf16"] in (8, 16)  # 131 GiB of weights on cards of 23.6
    assert by_build["awq-int4"] <= by_build["fp8"] <= by_build["bf16"]


def test_a_stated_quantisation_is_the_only_build() -> None:
    (estimate,) = how_many(said(gpu="RTX 4090", quantization="awq"))
    assert estimate.tp == estimate.count


def test_what_no_number_of_a_card_holds() -> None:
    assert how_many(said(gpu_memory_gib=1.5)) == ()


def test_copies_are_recommended_once_the_weights_are_small() -> None:
    best, *others = recommend(said(model=LLAMA_8B, gpu="H100", count=4, context=8192))
    assert (best.tp, best.pp, best.dp) == (1, 1, 4)
    assert {(other.tp, other.dp) for other in others} >= {(4, 1), (2, 2)}
    assert best.changes
    assert not others[0].changes


def test_the_widest_split_is_recommended_for_a_large_model() -> None:
    best = recommend(said(gpu="A100-80GB", count=4, context=8192))[0]
    assert (best.tp, best.pp, best.dp) == (4, 1, 1)


def test_the_quantisation_that_was_asked_is_the_only_one() -> None:
    listed, made, own = which_models(
        said(gpu="RTX 3090", count=2, quantization="awq"),
        models=["Qwen/Qwen3-32B", "Qwen/Qwen3-30B-A3B-Instruct-2507", "openai/gpt-oss-20b"],
    )
    assert (listed.model_id, listed.asked_weights) == ("Qwen/Qwen3-32B-AWQ", None)
    assert (made.model_id, made.asked_weights) == ("Qwen/Qwen3-30B-A3B-Instruct-2507", "awq-int4")
    assert (own.model_id, own.asked_weights) == ("openai/gpt-oss-20b", None)  # there is nothing but MXFP4 to serve
    assert {str(estimate.verdict) for estimate in (listed, made, own)} == {"fits"}
    assert listed.per_gpu is not None
    assert 8.9 < listed.per_gpu.weights.expected < 9.3  # 18.0 GiB of safetensors over two cards


@pytest.mark.parametrize(
    ("model", "card"),
    [
        pytest.param("openai/gpt-oss-20b", "T4", id="mxfp4-from-8.0"),
        pytest.param("Qwen/Qwen3-14B-AWQ", "V100-16GB", id="awq-from-7.5"),
    ],
)
def test_a_card_that_vllm_refuses_is_no_choice(model: str, card: str) -> None:
    assert card not in {estimate.gpu for estimate in which_gpus(said(model=model))}
