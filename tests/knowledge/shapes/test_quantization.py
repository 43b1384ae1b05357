"""How checkpoints say that they are quantised, and which of their weights stay in 16 bits."""

from typing import Any

import pytest

from knowledge.errors import Refusal
from knowledge.shapes.config import read_config
from knowledge.shapes.layers import Part
from knowledge.shapes.model import ModelShape, Quantization
from knowledge.shapes.patterns import Patterns, canonical, from_regex

LLAMA: dict[str, Any] = {
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
MIXTRAL = {**LLAMA, "architectures": ["MixtralForCausalLM"], "num_local_experts": 4, "num_experts_per_tok": 2}
GROUP_OF_32 = {"num_bits": 4, "type": "int", "group_size": 32}
LINEAR = ["Linear"]


def quantised(config: dict[str, Any], base: dict[str, Any] = LLAMA) -> Quantization:
    found = read_config({**base, "quantization_config": config}, "org/model").quantization
    assert found is not None
    return found


def tensors(bits: int, kind: str, **more: Any) -> dict[str, Any]:
    return {"config_groups": {"group_0": {"targets": LINEAR, "weights": {"num_bits": bits, "type": kind, **more}}}}


@pytest.mark.parametrize(
    ("config", "method", "label", "bits"),
    [
        pytest.param({"quant_method": "fp8"}, "fp8", "fp8", 8.0, id="fp8 with one scale a tensor"),
        pytest.param(
            {"quant_method": "fp8", "weight_block_size": [128, 128]}, "fp8", "fp8", 8 + 32 / 128**2, id="blocks"
        ),
        pytest.param({"quant_method": "fbgemm_fp8"}, "fbgemm_fp8", "fp8", 8.0, id="fbgemm"),
        pytest.param({"quant_method": "modelopt", "quant_algo": "FP8"}, "modelopt", "fp8", 8.0, id="modelopt fp8"),
        pytest.param(
            {"quant_method": "modelopt", "quant_algo": "NVFP4"}, "modelopt", "nvfp4", 4.5, id="modelopt nvfp4"
        ),
        pytest.param(
            {"quant_method": "modelopt_fp4", "quant_algo": "NVFP4"}, "modelopt", "nvfp4", 4.5, id="older word"
        ),
        pytest.param({"producer": {"name": "modelopt"}, "quant_algo": "FP8"}, "modelopt", "fp8", 8.0, id="by producer"),
        pytest.param({"quant_algo": "NVFP4"}, "modelopt", "nvfp4", 4.5, id="by algorithm"),
        pytest.param({"quant_method": "nvfp4"}, "modelopt", "nvfp4", 4.5, id="nvfp4"),
        pytest.param({"quant_method": "awq"}, "awq", "awq-int4", 4 + 20 / 128, id="awq, its usual group"),
        pytest.param(
            {"quant_method": "awq", "bits": 4, "group_size": 64}, "awq", "awq-int4", 4 + 20 / 64, id="awq of 64"
        ),
        pytest.param(
            {"quant_method": "gptq", "bits": 4, "group_size": 128}, "gptq", "gptq-int4", 4 + 20 / 128, id="gptq"
        ),
        pytest.param(
            {"quant_method": "gptq", "bits": 8, "group_size": -1}, "gptq", "gptq-int8", 8.0, id="gptq 8, rows"
        ),
        pytest.param({"quant_method": "auto-round", "bits": 4}, "gptq", "gptq-int4", 4 + 20 / 128, id="auto-round"),
        pytest.param(
            {"quant_method": "compressed-tensors", "format": "float-quantized", **tensors(8, "float")},
            "compressed-tensors",
            "fp8",
            8.0,
            id="compressed float",
        ),
        pytest.param(
            {"quant_method": "compressed_tensors", "format": "int-quantized", **tensors(8, "int")},
            "compressed-tensors",
            "int8",
            8.0,
            id="w8a8, older spelling",
        ),
        pytest.param(
            {"format": "pack-quantized", **tensors(4, "int", group_size=128)},
            "compressed-tensors",
            "int4",
            4 + 16 / 128,
            id="w4a16",
        ),
        pytest.param(
            {"format": "nvfp4-pack-quantized", **tensors(4, "float", group_size=16)},
            "compressed-tensors",
            "nvfp4",
            4.5,
            id="compressed nvfp4",
        ),
        pytest.param(
            {"format": "mxfp4-pack-quantized", **tensors(4, "float", group_size=32)},
            "compressed-tensors",
            "mxfp4",
            4.25,
            id="compressed mxfp4",
        ),
        pytest.param({"quant_method": "bitsandbytes", "load_in_4bit": True}, "bitsandbytes", "bnb-int4", 4.5, id="nf4"),
        pytest.param(
            {"quant_method": "bitsandbytes", "bnb_4bit_use_double_quant": True},
            "bitsandbytes",
            "bnb-int4",
            4.125,
            id="scales quantised too",
        ),
        pytest.param({"quant_method": "bitsandbytes", "load_in_8bit": True}, "bitsandbytes", "int8", 8.0, id="bnb 8"),
    ],
)
def test_a_method_is_read(config: dict[str, Any], method: str, label: str, bits: float) -> None:
    found = quantised(config)
    assert (found.method, found.label) == (method, label)
    assert found.bits == pytest.approx(bits)
    assert found.parts == {Part.ATTENTION, Part.KV_PROJECTION, Part.MLP}
    assert found.bits_of(Part.LM_HEAD) == found.bits_of(Part.EMBEDDING) == found.bits_of(Part.REPLICATED) == 16


def test_mxfp4_holds_for_experts_alone() -> None:
    found = quantised({"quant_method": "mxfp4"}, MIXTRAL)
    assert found.parts == {Part.EXPERTS}
    assert found.bits == 4.25


def test_routers_stay_in_16_bits() -> None:
    assert Part.REPLICATED not in quantised({"quant_method": "fp8"}, MIXTRAL).parts


@pytest.mark.parametrize("where", ["root", "text", "compression_config"])
def test_it_may_stand_in_several_places(where: str) -> None:
    config = {"quant_method": "fp8"}
    vision = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1, "image_size": 28, "patch_size": 14}
    text, root = dict(LLAMA), {"architectures": ["LlavaForConditionalGeneration"], "vision_config": vision}
    target = text if where == "text" else root
    target["compression_config" if where == "compression_config" else "quantization_config"] = config
    found = read_config({**root, "text_config": text}, "x").quantization
    assert found is not None
    assert found.label == "fp8"
    assert found.bits_of(Part.VISION) == 16


