"""The catalogue finds the model that people mean."""

import pytest

from knowledge import catalogue
from knowledge.errors import Refusal


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("qwen 72b", "Qwen/Qwen2.5-72B-Instruct"),
        ("llama 70b", "meta-llama/Llama-3.3-70B-Instruct"),
        ("llama3 8b", "meta-llama/Meta-Llama-3-8B-Instruct"),
        ("llama 3.1 8b", "meta-llama/Llama-3.1-8B-Instruct"),
        ("qwn2.5-32b", "Qwen/Qwen2.5-32B-Instruct"),
        ("QWEN/qwen3-8b", "Qwen/Qwen3-8B"),
    ],
)
def test_a_name_finds_the_model_it_means(said: str, meant: str) -> None:
    assert catalogue.find(said).model_id == meant


def test_an_unknown_name_is_refused_with_the_nearest_ids() -> None:
    with pytest.raises(Refusal) as refused:
        catalogue.find("mixtrall 99x7b")
    assert refused.value.code == "unknown-model"
    assert any("Mixtral" in model_id for model_id in refused.value.facts["near"])
