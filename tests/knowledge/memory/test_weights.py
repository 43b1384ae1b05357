"""What weights take on a GPU, against what vLLM logged as `Model loading took`, and against the sources' sharding rules."""

from dataclasses import replace

import pytest

from knowledge import catalogue
from knowledge.launch import Speculation
from knowledge.memory.allocation import lost
from knowledge.memory.weights import draft_weights, lora_bytes, rope_bytes, stage_weights
from knowledge.shapes.layers import FullAttention, Layer, Part
from knowledge.shapes.model import ModelShape, Quantization
from knowledge.units import GIB, MIB
from tests.knowledge.memory.starts import gpu, start

H100 = gpu("H100 80GB", 79.19)
EXPERTS = 3 * 2**22  # weights of one layer: fused, they fill whole steps of the allocator


def logged(model: str, tp: int, quantization: str | None = None) -> float:
    """GiB on the first stage, as expected."""
    launch = start(model, H100, "0.19", quantization, tp=tp)
    return stage_weights(launch)[0].size.expected / GIB


@pytest.mark.parametrize(
    ("model", "tp", "gib"),
    [
        pytest.param("meta-llama/Llama-3.1-8B-Instruct", 1, 14.99, id="llama-8b-with-the-table-of-131072-positions"),
        pytest.param("meta-llama/Llama-3.1-8B-Instruct", 2, 7.51, id="llama-8b-on-two"),
        pytest.param("meta-llama/Llama-3.1-8B-Instruct", 4, 3.77, id="llama-8b-on-four"),
        pytest.param("meta-llama/Meta-Llama-3-8B", 1, 14.96, id="llama-3-8b"),
        pytest.param("Qwen/Qwen2.5-7B-Instruct", 1, 14.25, id="qwen-7b-with-what-the-allocator-loses"),
        pytest.param("Qwen/Qwen2.5-7B-Instruct", 4, 3.55, id="qwen-7b-on-four"),
        pytest.param("Qwen/Qwen3-14B", 1, 27.52, id="qwen3-14b"),
        pytest.param("Qwen/Qwen2.5-72B-Instruct", 4, 33.98, id="qwen-72b-on-four"),
        pytest.param("deepseek-ai/DeepSeek-R1-Distill-Qwen-14B", 2, 13.9476, id="qwen-14b-on-two"),
        pytest.param("meta-llama/CodeLlama-7b-hf", 1, 12.56, id="codellama-7b"),
        pytest.param("google/gemma-7b", 1, 15.91, id="gemma-7b-tied-head-once"),
        pytest.param("Qwen/Qwen1.5-MoE-A2.7B", 1, 26.67, id="qwen-moe"),
        pytest.param("Qwen/Qwen3-8B-FP8", 1, 8.8, id="fp8-checkpoint"),
    ],
)
def test_weights_are_what_vllm_logged(model: str, tp: int, gib: float) -> None:
    assert logged(model, tp) == pytest.approx(gib, abs=0.011)


def test_fp8_made_while_loading_matches_a_dynamic_checkpoint_on_four_cards() -> None:
    assert logged("meta-llama/Llama-3.3-70B-Instruct", 4, "fp8") == pytest.approx(16.96, abs=0.02)


