"""Files that cannot be: each is refused with one sentence that names the key, and nothing crashes."""

import json
from pathlib import Path
from typing import Any

import pytest

from knowledge.errors import Refusal
from knowledge.shapes.config import read_config
from knowledge.shapes.folder import read_folder

LLAMA = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 4,
    "num_attention_heads": 8,
    "num_key_value_heads": 2,
    "vocab_size": 1000,
    "max_position_embeddings": 4096,
}


def refused(config: dict[str, Any]) -> Refusal:
    with pytest.raises(Refusal) as caught:
        read_config(config, "org/model")
    return caught.value


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("num_hidden_layers", 0),
        ("num_hidden_layers", -1),
        ("num_hidden_layers", 10**9),
        ("num_hidden_layers", "32"),
        ("num_hidden_layers", True),
        ("num_hidden_layers", 4.5),
        ("num_hidden_layers", float("nan")),
        ("num_hidden_layers", float("inf")),
        ("num_hidden_layers", [4]),
        ("hidden_size", 10**30),
        ("hidden_size", 1e300),
        ("num_attention_heads", 7),
        ("num_key_value_heads", 3),
        ("num_key_value_heads", 16),
        ("vocab_size", -5),
        ("max_position_embeddings", 0),
        ("max_position_embeddings", {"a": 1}),
        ("tie_word_embeddings", "yes"),
        ("attention_bias", 1),
        ("torch_dtype", 16),
        ("sliding_window", "4096"),
        ("architectures", []),
        ("architectures", [1]),
        ("architectures", "LlamaForCausalLM"),
        ("architectures", None),
        ("intermediate_size", None),
        ("layer_types", ["full_attention"] * 3),
        ("quantization_config", "awq"),
        ("quantization_config", []),
    ],
)
def test_a_value_that_cannot_be_is_refused_by_its_key(key: str, value: object) -> None:
    refusal = refused({**LLAMA, key: value, **({"sliding_window": 1024} if key == "layer_types" else {})})
    assert refusal.code == "bad-config"
    assert "`" in refusal.error
    assert refusal.hint
    assert len(refusal.error) < 200


@pytest.mark.parametrize("key", ["hidden_size", "num_hidden_layers", "num_attention_heads", "vocab_size"])
def test_a_key_without_which_nothing_can_be_computed_is_asked_for(key: str) -> None:
    config = {name: value for name, value in LLAMA.items() if name != key}
    assert f"`{key}`" in refused({**config, "architectures": ["ExaoneForCausalLM"]}).error


@pytest.mark.parametrize(
    "changes",
    [
        {"architectures": ["MistralForCausalLM"], "sliding_window": 8, "sliding_window_pattern": "XY"},
        {"architectures": ["MistralForCausalLM"], "sliding_window": 8, "sliding_window_pattern": ""},
        {"architectures": ["MixtralForCausalLM"], "num_local_experts": 4, "num_experts_per_tok": 8},
        {"architectures": ["MixtralForCausalLM"], "num_local_experts": 10**9, "num_experts_per_tok": 1},
        {
            "architectures": ["Glm4MoeForCausalLM"],
            "n_routed_experts": 4,
            "num_experts_per_tok": 1,
            "moe_layer_freq": [1],
        },
        {"architectures": ["GptOssForCausalLM"]},
        {"architectures": ["MiMoV2FlashForCausalLM"]},
        {"architectures": ["MiniMaxForCausalLM"], "layer_types": ["full_attention"] * 4},
        {"architectures": ["GraniteMoeHybridForCausalLM"], "num_local_experts": 0},
        {"architectures": ["FalconH1ForCausalLM"], "mamba_n_heads": 7},
        {"architectures": ["DeciLMForCausalLM"]},
        {"architectures": ["DeciLMForCausalLM"], "block_configs": [{}] * 4},
        {"architectures": ["NemotronHForCausalLM"], "hybrid_override_pattern": "MMMX"},
        {"architectures": ["NemotronHForCausalLM"], "hybrid_override_pattern": "MM"},
        {"architectures": ["MllamaForCausalLM"]},
        {"architectures": ["MllamaForCausalLM"], "cross_attention_layers": [9]},
        {"architectures": ["MptForCausalLM"]},
        {"architectures": ["MPTForCausalLM"], "attn_config": {"kv_n_heads": 3}},
        {"architectures": ["DeepseekV4ForCausalLM"], "head_dim": 512},
        {"architectures": ["Gemma3ForConditionalGeneration"], "text_config": "none"},
        {"architectures": ["Gemma3ForConditionalGeneration"], "text_config": {}},
        {"architectures": ["InternVLChatModel"], "llm_config": {"model_type": "nobody"}},
        {"rope_scaling": {"type": "linear", "factor": "four"}},
        {
            "mlp_only_layers": "all",
            "architectures": ["Qwen3MoeForCausalLM"],
            "num_experts": 4,
            "num_experts_per_tok": 1,
        },
    ],
    ids=lambda changes: json.dumps(changes)[:60],
)
def test_what_contradicts_itself_is_refused(changes: dict[str, Any]) -> None:
    assert refused({**LLAMA, **changes}).code in {"bad-config", "unknown-architecture"}


@pytest.mark.parametrize("name", ["NobodyForCausalLM", "LlamaForCausalLM2", "x" * 10_000])
def test_an_architecture_that_is_not_understood_is_refused_never_guessed(name: str) -> None:
    refusal = refused({**LLAMA, "architectures": [name]})
    assert refusal.code == "unknown-architecture"
    assert name[:40] in refusal.error
    assert len(refusal.error) < 250


@pytest.mark.parametrize(
    ("content", "code"),
    [
        pytest.param(b"", "not-json", id="empty"),
        pytest.param(b"{", "not-json", id="cut off"),
        pytest.param(b"\xff\xfe\x00", "not-json", id="bytes"),
        pytest.param(b"[1]", "not-json", id="a list"),
        pytest.param(b'"text"', "not-json", id="a text"),
        pytest.param(b"[" * 100_000, "not-json", id="nested absurdly"),
        pytest.param(b'{"a":' * 500 + b"1" + b"}" * 500, "not-json", id="nested too deeply"),
        pytest.param(b"{}", "bad-config", id="nothing in it"),
    ],
)
def test_a_file_that_is_no_config_is_refused(tmp_path: Path, content: bytes, code: str) -> None:
    (tmp_path / "config.json").write_bytes(content)
    with pytest.raises(Refusal) as caught:
        read_folder(tmp_path)
    assert caught.value.code == code
    assert caught.value.hint


def test_a_hundred_megabytes_are_refused_unread(tmp_path: Path) -> None:
    with (tmp_path / "config.json").open("wb") as file:
        file.truncate(100 * 2**20)
    with pytest.raises(Refusal, match="104,857,600 bytes"):
        read_folder(tmp_path)


def test_a_folder_without_a_config_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refusal, match="cannot be read"):
        read_folder(tmp_path)


def test_a_list_of_quantised_modules_without_end_is_read_in_bounded_time() -> None:
    quantization = {"quant_method": "fp8", "modules_to_not_convert": [f"*a{number}*b*c*" for number in range(50_000)]}
    assert read_config({**LLAMA, "quantization_config": quantization}, "x").quantization is not None
