"""The activation peak, against what vLLM logged, and against what its sources say is alive at once."""

from dataclasses import replace
from typing import Any

import pytest

from knowledge import catalogue
from knowledge.launch import Launch
from knowledge.memory.activation import activation_peak, block_width, expert_workspace, layer_peak
from knowledge.memory.encoders import encoder_kept, encoder_peak, has_encoder
from knowledge.memory.identity import Same
from knowledge.memory.sampler import element, penalty_counts, sampled_rows, sampler_peak
from knowledge.shapes.model import ModelShape, Quantization
from knowledge.units import GIB
from tests.knowledge.memory.starts import gpu, start

H100, A100, H200 = gpu("H100 80GB", 79.19), gpu("A100 80GB", 79.25), gpu("H200", 139.81)
A6000, R4090, T4 = gpu("RTX A6000", 47.37), gpu("RTX 4090", 23.53), gpu("T4", 14.56)
LLAMA = "meta-llama/Llama-3.1-8B-Instruct"


@pytest.mark.parametrize(
    ("model", "card", "version", "changes", "gib"),
    [
        pytest.param(LLAMA, H100, "0.19", {}, 1.89, id="llama-8b"),
        pytest.param(LLAMA, H100, "0.19", {"tp": 4}, 1.89, id="llama-8b-on-four-gathers-all-logits"),
        pytest.param("Qwen/Qwen2.5-7B-Instruct", H100, "0.19", {}, 2.21, id="qwen-7b"),
        pytest.param("Qwen/Qwen3-14B", H100, "0.17", {}, 2.23, id="qwen3-14b-0.17"),
        pytest.param("Qwen/Qwen3-14B", H100, "0.16", {}, 5.64, id="qwen3-14b-sorted"),
        pytest.param("google/gemma-7b", H100, "0.19", {}, 3.63, id="vocabulary-of-256000"),
        pytest.param("meta-llama/CodeLlama-7b-hf", H100, "0.19", {}, 0.77, id="small-vocabulary-the-layer-decides"),
        pytest.param("Qwen/Qwen1.5-MoE-A2.7B", H100, "0.19", {}, 2.47, id="experts-keep-their-workspace"),
        pytest.param(
            "Qwen/Qwen3-8B", A6000, "0.15", {"max_num_seqs": 256, "max_num_batched_tokens": 2048}, 1.4, id="256-rows"
        ),
        pytest.param(
            LLAMA, A100, "0.6.6", {"max_num_seqs": 256, "max_num_batched_tokens": 29000}, 2.99, id="v0-29000-tokens"
        ),
        pytest.param("microsoft/phi-4", H100, "0.19", {}, 1.52, id="phi-4"),
        pytest.param("mistralai/Mixtral-8x7B-Instruct-v0.1", H100, "0.19", {"tp": 2}, 1.21, id="mixtral-on-two"),
        pytest.param("deepseek-ai/DeepSeek-V2-Lite-Chat", H100, "0.19", {}, 1.93, id="latent-attention"),
        pytest.param(LLAMA, H100, "0.13", {}, 4.76, id="llama-8b-sorted"),
        pytest.param("openai/gpt-oss-20b", H100, "0.13", {}, 7.38, id="gpt-oss-sorted"),
        pytest.param(LLAMA, H100, "0.6.6", {"max_num_seqs": 256, "max_model_len": 8192}, 1.19, id="v0"),
        pytest.param(
            "Qwen/Qwen2.5-1.5B-Instruct",
            T4,
            "0.7.3",
            {"max_num_seqs": 256, "max_num_batched_tokens": 32768, "max_model_len": 32768},
            2.02,
            id="v0-t4",
        ),
        pytest.param(
            "Qwen/Qwen2.5-0.5B",
            gpu(total_gib=15.55),
            "0.26",
            {"max_num_seqs": 256, "max_num_batched_tokens": 32768},
            1.06,
            id="second-runner",
        ),
    ],
)
def test_the_peak_is_what_vllm_logged(model: str, card: Any, version: str, changes: dict[str, Any], gib: float) -> None:
    peak = activation_peak(start(model, card, version, **changes))
    assert peak.expected / GIB == pytest.approx(gib, rel=0.07)
    assert peak.low <= gib * GIB <= peak.high


