"""Verdicts beyond the plain decoder: models without a cache, hybrids, and checks outside the budget."""

from dataclasses import replace
from typing import Any

import pytest

from knowledge import catalogue, gpus
from knowledge.fit.builds import label, lighter_builds, runs_on
from knowledge.fit.estimate import Estimate
from knowledge.fit.estimator import estimates
from knowledge.fit.request import FitRequest
from knowledge.fit.verdict import worst
from knowledge.memory.judgement import Limiting, Verdict
from knowledge.shapes.layers import FullAttention, Layer, Part, RecurrentState
from knowledge.shapes.model import ModelShape, Quantization

LLAMA = catalogue.find("meta-llama/Llama-3.1-8B-Instruct")
ENCODER = replace(LLAMA, encoder_only=True, layers=tuple(Layer((), layer.parameters) for layer in LLAMA.layers))


def hybrid() -> ModelShape:
    """Three recurrent layers to one of attention, 4 MiB of state a layer and sequence: as large as Qwen3.6's are."""
    state = RecurrentState("gdn", ((2**20, 4),))
    caches = [(FullAttention(8, 128, 128),) if index % 4 == 3 else (state,) for index in range(32)]
    layers = zip(caches, LLAMA.layers, strict=True)
    return replace(LLAMA, layers=tuple(Layer(cache, layer.parameters) for cache, layer in layers))


def one(shape: ModelShape, *, changes: bool = False, **said: Any) -> Estimate:
    (estimate,) = estimates(
        FitRequest(model="some/model", **said), resolve=lambda _name, _label: shape, changes=changes
    )
    return estimate


def test_the_worst_of_several() -> None:
    assert worst(Verdict.FITS, Verdict.UNCERTAIN) is Verdict.UNCERTAIN
    assert worst(Verdict.DOES_NOT_FIT, Verdict.UNCERTAIN, Verdict.FITS) is Verdict.DOES_NOT_FIT


def test_an_encoder_needs_only_its_weights() -> None:
    estimate = one(ENCODER, gpu="L4", concurrency=10, changes=True)
    assert (estimate.verdict, estimate.concurrency_verdict, estimate.limiting) == ("fits", "fits", "none")
    assert estimate.max_context is not None
    assert estimate.max_concurrency is not None
    assert estimate.max_context.expected == LLAMA.max_context
    assert estimate.max_concurrency.expected == 256
    assert estimate.ladder == ()
    assert "no-kv-cache" in estimate.notes
    assert "kv-dtype" not in {change.kind for change in estimate.changes}
    assert one(ENCODER, gpu_memory_gib=12.0).verdict is Verdict.DOES_NOT_FIT


def test_a_hybrid_needs_a_state_block_for_each_sequence() -> None:
    asked: dict[str, Any] = {"gpu": "L4", "context": 8192, "max_num_seqs": 1024, "max_num_batched_tokens": 2048}
    estimate = one(hybrid(), **asked, changes=True)
    assert (estimate.verdict, estimate.limiting) == (Verdict.DOES_NOT_FIT, Limiting.STATE_BLOCKS)
    fewer = next(change for change in estimate.changes if change.kind == "max-num-seqs")
    assert one(hybrid(), **asked | {"max_num_seqs": int(fewer.to)}).verdict is Verdict.FITS
    assert one(hybrid(), **asked | {"enforce_eager": True}).verdict is Verdict.FITS
    assert one(hybrid(), **asked | {"vllm_version": "0.18"}).limiting is not Limiting.STATE_BLOCKS


def test_asking_for_all_memory_fails_the_check_of_what_is_free() -> None:
    estimate = one(LLAMA, gpu="H100", gpu_memory_utilization=1.0, context=4096)
    assert (estimate.verdict, estimate.limiting) == (Verdict.DOES_NOT_FIT, Limiting.FREE_MEMORY)