def test_a_tensor_loses_the_rest_of_its_last_two_mebibytes_unless_another_fits_there() -> None:
    assert [lost(size * MIB) for size in (224, 129.5 * 2, 64.75 * 2, 24.5, 3.5)] == [0, 1 * MIB, MIB // 2, 0, 0]


def shape(**changes: object) -> ModelShape:
    """A small model with every kind of part."""
    parameters = {Part.ATTENTION: 2**20, Part.KV_PROJECTION: 2**18, Part.EXPERTS: EXPERTS, Part.REPLICATED: 2**16}
    settings = {
        "model_id": "small",
        "architecture": "SmallForCausalLM",
        "layers": (Layer((FullAttention(2, 64, 64),), parameters),) * 5,
        "outside": {Part.EMBEDDING: 2**22, Part.LM_HEAD: 2**22, Part.REPLICATED: 512, Part.MTP: 2**23},
        "hidden_size": 512,
        "intermediate_size": 2048,
        "vocab_size": 8192,
        "attention_heads": 8,
        "kv_heads": 2,
        "head_size": 64,
        "max_context": 0,
        "dtype": "bfloat16",
        "tied_embeddings": False,
        "experts": 8,
    }
    return ModelShape(**(settings | changes))  # type: ignore[arg-type]


def bytes_of(model: ModelShape, **changes: object) -> list[float]:
    """Expected bytes of each stage."""
    launch = replace(start("Qwen/Qwen3-14B", H100, "0.19"), shape=model, **changes)  # type: ignore[arg-type]
    return [stage.size.expected for stage in stage_weights(launch)]


def test_kv_projections_are_repeated_once_ranks_outnumber_kv_heads() -> None:
    layer = 2**20 / 4 + 2**18 / 2 + EXPERTS / 4 + 2**16
    outside = 2 * 2**22 / 4 + 512
    assert bytes_of(shape(), tp=4) == [2 * (5 * layer + outside)]


def test_experts_are_cut_over_data_parallel_ranks_too() -> None:
    whole, cut = bytes_of(shape())[0], bytes_of(shape(), dp=4)[0]
    assert whole - cut == 5 * 2 * EXPERTS * 3 / 4


def test_the_first_stage_has_the_embedding_and_the_last_the_head() -> None:
    layer = 2 * (2**20 + 2**18 + EXPERTS + 2**16)
    assert bytes_of(shape(), pp=2) == [3 * layer + 2 * (2**22 + 512), 2 * layer + 2 * (2**22 + 512)]


def test_a_tied_head_needs_the_embedding_on_the_last_stage_too() -> None:
    tied = shape(tied_embeddings=True, outside={Part.EMBEDDING: 2**22})
    first, last = bytes_of(tied, pp=2)
    assert first - last == 2 * (2**20 + 2**18 + EXPERTS + 2**16)


def test_mtp_layers_are_loaded_only_when_speculating_with_them() -> None:
    plain, speculating = bytes_of(shape()), bytes_of(shape(), speculation=Speculation("mtp", 1))
    assert speculating[0] - plain[0] == 2 * 2**23


def test_float32_doubles_plain_weights() -> None:
    assert bytes_of(shape(), dtype="float32")[0] == 2 * bytes_of(shape())[0]


def test_the_real_checkpoint_size_decides_how_many_bits_quantised_weights_take() -> None:
    quantised = 5 * EXPERTS
    kept = 2 * (5 * (2**20 + 2**18 + 2**16) + 2 * 2**22 + 512)
    how = Quantization(method="awq", label="awq-int4", bits=4.0, parts=frozenset({Part.EXPERTS}))
    known = shape(quantization=how, checkpoint_bytes=kept + quantised * 3 // 5)
    assert bytes_of(known)[0] == pytest.approx(kept + quantised * 0.6 * 1.012, rel=1e-6)


def test_a_guessed_quantisation_is_wider_than_a_known_one() -> None:
    how = Quantization(method="awq", label="awq-int4", bits=4.2, parts=frozenset({Part.EXPERTS}))
    online = replace(how, method="fp8", label="fp8", bits=8, online=True)
    known = shape(quantization=how, checkpoint_bytes=80_000_000)
    widths = []
    for model in (shape(), known, shape(quantization=online), shape(quantization=how)):
        size = stage_weights(replace(start("Qwen/Qwen3-14B", H100, "0.19"), shape=model))[0].size
        widths.append((size.high - size.low) / size.expected)
    assert widths[0] < widths[1] < widths[3]
    assert widths[0] < widths[2] < widths[3]


def test_mxfp4_experts_are_padded_and_nf4_scales_may_be_quantised_themselves() -> None:
    for label, method, factor in (("mxfp4", "mxfp4", 1.09), ("bnb-int4", "bitsandbytes", 0.96)):
        how = Quantization(method=method, label=label, bits=4.25, parts=frozenset({Part.EXPERTS}))
        kept = 2 * (5 * (2**20 + 2**18 + 2**16) + 2 * 2**22 + 512)
        assert bytes_of(shape(quantization=how))[0] == pytest.approx(kept + 5 * EXPERTS * 4.25 / 8 * factor, rel=1e-6)


def test_a_draft_model_loads_beside_the_model_on_the_last_stage() -> None:
    draft = catalogue.resolve("meta-llama/Llama-3.2-1B-Instruct")
    launch = start(
        "meta-llama/Llama-3.1-8B-Instruct", H100, "0.19", pp=2, speculation=Speculation("draft_model", 3, draft)
    )
    first, last = (stage.size.expected for stage in stage_weights(launch))
    assert draft_weights(launch).expected == pytest.approx(draft.parameters() * 2 + rope_bytes(draft), rel=0.01)
    assert last - first == pytest.approx(draft_weights(launch).expected, rel=0.02)


def test_deepseek_in_awq_has_its_down_projections_in_4_bits() -> None:
    assert logged("cognitivecomputations/DeepSeek-V3-AWQ", 16) == pytest.approx(21.21, rel=0.012)


@pytest.mark.parametrize(
    ("model", "version", "gib"),
    [
        ("openai/gpt-oss-20b", "0.13", 13.47),
        ("openai/gpt-oss-20b", "0.19", 13.64),
        ("openai/gpt-oss-120b", "0.13", 64.38),
        ("openai/gpt-oss-120b", "0.10", 65.97),
    ],
)
def test_mxfp4_is_padded_as_that_version_logs(model: str, version: str, gib: float) -> None:
    assert stage_weights(start(model, H100, version))[0].size.expected / GIB == pytest.approx(gib, rel=0.005)


def test_float32_doubles_the_rotary_table() -> None:
    shape = catalogue.resolve("meta-llama/Llama-3.1-8B-Instruct")
    assert rope_bytes(shape, "float32") == 2 * rope_bytes(shape)


@pytest.mark.parametrize(("method", "gib"), [("eagle", 0.47), ("eagle3", 0.75), ("ngram", 0.0)])
def test_an_eagle_head_is_about_a_layer_and_its_projections(method: str, gib: float) -> None:
    launch = start("meta-llama/Llama-3.1-8B-Instruct", H100, "0.19", speculation=Speculation(method, 3))
    assert draft_weights(launch).expected / GIB == pytest.approx(gib, abs=0.01)


def test_lora_takes_room_for_one_adapter_of_the_largest_rank() -> None:
    launch = start("meta-llama/Llama-3.1-8B-Instruct", H100, "0.19")
    assert lora_bytes(launch) == 0
    rows = 4 * 4096 + 2 * 4096 + 2 * 1024 + 3 * (4096 + 14336)
    assert lora_bytes(replace(launch, max_lora_rank=16)) == 16 * rows * 32 * 2
