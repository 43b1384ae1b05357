"""More memory, more GPUs, fewer bits and a shorter context never make a fit worse."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from knowledge.fit.estimate import Estimate
from knowledge.fit.estimator import estimates
from knowledge.fit.request import FitRequest
from knowledge.fit.verdict import SEVERITY

# Default batch sizes grow with the card, so they are pinned: a larger card may well hold less with larger batches.
PINNED: dict[str, Any] = {"max_num_seqs": 64, "max_num_batched_tokens": 2048}
MODELS = st.sampled_from(["meta-llama/Llama-3.1-8B-Instruct", "Qwen/Qwen3-32B", "meta-llama/Llama-3.3-70B-Instruct"])
CARDS = st.sampled_from(["L4", "L40S", "A100-80GB", "H200", "MI300X"])
CONTEXTS = st.integers(1, 131_072)


def one(**said: Any) -> Estimate:
    return estimates(FitRequest(**PINNED | said), changes=False)[0]


def no_worse(better: Estimate, worse: Estimate) -> bool:
    assert better.verdict is not None
    assert worse.verdict is not None
    return SEVERITY.index(better.verdict) <= SEVERITY.index(worse.verdict)


@settings(max_examples=60, deadline=None)
@given(model=MODELS, gib=st.floats(8, 200), more=st.floats(0, 100), context=CONTEXTS)
def test_more_memory(model: str, gib: float, more: float, context: int) -> None:
    small, large = (one(model=model, gpu_memory_gib=size, context=context) for size in (gib, gib + more))
    assert no_worse(large, small)


@settings(max_examples=60, deadline=None)
@given(model=MODELS, card=CARDS, context=CONTEXTS, count=st.sampled_from([2, 4]))
def test_more_gpus(model: str, card: str, context: int, count: int) -> None:
    few, many = (one(model=model, gpu=card, count=number, context=context) for number in (count, 2 * count))
    assert no_worse(many, few)


@settings(max_examples=60, deadline=None)
@given(model=MODELS, card=CARDS, context=CONTEXTS)
def test_fewer_bits(model: str, card: str, context: int) -> None:
    sixteen, eight, four = (
        one(model=model, gpu=card, context=context, quantization=word) for word in ("bf16", "fp8", "awq")
    )
    assert no_worse(eight, sixteen)
    assert no_worse(four, eight)


@settings(max_examples=60, deadline=None)
@given(model=MODELS, card=CARDS, context=CONTEXTS, shorter=st.integers(1, 131_072), count=st.sampled_from([1, 2, 4, 8]))
def test_a_shorter_context(model: str, card: str, context: int, shorter: int, count: int) -> None:
    long, short = (
        one(model=model, gpu=card, count=count, context=tokens)
        for tokens in (max(context, shorter), min(context, shorter))
    )
    assert no_worse(short, long)


@settings(max_examples=60, deadline=None)
@given(model=MODELS, card=CARDS, context=CONTEXTS, count=st.sampled_from([1, 2, 4, 8]))
def test_the_largest_context_fits_and_one_token_more_does_not(model: str, card: str, context: int, count: int) -> None:
    asked = one(model=model, gpu=card, count=count, context=context)
    assert asked.max_context is not None
    sure = int(asked.max_context.low)
    if 0 < sure < asked.model_max_context:
        assert no_worse(one(model=model, gpu=card, count=count, context=sure), asked)
        assert one(model=model, gpu=card, count=count, context=sure + 1).verdict != "fits"


@settings(max_examples=30, deadline=None)
@given(model=MODELS, card=CARDS, context=CONTEXTS, count=st.sampled_from([1, 2, 4, 8]))
def test_ranges_are_in_order(model: str, card: str, context: int, count: int) -> None:
    asked = one(model=model, gpu=card, count=count, context=context)
    for figure in (asked.kv_cache_tokens, asked.max_context, asked.max_concurrency):
        assert figure is not None
        assert 0 <= figure.low <= figure.expected <= figure.high