def sidecar(**quantization: Any) -> ModelShape:
    return read_config(LLAMA, "x", hf_quant_config={"quantization": quantization})


def test_it_may_stand_in_the_sidecar_alone() -> None:
    found = sidecar(quant_algo="FP8", kv_cache_quant_algo="FP8", exclude_modules=["lm_head"])
    assert found.quantization is not None
    assert (found.quantization.label, found.kv_cache_dtype) == ("fp8", "fp8")


@pytest.mark.parametrize(
    ("config", "dtype"),
    [
        pytest.param({"quant_method": "fp8"}, "auto", id="nothing said"),
        pytest.param({"quant_method": "fp8", "kv_cache_scheme": None}, "auto", id="null"),
        pytest.param({"quant_method": "fp8", "kv_cache_scheme": "FP8"}, "fp8", id="a word"),
        pytest.param(
            {"quant_method": "fp8", "kv_cache_scheme": {"num_bits": 8, "type": "float"}}, "fp8", id="a scheme"
        ),
        pytest.param(
            {"quant_method": "fp8", "kv_cache_scheme": {"num_bits": 8, "type": "int"}}, "auto", id="not floating"
        ),
        pytest.param({"quant_algo": "NVFP4", "kv_cache_quant_algo": "NVFP4"}, "nvfp4", id="nvfp4"),
        pytest.param({"quant_algo": "NVFP4", "kv_cache_quant_algo": "INT3"}, "auto", id="one that vLLM does not know"),
    ],
)
def test_a_checkpoint_may_force_its_kv_cache(config: dict[str, Any], dtype: str) -> None:
    assert read_config({**LLAMA, "quantization_config": config}, "x").kv_cache_dtype == dtype


