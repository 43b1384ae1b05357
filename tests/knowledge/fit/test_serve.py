import shlex
from dataclasses import replace
from typing import Any

import pytest

from knowledge.fit.serve import serve_command
from knowledge.gpus import find
from knowledge.launch import Launch, Speculation
from knowledge.releases import flags
from knowledge.shapes.layers import FullAttention, Layer, Part, RecurrentState
from knowledge.shapes.model import ModelShape, Quantization
from knowledge.versions import DEFAULT, parse

SHAPE = ModelShape(
    model_id="Qwen/Qwen2.5-72B-Instruct",
    architecture="Qwen2ForCausalLM",
    layers=(Layer((FullAttention(8, 128, 128),)),),
    outside={},
    hidden_size=8192,
    intermediate_size=29568,
    vocab_size=152064,
    attention_heads=64,
    kv_heads=8,
    head_size=128,
    max_context=32768,
    dtype="bfloat16",
    tied_embeddings=False,
)


def launch(gpu: str = "H100", version: str | None = None, **said: Any) -> Launch:
    """As vLLM would start it by itself on one card, but for what is said."""
    card, number = find(gpu)[0], parse(version) if version else DEFAULT
    large = number >= parse("0.8.5") and card.family == "H100"
    usual: dict[str, Any] = {
        "utilization": 0.92 if number >= parse("0.20") else 0.9,
        "max_num_seqs": 1024 if large else 256,
        "max_num_batched_tokens": 8192 if large else 2048,
        "max_model_len": 16384,
    }
    return Launch(shape=said.pop("shape", SHAPE), gpu=card, version=number, **usual | said)


def test_what_vllm_decides_by_itself_is_not_written() -> None:
    assert serve_command(launch()) == "vllm serve Qwen/Qwen2.5-72B-Instruct --max-model-len 16384"


def test_before_0_5_2_it_is_a_module() -> None:
    command = serve_command(launch("A100 80G", "0.5.1"))
    assert command.startswith(
        "python -m vllm.entrypoints.openai.api_server --model Qwen/Qwen2.5-72B-Instruct --max-model-len 16384"
    )


WRITTEN: list[tuple[dict[str, Any], str]] = [
    ({"tp": 4}, "--tensor-parallel-size 4"),
    ({"pp": 2}, "--pipeline-parallel-size 2"),
    ({"dp": 2}, "--data-parallel-size 2"),
    ({"tp": 16, "nodes": 2}, "--distributed-executor-backend ray"),
    ({"tp": 16, "nodes": 2, "version": "0.4.2"}, "--worker-use-ray"),
    ({"expert_parallel": True}, "--enable-expert-parallel"),
    ({"utilization": 0.85}, "--gpu-memory-utilization 0.85"),
    ({"utilization": 0.92, "version": "0.19"}, "--gpu-memory-utilization 0.92"),
    ({"max_num_seqs": 16}, "--max-num-seqs 16"),
    ({"max_num_batched_tokens": 4096}, "--max-num-batched-tokens 4096"),
    ({"kv_cache_dtype": "fp8"}, "--kv-cache-dtype fp8"),
    ({"kv_cache_dtype": "fp8", "version": "0.4.0", "gpu": "L4"}, "--kv-cache-dtype fp8_e5m2"),
    ({"gpu": "T4", "dtype": "float16"}, "--dtype half"),
    ({"dtype": "float32"}, "--dtype float32"),
    ({"enforce_eager": True}, "--enforce-eager"),
    ({"block_size": 32}, "--block-size 32"),
    ({"max_lora_rank": 40}, "--enable-lora --max-lora-rank 64"),
    ({"limit_mm_images": 2}, """--limit-mm-per-prompt '{"image": 2}'"""),
    ({"limit_mm_images": 2, "version": "0.8.4"}, "--limit-mm-per-prompt image=2"),
    ({"kv_offloading_gib": 64.0}, "--kv-offloading-size 64"),
    ({"kv_cache_memory_gib": 4.0}, "--kv-cache-memory-bytes 4294967296"),
    ({"prefix_caching": False}, "--no-enable-prefix-caching"),
    ({"prefix_caching": True, "version": "0.6.3"}, "--enable-prefix-caching"),
    (
        {"speculation": Speculation("mtp", 1)},
        """--speculative-config '{"method": "mtp", "num_speculative_tokens": 1}'""",
    ),
    (
        {"speculation": Speculation("mtp", 2), "version": "0.9"},
        """--speculative-config '{"method": "deepseek_mtp", "num_speculative_tokens": 2}'""",
    ),
    (
        {"speculation": Speculation("ngram", 4)},
        """--speculative-config '{"method": "ngram", "num_speculative_tokens": 4, "prompt_lookup_max": 4}'""",
    ),
    (
        {"speculation": Speculation("eagle3", 3)},
        """--speculative-config '{"method": "eagle3", "model": "DRAFT_HEAD", "num_speculative_tokens": 3}'""",
    ),
    (
        {"speculation": Speculation("draft_model", 5, SHAPE), "version": "0.9"},
        """--speculative-config '{"model": "Qwen/Qwen2.5-72B-Instruct", "num_speculative_tokens": 5}'""",
    ),
    (
        {"speculation": Speculation("draft_model", 5, SHAPE), "version": "0.7"},
        "--speculative-model Qwen/Qwen2.5-72B-Instruct --num-speculative-tokens 5",
    ),
    (
        {"speculation": Speculation("ngram", 4), "version": "0.7"},
        "--speculative-model '[ngram]' --num-speculative-tokens 4 --ngram-prompt-lookup-max 4",
    ),
]


