"""How many batches overlap: vLLM's VllmConfig.max_concurrent_batches by version, as read in its sources."""

from typing import Any

import pytest

from knowledge.launch import Speculation
from knowledge.memory.in_flight import concurrent_batches, tokens_in_flight
from knowledge.shapes.layers import FullAttention, RecurrentState
from knowledge.versions import Version
from tests.knowledge.memory.described import launch

DENSE = [[FullAttention(8, 128, 128)]] * 4
HYBRID = [[FullAttention(8, 128, 128)], [RecurrentState("gdn", ((8192, 2),))]]
V28, V29 = Version(0, 28), Version(0, 29)

CASES: dict[str, tuple[Any, dict[str, Any], int]] = {
    "0.32 runs a step ahead": (DENSE, {}, 2),
    "and with PP one more than the stages": (DENSE, {"pp": 4}, 5),
    "0.25 counted one": (DENSE, {"version": Version(0, 25), "pp": 4}, 1),
    "n-gram speculation waits": (DENSE, {"speculation": Speculation("ngram", 5)}, 1),
    "a draft model waited before 0.28": (
        DENSE,
        {"version": Version(0, 27), "speculation": Speculation("draft_model", 3)},
        1,
    ),
    "it no longer does": (DENSE, {"version": V28, "speculation": Speculation("draft_model", 3)}, 2),
    "encoders wait": (DENSE, {"shape": {"encoder_only": True}}, 1),
    "0.28 with PP, dense": (DENSE, {"version": V28, "pp": 2}, 3),
    "0.28 with PP, experts": (DENSE, {"version": V28, "pp": 2, "shape": {"experts": 64}}, 2),
    "0.28 with PP, experts on the list": (
        DENSE,
        {"version": V28, "pp": 2, "shape": {"experts": 64, "architecture": "Qwen2MoeForCausalLM"}},
        3,
    ),
    "0.28 with PP, hybrid": (HYBRID, {"version": V28, "pp": 2}, 2),
    "0.29 with PP, hybrid": (HYBRID, {"version": V29, "pp": 2}, 3),
}


@pytest.mark.parametrize(("layers", "options", "batches"), CASES.values(), ids=CASES.keys())
def test_batches_that_overlap(layers: Any, options: dict[str, Any], batches: int) -> None:
    assert concurrent_batches(launch(layers, **options)) == batches


def test_tokens_in_flight_are_full_batches() -> None:
    assert tokens_in_flight(launch(DENSE, max_num_batched_tokens=8192)) == 16384