@pytest.mark.parametrize(
    ("ignored", "attention"),
    [
        pytest.param([], 4.0, id="none"),
        pytest.param(["model.layers.0.self_attn.q_proj", "model.layers.0.self_attn.o_proj"], 7.0, id="names"),
        pytest.param(["model.layers.0.self_attn.qkv_proj", "model.layers.0.self_attn.o_proj"], 7.0, id="fused names"),
        pytest.param(["layers.0"], 7.0, id="a whole layer"),
        pytest.param(["model.layers.0*", "model.layers.1.*"], 10.0, id="globs"),
        pytest.param(["*self_attn*"], 16.0, id="a glob for all layers"),
        pytest.param(["self_attn"], 16.0, id="a word"),
        pytest.param(["re:.*self_attn.*"], 16.0, id="a regex"),
        pytest.param(["re:.*self_attn\\.(q|o)_proj$"], 16.0, id="alternatives"),
        pytest.param(["re:.*layers\\.\\d+\\.self_attn.*"], 16.0, id="digits"),
        pytest.param(["re:.*[ab]self_attn.*"], 4.0, id="a regex that is not understood matches nothing"),
        pytest.param([7, None], 4.0, id="no names at all"),
    ],
)
def test_ignored_modules_stay_in_16_bits(ignored: list[Any], attention: float) -> None:
    weights = {"num_bits": 4, "type": "int", "group_size": None}
    config = {
        "format": "pack-quantized",
        "config_groups": {"g": {"targets": LINEAR, "weights": weights}},
        "ignore": ignored,
    }
    assert quantised(config).bits_of(Part.ATTENTION) == pytest.approx(attention)


def test_groups_may_have_targets_of_their_own() -> None:
    groups = {
        "fp8": {"targets": ["re:.*self_attn.*"], "weights": {"num_bits": 8, "type": "float"}},
        "fp4": {"targets": ["re:.*mlp.*", "lm_head"], "weights": {"num_bits": 4, "type": "float", "group_size": 16}},
    }
    found = quantised({"quant_method": "compressed-tensors", "config_groups": groups})
    assert found.label == "nvfp4"
    assert [found.bits_of(part) for part in (Part.ATTENTION, Part.MLP, Part.LM_HEAD)] == [8.0, 4.5, 4.5]


def test_mixed_precision_names_every_module() -> None:
    layers = {
        f"model.layers.{layer}.mlp.{name}_proj": {"quant_algo": "NVFP4"}
        for layer in range(4)
        for name in ("up", "down")
    }
    layers["model.layers.0.mlp.gate_proj"] = {"quant_algo": "FP8"}
    config = {"quant_method": "modelopt", "quant_algo": "MIXED_PRECISION", "quantized_layers": layers}
    assert quantised(config).bits_of(Part.MLP) == pytest.approx((8 * 4.5 + 8 + 3 * 16) / 12)


def test_gptq_may_quantise_the_head() -> None:
    assert Part.LM_HEAD in quantised({"quant_method": "gptq", "bits": 4, "group_size": 128, "lm_head": True}).parts


@pytest.mark.parametrize(
    ("config", "code"),
    [
        pytest.param({"quant_method": "magic"}, "unknown-quantization", id="a method that is not understood"),
        pytest.param({}, "unknown-quantization", id="no method"),
        pytest.param({"quant_method": "modelopt", "quant_algo": "INT3"}, "bad-config", id="an algorithm that is not"),
        pytest.param({"quant_method": "modelopt"}, "bad-config", id="no algorithm"),
        pytest.param({"quant_algo": "MIXED_PRECISION", "quantized_layers": {"a": 1}}, "bad-config", id="no algorithms"),
        pytest.param({"quant_method": "compressed-tensors"}, "bad-config", id="no groups"),
        pytest.param({"config_groups": {"g": {"weights": {}}}}, "bad-config", id="no bits"),
        pytest.param({"quant_method": "gptq", "bits": 99}, "bad-config", id="99 bits"),
    ],
)
def test_what_is_not_understood_is_refused(config: dict[str, Any], code: str) -> None:
    with pytest.raises(Refusal) as caught:
        quantised(config)
    assert caught.value.code == code


def test_names_are_compared_without_what_differs_between_checkpoints() -> None:
    assert canonical("model.language_model.layers.1.block_sparse_moe.gate") == "layers.1.mlp.gate"


def test_a_regex_becomes_globs_and_is_never_run() -> None:
    assert from_regex("^model.layers.*mlp\\.(gate|up)_proj$") == ["layers*mlp.gate_proj", "layers*mlp.up_proj"]
    assert from_regex("(a|b)" * 40) == []


def test_no_more_patterns_are_kept_than_any_honest_list_has() -> None:
    kept = Patterns([f"*x{number:04}*" for number in range(1000)] + ["layers.1.*"])
    assert kept.match("layers.1.self_attn.q_proj")
    assert not kept.match("layers.2.x0999")