@pytest.mark.parametrize(("said", "options"), WRITTEN, ids=[f"{said}" for said, _ in WRITTEN])
def test_what_matters_is_written_in_that_versions_words(said: dict[str, Any], options: str) -> None:
    assert f" {options}" in serve_command(launch(**said))


LEFT_OUT: list[tuple[dict[str, Any], str]] = [
    ({"expert_parallel": True, "version": "0.7.3"}, "expert"),
    ({"kv_offloading_gib": 64.0, "version": "0.9"}, "offloading"),
    ({"kv_cache_memory_gib": 4.0, "version": "0.9"}, "memory-bytes"),
    ({"kv_cache_dtype": "bfloat16"}, "kv-cache-dtype"),
    ({"kv_cache_dtype": "nvfp4", "version": "0.9"}, "kv-cache-dtype"),
    ({"prefix_caching": True}, "prefix"),
    ({"speculation": Speculation("mtp", 1), "version": "0.7"}, "spec"),
    ({"gpu": "A100 80G", "version": "0.7"}, "max-num"),
]


@pytest.mark.parametrize(("said", "part"), LEFT_OUT, ids=[f"{said}" for said, _ in LEFT_OUT])
def test_what_that_version_lacks_or_takes_anyway_is_left_out(said: dict[str, Any], part: str) -> None:
    assert part not in serve_command(launch(**said))


def test_only_online_quantisation_is_written() -> None:
    stored = Quantization(method="awq", label="awq-int4", bits=4.25, parts=frozenset({Part.MLP}))
    online = replace(stored, method="fp8", label="fp8", online=True)
    assert "--quantization" not in serve_command(launch(shape=replace(SHAPE, quantization=stored)))
    assert "--quantization fp8" in serve_command(launch(shape=replace(SHAPE, quantization=online)))
    bnb = replace(online, method="bitsandbytes")
    old = serve_command(launch(shape=replace(SHAPE, quantization=bnb), version="0.7"))
    assert "--quantization bitsandbytes --load-format bitsandbytes" in old


@pytest.mark.parametrize(
    ("model_id", "label", "loaded"),
    [
        ("Qwen/Qwen3-32B", None, "Qwen/Qwen3-32B"),
        ("Qwen/Qwen3-32B", "awq-int4", "Qwen/Qwen3-32B-AWQ"),
        ("Qwen/Qwen3-32B", "fp8", "Qwen/Qwen3-32B-FP8"),
        ("Qwen/Qwen3-32B", "gptq-int8", "./Qwen3-32B-gptq-int8"),
        ("deepseek-ai/DeepSeek-V3", "fp8", "deepseek-ai/DeepSeek-V3"),
        ("deepseek-ai/DeepSeek-V3", None, "./DeepSeek-V3-bf16"),
        ("/srv/mine", "awq-int4", "/srv/mine"),
    ],
)
def test_a_quantised_build_is_loaded_by_its_own_name(model_id: str, label: str | None, loaded: str) -> None:
    stored = Quantization(method="any", label=label, bits=4, parts=frozenset()) if label else None
    command = serve_command(launch(shape=replace(SHAPE, model_id=model_id, quantization=stored)))
    assert command.split()[2] == loaded


