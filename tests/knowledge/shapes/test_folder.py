"""A folder with a config.json, and the real size of the weights beside it."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from knowledge.catalogue import with_quantization
from knowledge.catalogue.index import shape
from knowledge.errors import Refusal
from knowledge.shapes.checkpoint import loaded_bytes, stored_bytes
from knowledge.shapes.folder import read_folder, total_size
from knowledge.shapes.record import from_record, squeeze, to_record, unsqueeze

LLAMA: dict[str, Any] = {
    "architectures": ["LlamaForCausalLM"],
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 4,
    "num_attention_heads": 8,
    "num_key_value_heads": 2,
    "vocab_size": 1000,
    "max_position_embeddings": 4096,
}
AWQ = {**LLAMA, "quantization_config": {"quant_method": "awq"}}


def folder(path: Path, **files: Any) -> Path:
    for name, content in files.items():
        (path / name.replace("__", ".")).write_text(json.dumps(content))
    return path


def test_a_folder_is_a_model(tmp_path: Path) -> None:
    model = read_folder(folder(tmp_path, config__json=LLAMA))
    assert (model.model_id, len(model.layers), model.checkpoint_bytes) == (str(tmp_path), 4, None)


def test_the_index_says_how_large_quantised_weights_are(tmp_path: Path) -> None:
    index = {"metadata": {"total_size": 123_456}, "weight_map": {}}
    made = folder(tmp_path, config__json=AWQ, model__safetensors__index__json=index)
    assert read_folder(made).checkpoint_bytes == 123_456


def test_without_an_index_the_files_do(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"x" * 5000)
    assert read_folder(folder(tmp_path, config__json=AWQ)).checkpoint_bytes == 5000


def test_an_index_without_a_total_leaves_it_to_the_files(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"x" * 5000)
    made = folder(tmp_path, config__json=AWQ, model__safetensors__index__json={"weight_map": {}})
    assert read_folder(made).checkpoint_bytes == 5000


def test_the_size_of_16_bit_weights_says_nothing_that_counts_do_not(tmp_path: Path) -> None:
    made = folder(tmp_path, config__json=LLAMA, model__safetensors__index__json={"metadata": {"total_size": 999}})
    assert read_folder(made).checkpoint_bytes is None


def test_a_sidecar_is_read(tmp_path: Path) -> None:
    made = folder(tmp_path, config__json=LLAMA, hf_quant_config__json={"quantization": {"quant_algo": "NVFP4"}})
    found = read_folder(made).quantization
    assert found is not None
    assert found.label == "nvfp4"


def test_a_spoilt_sidecar_is_refused(tmp_path: Path) -> None:
    (tmp_path / "hf_quant_config.json").write_text("{")
    with pytest.raises(Refusal, match=r"hf_quant_config\.json"):
        read_folder(folder(tmp_path, config__json=LLAMA))


@pytest.mark.parametrize("total", [None, "12", True, -1, 0, 2**60, [1]])
def test_a_total_that_cannot_be_is_left_out(total: object) -> None:
    assert total_size({"metadata": {"total_size": total}}) is None


def test_prediction_layers_are_taken_off_a_checkpoints_size(tmp_path: Path) -> None:
    changes = {"architectures": ["Qwen2ForCausalLM"], "num_nextn_predict_layers": 1}
    model = read_folder(folder(tmp_path, config__json={**AWQ, **changes}))
    whole = stored_bytes(model) * 2
    taken = loaded_bytes(model, whole)
    assert taken is not None
    assert stored_bytes(model) < taken < whole


def test_a_record_holds_the_whole_shape(tmp_path: Path) -> None:
    model = read_folder(folder(tmp_path, config__json=AWQ))
    assert from_record(json.loads(json.dumps(to_record(model)))) == model


@pytest.mark.parametrize(
    "model_id",
    [
        pytest.param("google/gemma-3-27b-it", id="windows"),
        pytest.param("meta-llama/Llama-4-Scout-17B-16E-Instruct", id="chunks"),
        pytest.param("deepseek-ai/DeepSeek-V4-Flash", id="compressed"),
        pytest.param("zai-org/GLM-5.2-FP8", id="indexers"),
        pytest.param("nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-NVFP4", id="states and parts in other bits"),
    ],
)
def test_every_kind_of_layer_can_be_recorded(model_id: str) -> None:
    model = replace(shape(model_id), notes=("as measured",))
    assert from_record(json.loads(json.dumps(to_record(model)))) == model


def test_what_is_made_while_loading_is_recorded() -> None:
    model = with_quantization(shape("Qwen/Qwen3-0.6B"), "bitsandbytes")
    assert from_record(to_record(model)) == model


@pytest.mark.parametrize("order", [[], [0], [0, 0, 1, 0, 0, 1], [2, 1, 0]])
def test_layers_are_written_run_by_run(order: list[int]) -> None:
    assert unsqueeze(squeeze(order)) == order