def test_until_0_11_it_depends_on_whether_flashinfer_is_installed() -> None:
    peak = sampler_peak(start("Qwen/Qwen3-8B-FP8", R4090, "0.10.2", max_num_seqs=256, max_num_batched_tokens=2048))
    assert peak.low < 0.6 * GIB < peak.expected < 1.4 * GIB < peak.high


def test_amd_has_no_flashinfer_so_it_sorts() -> None:
    amd, nvidia = (sampler_peak(start(LLAMA, gpu(card), "0.11", max_num_seqs=256)) for card in ("MI300X", "H200"))
    assert amd.low > nvidia.expected


def test_float32_logits_stay_beside_their_copy() -> None:
    half, full = (sampler_peak(start(LLAMA, H100, "0.19", dtype=dtype)).expected for dtype in ("bfloat16", "float32"))
    assert full / GIB == pytest.approx(2.21, rel=0.03)
    assert full - half == pytest.approx(1024 * 128256 * 2 + 2 * 4096 * (8192 + 2048))


def test_the_old_engine_profiles_no_sampling_with_chunked_prefill() -> None:
    chunked = activation_peak(start(LLAMA, A100, "0.7.3", max_num_seqs=256, max_num_batched_tokens=2048))
    assert chunked.expected / GIB == pytest.approx(0.22, rel=0.15)
    assert chunked.low < 0.22 * GIB < 1.2 * GIB < chunked.high


def test_few_rows_are_sorted_in_one_with_more_buffers() -> None:
    rows = {rows: sampler_peak(start(LLAMA, H100, "0.15", max_num_seqs=rows)).expected for rows in (127, 128)}
    assert rows[127] > rows[128]


def test_the_second_runner_keeps_counts_for_penalties_from_0_27_on() -> None:
    counted = [penalty_counts(start("Qwen/Qwen3-14B", H100, version)) for version in ("0.20", "0.26", "0.28")]
    assert counted == [0, 0, int(4.125 * 1024 * 151936)]


def test_only_the_last_stage_samples_and_encoders_never() -> None:
    launch = start(LLAMA, H100, "0.19", pp=2)
    assert activation_peak(launch, last_stage=False).expected == layer_peak(launch).expected
    encoder = replace(launch, shape=replace(launch.shape, encoder_only=True))
    assert activation_peak(encoder).expected == layer_peak(encoder).expected


def test_float32_doubles_a_layer() -> None:
    launch = start(LLAMA, H100, "0.19", dtype="float32")
    assert element(launch) == 4
    assert layer_peak(launch).expected == pytest.approx(
        2 * layer_peak(replace(launch, dtype="bfloat16")).expected, rel=0.03
    )


def test_a_gated_mlp_is_three_times_its_width() -> None:
    assert block_width(Same(catalogue.resolve(LLAMA))) == 3 * 14336


def experts(launch: Launch, **changes: Any) -> Launch:
    """The launch with its shape changed."""
    return replace(launch, shape=replace(launch.shape, **changes))


def test_expert_workspace_has_a_row_for_each_token_and_chosen_expert() -> None:
    launch = start("Qwen/Qwen1.5-MoE-A2.7B", H100, "0.19")
    assert expert_workspace(launch).expected == 8192 * 4 * 2 * (2 * 1408 + 1408)
    assert expert_workspace(replace(launch, tp=2)).expected == 8192 * 4 * 2 * (2048 + 704)
    assert expert_workspace(replace(launch, tp=2, expert_parallel=True)).expected == expert_workspace(launch).expected
    mxfp4 = Quantization(method="mxfp4", label="mxfp4", bits=4.25, parts=frozenset())
    assert expert_workspace(experts(launch, quantization=mxfp4)).expected == 0
    assert expert_workspace(start(LLAMA, H100, "0.19")).expected == 0


def seeing(architecture: str, image_tokens: int = 0) -> ModelShape:
    """Qwen2.5-7B with an encoder."""
    shape = catalogue.resolve("Qwen/Qwen2.5-7B-Instruct")
    return replace(shape, architecture=architecture, multimodal=True, max_image_tokens=image_tokens)