def test_prefix_caching_of_a_hybrid_must_be_asked_for_before_0_28() -> None:
    hybrid = replace(SHAPE, layers=(Layer((RecurrentState("mamba2", ((1024, 2),)),)),))
    assert "--enable-prefix-caching" in serve_command(launch(shape=hybrid, prefix_caching=True, version="0.27"))
    assert "prefix" not in serve_command(launch(shape=hybrid, prefix_caching=True, version="0.28"))


@pytest.mark.parametrize(
    ("architecture", "method"),
    [("Qwen3NextForCausalLM", "qwen3_next_mtp"), ("Ernie4_5_MoeForCausalLM", "ernie_mtp")],
)
def test_mtp_was_named_after_the_family(architecture: str, method: str) -> None:
    shape = replace(SHAPE, architecture=architecture)
    assert f'"{method}"' in serve_command(launch(shape=shape, speculation=Speculation("mtp", 1), version="0.11"))


def test_further_options_follow_where_that_version_has_them() -> None:
    extra: dict[str, str | bool] = {
        "--port": "8001",
        "--enable-log-requests": True,
        "--swap-space": "4",
        "--uds": False,
    }
    assert serve_command(launch(), extra).endswith("--port 8001 --enable-log-requests")


def test_odd_names_are_quoted_for_the_shell() -> None:
    assert "'my model; rm -rf /'" in serve_command(launch(shape=replace(SHAPE, model_id="my model; rm -rf /")))


@pytest.mark.parametrize(
    "version", ["0.4", "0.5.3", "0.6.5", "0.7", "0.8.3", "0.9", "0.10.2", "0.11.1", "0.14", "0.20", "0.33"]
)
def test_every_option_is_one_that_the_version_has(version: str) -> None:
    command = serve_command(
        launch(
            "L4",
            version,
            tp=2,
            pp=2,
            dp=2,
            nodes=2,
            expert_parallel=True,
            utilization=0.8,
            max_num_seqs=3,
            max_num_batched_tokens=4097,
            kv_cache_dtype="fp8",
            enforce_eager=True,
            max_lora_rank=16,
            limit_mm_images=1,
            kv_offloading_gib=1.0,
            kv_cache_memory_gib=1.0,
            block_size=32,
            speculation=Speculation("ngram", 2),
        )
    )
    options = [word for word in shlex.split(command) if word.startswith("--")]
    assert len(options) >= 9
    assert [option for option in options if not flags.known(option, parse(version))] == []


def test_a_dtype_that_was_asked_is_written_though_the_shape_has_it() -> None:
    from knowledge.fit.estimator import estimates
    from knowledge.fit.request import FitRequest

    (estimate,) = estimates(
        FitRequest(model="mistralai/Codestral-22B-v0.1", gpu="V100-32GB", count=4, quantization="fp16"), changes=False
    )
    assert "--dtype half" in str(estimate.serve_command)


def test_copies_over_several_servers_are_spread_by_ray() -> None:
    from knowledge.fit.estimator import estimates
    from knowledge.fit.request import FitRequest

    asked = FitRequest(model="deepseek-ai/DeepSeek-V3", gpu="H100", count=16, tp=2, dp=8, nodes=2)
    command = str(estimates(asked, changes=False)[0].serve_command)
    # docs of 0.32: one command, --data-parallel-size-local ranks on each server
    assert "--data-parallel-size 8 --data-parallel-size-local 4 --data-parallel-backend ray" in command
    assert "--distributed-executor-backend" not in command


def test_a_folder_to_be_made_is_named_after_the_model_itself() -> None:
    from knowledge.fit.estimator import estimates
    from knowledge.fit.request import FitRequest

    asked = FitRequest(model="Qwen/Qwen3-Next-80B-A3B-Instruct-FP8", gpu="H100", count=2, quantization="awq")
    assert "./Qwen3-Next-80B-A3B-Instruct-awq-int4" in str(estimates(asked, changes=False)[0].serve_command)
