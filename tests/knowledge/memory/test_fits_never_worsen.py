"""Over the whole catalogue: what ought to help never makes a fit worse."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from knowledge import catalogue
from knowledge.errors import Refusal
from knowledge.fit.estimate import Estimate
from knowledge.fit.estimator import estimates
from knowledge.fit.layouts import Divisors
from knowledge.fit.request import FitRequest
from knowledge.memory.judgement import Limiting, Verdict

ORDER = (Verdict.FITS, Verdict.UNCERTAIN, Verdict.DOES_NOT_FIT)
IDS = catalogue.ids()
GENERATIVE = [name for name in IDS if not catalogue.find(name).encoder_only]
SIXTEEN_BIT = [name for name in GENERATIVE if catalogue.find(name).quantization is None]
CARDS = (
    "RTX 3090",
    "RTX 4090",
    "RTX 5090",
    "L4",
    "L40S",
    "A10",
    "A100 80GB",
    "H100",
    "H200",
    "B200",
    "MI300X",
    "RTX PRO 6000",
)
VERSIONS = ("0.17", "0.19", "0.20", "0.24", "0.28", "0.32")  # earlier ones sort fewer than 128 rows with larger buffers

# What several GPUs need more of outside --gpu-memory-utilization: graphs without NVLink, and NCCL's buffers (2.7 GiB of graphs on four L40S).
BEYOND = (Limiting.CUDA_GRAPHS, Limiting.FREE_MEMORY)

ASKED = st.fixed_dictionaries(
    {
        "model": st.sampled_from(GENERATIVE),
        "gpu": st.sampled_from(CARDS),
        "vllm_version": st.sampled_from(VERSIONS),
        "max_num_seqs": st.sampled_from([1, 8, 64, 256, 1024]),
        "max_num_batched_tokens": st.sampled_from([2048, 8192]),
        "tp": st.just(1),
    }
)


def estimate(**said: Any) -> Estimate:
    """The first answer."""
    return estimates(FitRequest(**said), changes=False)[0]


def rank(**said: Any) -> int:
    """0 when it fits, 2 when it does not."""
    found = estimate(**said).verdict
    assert found is not None
    return ORDER.index(found)


def context(model: str, share: float) -> int:
    """That share of a model's own limit."""
    return max(1, int(catalogue.find(model).max_context * share))


SHARE = st.sampled_from([0.01, 0.1, 0.3, 1.0])


@given(ASKED, SHARE, st.floats(8, 200), st.floats(0.1, 60))
@settings(max_examples=100)
def test_more_memory(asked: dict[str, Any], share: float, gib: float, more: float) -> None:
    said = asked | {"context": context(asked["model"], share)}
    assert rank(**said, gpu_memory_gib=gib + more) <= rank(**said, gpu_memory_gib=gib)


@given(ASKED, SHARE, st.sampled_from([2, 4, 8]))
@settings(max_examples=100)
def test_more_gpus(asked: dict[str, Any], share: float, count: int) -> None:
    shape = catalogue.find(asked["model"])
    if count not in Divisors(shape).usable(8):
        return
    said = asked | {"context": context(asked["model"], share)}
    assert rank(**said | {"tp": count}) <= rank(**said) or estimate(**said | {"tp": count}).limiting in BEYOND


@given(ASKED, SHARE, st.sampled_from(SIXTEEN_BIT))
@settings(max_examples=100)
def test_fewer_bits(asked: dict[str, Any], share: float, model: str) -> None:
    said = asked | {"model": model, "context": context(model, share)}
    ranks = [rank(**said, quantization=bits) for bits in ("bf16", "fp8", "awq")]
    assert ranks == sorted(ranks, reverse=True)


@given(ASKED, st.floats(0.01, 1.0), st.floats(0.01, 1.0))
@settings(max_examples=100)
def test_a_shorter_context(asked: dict[str, Any], one: float, other: float) -> None:
    shorter, longer = (context(asked["model"], share) for share in sorted((one, other)))
    assert rank(**asked, context=shorter) <= rank(**asked, context=longer)


@given(ASKED, SHARE, st.integers(1, 1024))
@settings(max_examples=100)
def test_fewer_sequences(asked: dict[str, Any], share: float, fewer: int) -> None:
    said = asked | {"context": context(asked["model"], share)}
    less = said | {"max_num_seqs": min(fewer, asked["max_num_seqs"])}
    assert rank(**less) <= rank(**said)


@pytest.mark.parametrize("gpu", ["L4", "H200", "MI300X"])
def test_every_model_is_answered(gpu: str) -> None:
    unanswered = []
    for model in IDS:
        try:
            estimate(model=model, gpu=gpu)
        except Refusal as refusal:
            unanswered.append((model, refusal.code))
    assert unanswered == []