def test_a_dummy_video_takes_what_a_log_of_0_23_shows() -> None:
    launch = start("Qwen/Qwen2.5-7B-Instruct", A100, "0.23", max_num_seqs=256, max_num_batched_tokens=2048)
    video = replace(launch, shape=seeing("Qwen2_5_VLForConditionalGeneration"), max_model_len=128000)
    assert activation_peak(video).expected / GIB == pytest.approx(15.2, rel=0.07)


def test_a_video_has_as_many_frames_as_the_context_has_room_for() -> None:
    launch = start("Qwen/Qwen2.5-7B-Instruct", A100, "0.23")
    shape = seeing("Qwen2_5_VLForConditionalGeneration")
    peaks = [
        encoder_peak(replace(launch, shape=shape, max_model_len=length)).expected
        for length in (4096, 16384, 32768, 131072, 262144)
    ]
    assert peaks[0] == peaks[1] < peaks[2] < peaks[3] == peaks[4]
    assert peaks[3] == pytest.approx(7 * peaks[0])


def test_the_first_release_of_qwen3_vl_profiles_a_video_as_long_as_the_context() -> None:
    first, later = (
        encoder_peak(start("Qwen/Qwen3-VL-30B-A3B-Instruct", A100, version, max_model_len=65536)).expected
        for version in ("0.11.0", "0.11.1")
    )
    assert first == pytest.approx(4 * later)


def test_until_0_9_qwens_encoders_may_run_on_the_old_engine() -> None:
    highs = [
        encoder_peak(start("Qwen/Qwen2.5-VL-7B-Instruct", A100, version, max_model_len=8192)).high
        for version in ("0.8.4", "0.9.2")
    ]
    assert highs[0] == pytest.approx(2 * highs[1], rel=0.05)


def test_an_encoder_that_is_not_asked_for_costs_nothing() -> None:
    launch = start("Qwen/Qwen2.5-7B-Instruct", A100, "0.23", limit_mm_images=0)
    launch = replace(launch, shape=seeing("LlavaForConditionalGeneration"))
    assert not has_encoder(launch)
    assert encoder_peak(launch).high == encoder_kept(launch).high == 0
    assert encoder_kept(replace(launch, limit_mm_images=None)).expected > 0


def test_v0_samples_as_many_requests_as_images_leave_room_for() -> None:
    launch = start("Qwen/Qwen2.5-7B-Instruct", A100, "0.6.4", max_num_seqs=256, max_num_batched_tokens=8192)
    assert sampled_rows(launch) == 256
    for tokens, rows in ((1024, 8), (16384, 1)):
        assert sampled_rows(replace(launch, shape=seeing("LlavaForConditionalGeneration", tokens))) == rows


def test_mllama_encodes_an_image_for_every_request_so_256_did_not_fit_where_32_did() -> None:
    launch = start(
        "meta-llama/Llama-3.2-11B-Vision-Instruct", A100, "0.6.3", max_num_batched_tokens=2048, max_num_seqs=256
    )
    assert activation_peak(launch).expected > 72 * GIB
    assert activation_peak(replace(launch, max_num_seqs=32)).expected < 40 * GIB


def test_marlin_experts_free_their_workspace() -> None:
    launch = start("Qwen/Qwen3-30B-A3B", H100, "0.19")
    kept, freed = activation_peak(launch), activation_peak(start("Qwen/Qwen3-30B-A3B", H100, "0.19", "gptq"))
    assert kept.expected - freed.expected == pytest.approx(expert_workspace(launch).expected)


def test_experts_work_in_chunks() -> None:
    launches = [
        start("Qwen/Qwen1.5-MoE-A2.7B", H100, version, max_num_batched_tokens=65536) for version in ("0.11", "0.19")
    ]
    assert expert_workspace(launches[0]).expected == 2 * expert_workspace(launches[1]).expected


def test_a_default_batch_may_be_the_larger_one_of_offline_use() -> None:
    ratios = []
    for tokens in (2048, 4096, 8192):
        peak = layer_peak(start(LLAMA, A100, "0.19", max_num_batched_tokens=tokens))
        ratios.append(peak.high / peak.expected)
    assert ratios[0] > ratios[2] > ratios[1]