def test_a_small_cache_sized_by_hand_is_the_cache_to_blame() -> None:
    estimate = one(LLAMA, gpu="L4", context=131072, kv_cache_memory_gib=1.0)
    assert (estimate.verdict, estimate.limiting) == (Verdict.DOES_NOT_FIT, Limiting.KV_CACHE)


def test_a_count_that_cannot_be_used_is_to_blame_when_the_weights_would_fit() -> None:
    estimate = one(LLAMA, gpu_memory_gib=11.0, count=3, context=131072)
    assert (estimate.verdict, estimate.limiting) == (Verdict.DOES_NOT_FIT, Limiting.PARALLELISM)


def quantised(name: str) -> ModelShape:
    return replace(LLAMA, quantization=Quantization(method="x", label=name, bits=4, parts=frozenset({Part.MLP})))


@pytest.mark.parametrize(
    ("name", "card", "runs"),
    [
        ("fp8", "H100", True),
        ("fp8", "A100-80GB", True),
        ("fp8", "V100-32GB", False),
        ("awq-int4", "T4", True),
        ("nvfp4", "H100", False),
        ("nvfp4", "B200", True),
        ("fp8", "MI300X", True),
        ("fp8", "MI210", False),
        ("bnb-int4", "MI300X", False),
        ("awq-int4", "MI300X", True),
    ],
)
def test_which_builds_a_card_runs(name: str, card: str, runs: bool) -> None:
    assert runs_on(quantised(name), gpus.find(card)[0]) is runs
    assert runs_on(LLAMA, gpus.find(card)[0])


def test_lighter_builds_have_fewer_bits_heaviest_first() -> None:
    found = [label(build) for build in lighter_builds(LLAMA)]
    assert found.index("fp8") < found.index("awq-int4")
    assert lighter_builds(quantised("awq-int4")) == ()
    assert label(replace(LLAMA, dtype="float16")) == "fp16"


def test_narrow_fp8_experts_go_whole_to_the_ranks_before_vllm_split_them() -> None:
    fp8 = Quantization(method="fp8", label="fp8", bits=8, parts=frozenset({Part.EXPERTS}))
    experts = replace(LLAMA, quantization=fp8, experts=128, moe_intermediate_size=1536, intermediate_size=1536)
    asked: dict[str, Any] = {"gpu": "H100", "count": 8, "context": 4096}
    assert "experts-need-ep" in one(experts, **asked, vllm_version="0.20").notes
    assert "tp-splits-fp8-blocks" in one(experts, **asked, tp=8, vllm_version="0.20").notes
    assert not {"experts-need-ep", "tp-splits-fp8-blocks"} & set(one(experts, **asked).notes)


def test_images_can_be_switched_off_where_a_model_takes_them() -> None:
    seeing = replace(LLAMA, multimodal=True, max_image_tokens=16384)
    text_only = one(seeing, gpu="L4", context=4096, limit_mm_images=0).max_context
    assert text_only is not None
    estimate = one(seeing, gpu="L4", context=int(text_only.low), changes=True)
    assert estimate.verdict is not Verdict.FITS
    change = next(change for change in estimate.changes if change.kind == "text-only")
    assert f"{change.flag} '{change.to}'" in change.serve_command


@pytest.mark.parametrize(
    ("said", "deciding"),
    [
        pytest.param(
            {"gpu_memory_utilization": 0.98, "context": 1024, "vllm_version": "0.20"}, "free-memory", id="free"
        ),
        pytest.param(
            {"gpu_memory_utilization": 0.95, "context": 1024, "vllm_version": "0.19"}, "cuda-graphs", id="graphs"
        ),
        pytest.param(
            {"gpu_memory_utilization": 0.90, "context": 40000, "vllm_version": "0.10.2"}, "activation", id="budget"
        ),
    ],
)
def test_what_is_unsure_is_named_within_the_budget_or_beyond_it(said: dict[str, Any], deciding: str) -> None:
    estimate = one(LLAMA, gpu="RTX 4090", gpu_memory_gib=23.53, **said)
    assert (estimate.verdict, estimate.deciding) == (Verdict.UNCERTAIN, deciding)
