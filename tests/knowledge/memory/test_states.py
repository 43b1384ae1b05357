"""A sequence's recurrent state against vLLM 0.32.0's own model classes (tests/vllm/states_truth.py), for catalogue models."""

import json
from pathlib import Path

import pytest

from knowledge import catalogue
from knowledge.memory.states import state_bytes
from knowledge.shapes.layers import RecurrentState

SIZES = json.loads((Path(__file__).parents[2] / "data" / "pages" / "states-vllm-0.32.0.json").read_text())


@pytest.mark.parametrize(("model", "sizes"), SIZES.items(), ids=SIZES.keys())
def test_a_state_takes_what_the_model_class_says(model: str, sizes: dict[str, int]) -> None:
    layers = catalogue.find(model).layers
    states = {cache for layer in layers for cache in layer.caches if isinstance(cache, RecurrentState)}
    assert [{tp: state_bytes(state, int(tp)) for tp in sizes} for state in states] == [sizes]


def test_drafts_lengthen_a_convolution() -> None:
    # Qwen3-Next: 3 past tokens of 8,192, and one more for each draft token.
    state = RecurrentState("gdn", ((3 * 8192, 2), (32 * 128 * 128, 2)))
    assert state_bytes(state, 1, 2) - state_bytes(state, 1) == 2 * 8192 * 2
    unchanged = RecurrentState("mamba1", ((3 * 8192, 2), (8192 * 16, 2)))
    assert state_bytes(unchanged, 1, 2) == state_bytes(unchanged, 1)
