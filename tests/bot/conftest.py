"""Estimates written by hand, so that what is said about them can be checked without the estimator."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from knowledge import catalogue
from knowledge.fit.estimate import Change, Estimate, LadderRung
from knowledge.memory.judgement import Limiting, Verdict
from knowledge.memory.per_gpu import PerGpu
from knowledge.units import Range


def _estimate(**changed: Any) -> Estimate:
    per_gpu = PerGpu(
        total=Range.exact(79.2),
        budget=Range.exact(72.9),
        weights=Range.exact(33.9),
        activation=Range(1.6, 1.9, 2.4),
        non_torch=Range.exact(2.1),
        cuda_graphs=Range.exact(0.8),
        kv_cache=Range(33.1, 34.2, 35.0),
    )
    values: dict[str, Any] = {
        "id": None,
        "model_id": "Qwen/Qwen2.5-72B-Instruct",
        "gpu": "A100-80GB",
        "count": 4,
        "tp": 4,
        "pp": 1,
        "dp": 1,
        "vllm_version": "0.32",
        "verdict": Verdict.FITS,
        "concurrency_verdict": None,
        "limiting": Limiting.NONE,
        "per_gpu": per_gpu,
        "context": 16_384,
        "concurrency": 1,
        "kv_bytes_per_token": 327_680,
        "kv_bytes_per_token_per_gpu": 81_920,
        "kv_gib_per_request": 1.25,
        "kv_cache_tokens": Range(433_000, 448_266, 458_000),
        "max_context": Range.exact(32_768),
        "model_max_context": 32_768,
        "max_concurrency": Range(26.4, 27.3, 27.9),
        "serve_command": "vllm serve Qwen/Qwen2.5-72B-Instruct --tensor-parallel-size 4 --max-model-len 16384",
        "changes": (
            Change(
                kind="kv-dtype",
                flag="--kv-cache-dtype",
                to="fp8",
                effect="Holds twice as many.",
                verdict=Verdict.FITS,
                max_context=32_768,
                max_concurrency=54.6,
                caveat="kv-accuracy",
            ),
        ),
        "ladder": (
            LadderRung(context=8192, concurrency=Range(52.8, 54.7, 55.9)),
            LadderRung(context=16_384, concurrency=Range(26.4, 27.3, 27.9)),
        ),
        "assumed": {"tp": 4, "utilization": 0.92, "concurrency": 1, "vllm_version": "0.32"},
        "sources": ("vllm/v1/core/kv_cache_utils.py",),
    }
    return Estimate(**(values | changed))


@pytest.fixture
def estimate() -> Callable[..., Estimate]:
    """A 72B model on 4 × A100-80GB; keyword arguments replace its fields."""
    return _estimate


@pytest.fixture(autouse=True)
def any_folder() -> Iterator[None]:
    """Undoes what a test of the thinking process did: that keeps to the folders which settings name."""
    yield
    catalogue.keep_to_folders(None)
