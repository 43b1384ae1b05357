"""Out of memory at every point of a start: which it was, who holds the memory, and settings with which it fits.

Lines as vLLM and PyTorch print them; figures are computed by hand beside each assertion.
"""

from typing import Any

import pytest

from knowledge.logs.diagnosis import Said, diagnose

V1 = "INFO 07-01 10:00:00 [api_server.py:1] vLLM API server version 0.10.0\n"
OOM = (
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {wanted}. GPU 0 has a total capacity of {total} GiB of which "
    "{free} is free. Including non-PyTorch memory, this process has {mine} GiB memory in use.\n"
)


def oom(
    *frames: str, wanted: str = "512.00 MiB", total: float = 79.11, free: str = "100.00 MiB", mine: float = 79.0
) -> str:
    lines = [f'  File "/x/vllm/v1/worker/gpu_worker.py", line 9, in {frame}\n    step()' for frame in frames]
    trace = "Traceback (most recent call last):\n" + "\n".join(lines) + "\n"
    return trace + OOM.format(wanted=wanted, total=total, free=free, mine=mine)


POINTS: dict[str, tuple[str, str, str]] = {
    "weights": (oom("load_model", "create_weights"), "weights-oom", "memory.weights_oom"),
    "profiling": (oom("determine_available_memory", "profile_run"), "profile-run-oom", "memory.profile_oom"),
    "graphs": (oom("compile_or_warm_up_model", "capture_model"), "cuda-graph-memory", "memory.graphs_oom"),
    "cache": (oom("initialize_kv_cache", "_allocate_kv_cache"), "gpu-memory-utilization-too-high", "memory.cache_oom"),
    "wake-up": (oom("wake_up"), "sleep-mode", "memory.wake_oom"),
    "images": (oom("execute_model", "_execute_mm_encoder"), "runtime-oom", "memory.encoder_oom"),
    "serving": (oom("run_busy_loop", "execute_model"), "runtime-oom", "memory.runtime_oom"),
    "another process": (oom("load_model", mine=40.0), "gpu-memory-sharing", "memory.shared_oom"),
    "no frames, loading": (V1 + "INFO [x.py:1] Starting to load model m...\n" + oom(), "weights-oom", "memory.weights_oom"),
    "no frames, profiling": (V1 + "INFO [x.py:1] Model loading took 10.0 GiB and 5.0 seconds\n" + oom(), "profile-run-oom", "memory.profile_oom"),
    "no frames, capturing": (V1 + "INFO [x.py:1] GPU KV cache size: 1,000 tokens\n" + oom(), "cuda-graph-memory", "memory.graphs_oom"),
    "no frames at all": (V1 + oom(), "runtime-oom", "memory.runtime_oom"),
}  # fmt: skip


@pytest.mark.parametrize(("log", "cause", "text"), POINTS.values(), ids=POINTS.keys())
def test_when_the_memory_ran_out_decides(log: str, cause: str, text: str) -> None:
    found = diagnose("", V1 + log)
    assert (found.cause, found.text) == (cause, text)
    assert found.deciding_line.startswith("torch.OutOfMemoryError")


def test_v0_captures_its_graphs_inside_initialize_cache() -> None:
    log = (
        "INFO 02-01 10:00:00 llm_engine.py:1] Initializing a V0 LLM engine (v0.7.2) with config: model='m'\n"
        "INFO 02-01 10:00:00 executor_base.py:1] # CUDA blocks: 3656, # CPU blocks: 1000\n"
        "Capturing CUDA graph shapes:  10%|#         | 3/35 [00:01<00:10]\n"
        + oom("initialize_cache", "_init_cache_engine")
    )
    assert diagnose("", log).cause == "cuda-graph-memory"


def test_a_high_utilization_is_what_the_graphs_lack() -> None:
    budget = "INFO 03-27 10:29:01 [worker.py:267] the current vLLM instance can use total_gpu_memory (44.53GiB) x gpu_memory_utilization (0.98) = 43.64GiB\n"
    found = diagnose("", V1 + budget + oom("capture_model", total=44.53, mine=44.4))
    assert "gpu_memory_utilization (0.98)" in found.deciding_line
    assert found.facts["outside_gib"] == 0.89  # 44.53 × 0.02
    assert found.facts["outside_to_gib"] == 4.45  # 44.53 × 0.1


def test_weights_that_do_not_fit_name_the_layouts_that_do() -> None:
    log = V1 + oom("load_model")
    found = diagnose("", log, said=Said(model="meta-llama/Meta-Llama-3-70B-Instruct", count=1))
    assert found.facts["whole_gib"] == 131.4  # 70.55e9 × 2 B
    assert found.facts["layouts"] == [(2, 65.7), (4, 32.9)]
    assert found.facts["too_few"] is True


def test_the_other_process_is_named_with_what_it_holds() -> None:
    # 79.11 in all, 0.1 free, 40 are vLLM's own: 39 are somebody else's.
    assert diagnose("", POINTS["another process"][0]).facts["held_gib"] == 39.01


def test_a_kv_cache_that_is_too_small_gives_the_longest_context() -> None:
    says = (
        "ValueError: To serve at least one request with the models's max seq len (40960), (5.62 GiB KV cache is needed, which is larger "
        "than the available KV cache memory (3.10 GiB). Try increasing `gpu_memory_utilization` or decreasing `max_model_len`.\n"
    )
    found = diagnose("", V1 + says)
    assert found.facts["longest"] == 22_592  # 40,960 × 3.10 / 5.62 = 22,593.6, in blocks of 16
    assert found.facts["nice"] == 16_384
    assert found.facts["longest_fp8"] == 45_184
    assert found.facts["kib_per_token"] == 143.9  # 5.62 GiB / 40,960


def test_a_little_more_utilization_is_offered_where_it_is_enough() -> None:
    says = (
        "ValueError: To serve at least one request with the model's max seq len (8192), (1.00 GiB KV cache is needed, which is larger "
        "than the available KV cache memory (0.40 GiB).\n"
    )
    log = V1 + "INFO [x.py:1] total_gpu_memory (23.65GiB) x gpu_memory_utilization (0.90) = 21.28GiB\n" + says
    assert diagnose("", log).facts["utilization_to"] == 0.93  # 0.9 + 0.6 / 23.65 = 0.925


def test_blocks_that_the_log_counted_are_told() -> None:
    log = (
        "INFO 02-07 11:28:26 executor_base.py:108] # CUDA blocks: 3656, # CPU blocks: 2048\n"
        "ERROR 02-07 11:28:26 engine.py:389] ValueError: The model's max seq len (131072) is larger than the maximum number of tokens "
        "that can be stored in KV cache (58496).\n"
    )
    found = diagnose("", log)
    assert (found.facts["blocks"], found.facts["block_size"]) == (3656, 16)


def test_nothing_left_for_the_cache_is_shown_as_a_sum() -> None:
    log = (
        V1 + "INFO [x.py:1] total_gpu_memory (44.53GiB) x gpu_memory_utilization (0.90) = 40.08GiB\n"
        "INFO [x.py:1] Model loading took 39.50 GiB and 20.0 seconds\n"
        "ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization` when initializing the engine.\n"
    )
    found = diagnose("", log)
    assert found.cause == "no-memory-for-cache-blocks"
    assert (found.facts["budget_gib"], found.facts["left_gib"]) == (40.08, 0.58)
    assert found.facts["utilization_to"] == 0.95


def test_memory_that_was_taken_before_is_why_nothing_is_left() -> None:
    log = (
        V1
        + "DEBUG [x.py:1] Initial free memory: 8.50 GiB\nINFO [x.py:1] total_gpu_memory (23.65GiB) x gpu_memory_utilization (0.40) = 9.46GiB\n"
        "INFO [x.py:1] Model loading took 0.93 GiB and 2.0 seconds\n"
        "ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization` when initializing the engine.\n"
    )
    found = diagnose("", log)
    assert found.cause == "gpu-memory-sharing"
    assert found.facts["held_gib"] == 15.15  # 23.65 − 8.50
    assert found.facts["utilization_least"] == 0.68  # (0.93 + 15.15) / 23.65


FREE = "ValueError: Free memory on device cuda:0 ({free}/{total} GiB) on startup is less than desired GPU memory utilization (0.9, {wanted} GiB). Decrease GPU memory utilization or reduce GPU memory used by other processes.\n"


@pytest.mark.parametrize(
    ("free", "cause"),
    [(21.0, "gpu-memory-utilization-too-high"), (8.0, "gpu-memory-sharing")],
    ids=["nearly all is free", "somebody else runs there"],
)
def test_how_much_is_free_tells_a_high_share_from_another_process(free: float, cause: str) -> None:
    assert diagnose("", V1 + FREE.format(free=free, total=23.64, wanted=21.28)).cause == cause


def test_the_share_that_what_is_free_allows_is_rounded_down() -> None:
    found = diagnose("", V1 + FREE.format(free=21.0, total=23.64, wanted=21.28))
    assert found.facts["utilization_to"] == 0.88  # 21.0 / 23.64 = 0.8883
    assert found.facts["short_gib"] == 0.28


def test_the_samplers_warm_up_is_counted_in_logits() -> None:
    log = (
        V1
        + oom("_dummy_sampler_run", wanted="594.00 MiB")
        + (
            "RuntimeError: CUDA out of memory occurred when warming up sampler with 1024 dummy requests. Please try lowering `max_num_seqs` "
            "or `gpu_memory_utilization` when initializing the engine.\n"
        )
    )
    found = diagnose("", log)
    assert found.facts["vocabulary"] == 152_064  # 594 MiB / 1024 / 4 B
    assert (found.facts["seqs_to"], found.facts["mib_to"]) == (256, 148)


def test_the_profiling_run_names_the_part_that_failed() -> None:
    log = V1 + oom("profile_run", "_dummy_sampler_run", wanted="502.00 MiB")
    found = diagnose("", log, said=Said(model="meta-llama/Llama-3.3-70B-Instruct"))
    assert found.facts["sampler"] is True
    assert found.facts["rows"] == 1026  # 502 MiB / 128,256 / 4 B
    assert found.facts["seqs_to"] == 128


def test_a_server_that_ran_out_is_told_by_how_much_to_lower() -> None:
    stats = "INFO [loggers.py:1] Engine 000: Avg prompt throughput: 1.0 tokens/s, Avg generation throughput: 9.0 tokens/s, Running: 3 reqs, Waiting: 0 reqs, GPU KV cache usage: 41.6%, Prefix cache hit rate: 0.0%\n"
    found = diagnose("", V1 + stats + oom("execute_model", wanted="3.00 GiB", free="200.00 MiB"))
    assert found.facts["usage"] == pytest.approx(0.416)
    assert found.facts["per_hundredth_gib"] == 0.79
    assert found.facts["lower_by"] == 0.05  # 3 − 0.195 + 0.5 spare = 3.3 GiB, at 0.79 each: five steps


def test_state_blocks_give_a_round_number_of_sequences() -> None:
    says = "ValueError: max_num_seqs (256) exceeds available Mamba cache blocks (95). Each decode sequence requires one Mamba cache block, so CUDA graph capture cannot proceed.\n"
    found = diagnose("", V1 + says)
    assert (found.cause, found.facts["nice"]) == ("mamba-cache-blocks", 64)


def test_what_the_kernel_killed_is_told_in_gib() -> None:
    says = "[26002.109061] Out of memory: Killed process 576419 (python) total-vm:78521468kB, anon-rss:54398260kB, file-rss:2628kB\n"
    assert diagnose("vllm", says).facts["rss_gib"] == 51.9  # 54,398,260 / 2**20


def test_unlike_cards_are_seen_by_their_totals() -> None:
    log = V1 + oom("load_model", total=23.64, mine=23.0) + oom("load_model", total=7.79, mine=7.7)
    assert diagnose("", log).cause == "weights-oom"  # the first to fail is the larger one
    smaller = V1 + oom("load_model", total=7.79, mine=7.7) + oom("load_model", total=23.64, mine=23.0)
    assert diagnose("", smaller).cause == "heterogeneous-gpus"


def test_a_single_gpu_is_never_unlike_another() -> None:
    log = "INFO 01-02 00:00:00 api_server.py:727] args: Namespace(model='m', tensor_parallel_size=1)\n" + oom(
        "load_model", total=7.79, mine=7.7
    )
    assert diagnose("I also have a 3090, this is the 3070", log).cause == "weights-oom"


SMI = """\
| NVIDIA-SMI 550.54.15              Driver Version: 550.54.15      CUDA Version: 12.4     |
|   0  NVIDIA A100-SXM4-80GB          On  |   00000000:07:00.0 Off |                    0 |
| N/A   33C    P0             63W /  400W |   72839MiB /  81920MiB |      0%      Default |
|    0   N/A  N/A      1234      C   VLLM::EngineCore                            72830MiB |
"""


def test_memory_that_stays_taken_is_the_pool_and_no_leak() -> None:
    found = diagnose("is this a memory leak? nothing is running", SMI)
    assert found.cause == "memory-reserved-upfront"
    assert found.facts["used_gib"] == 71.1  # 72,839 MiB


def test_a_lower_share_says_what_it_would_leave() -> None:
    log = (
        "INFO 05-03 12:10:05 worker.py:267] the current vLLM instance can use total_gpu_memory (79.25GiB) x gpu_memory_utilization (0.90) = 71.33GiB\n"
        "INFO 05-03 12:10:05 worker.py:267] model weights take 14.25GiB; non_torch_memory takes 0.15GiB; PyTorch activation peak memory takes 4.35GiB; the rest of the memory reserved for KV Cache is 52.58GiB.\n"
    )
    facts = diagnose("memory leak? zero requests and still 90%", log).facts
    assert facts["held_gib"] == 18.75  # 14.25 + 0.15 + 4.35
    assert facts["utilization_to"] == 0.35  # (18.75 × 1.35 + 1) / 79.25, up to a twentieth
    assert facts["kv_to_gib"] == 9.0  # 79.25 × 0.35 − 18.75


def test_facts_of_a_paste_without_figures_are_left_out() -> None:
    facts: dict[str, Any] = diagnose("", V1 + "RuntimeError: CUDA error: out of memory\n").facts
    assert None not in facts.values()


def test_the_process_that_the_executor_says_died_first_is_quoted() -> None:
    first = "".join(f"(VllmWorkerProcess pid=101) {line}\n" for line in oom("load_model").splitlines())
    second = "".join(f"(VllmWorkerProcess pid=202) {line}\n" for line in oom("load_model").splitlines())
    log = (
        V1
        + first
        + second
        + "ERROR 07-01 10:00:00 multiproc_worker_utils.py:120] Worker VllmWorkerProcess pid 202 died, exit code: 1\n"
    )
    assert "pid=202" in diagnose("", log).deciding_line


def test_a_quantised_model_that_does_not_fit_is_not_told_to_be_quantised() -> None:
    facts = diagnose(
        "", V1 + oom("load_model", total=23.6, mine=23.0), said=Said(model="Qwen/Qwen2.5-72B-Instruct-AWQ")
    ).facts
    assert facts["whole_gib"] > 30
    assert "awq_gib" not in facts


def test_a_cache_that_is_fp8_already_is_not_doubled() -> None:
    says = "ValueError: To serve at least one request with the model's max seq len (8192), (1.00 GiB KV cache is needed, which is larger than the available KV cache memory (0.40 GiB).\n"
    args = "INFO [x.py:1] non-default args: {'model': 'm', 'kv_cache_dtype': 'fp8'}\n"
    assert "longest_fp8" not in diagnose("", V1 + args + says).facts


def test_no_memory_at_all_holds_no_context() -> None:
    says = "ValueError: To serve at least one request with the model's max seq len (8192), (1.00 GiB KV cache is needed, which is larger than the available KV cache memory (-0.40 GiB).\n"
    facts = diagnose("", V1 + says).facts
    assert facts["longest"] == 0
    assert "nice" not in facts


def test_a_short_context_is_offered_in_whole_blocks() -> None:
    says = "ValueError: The model's max seq len (8192) is larger than the maximum number of tokens that can be stored in KV cache (432).\n"
    assert diagnose("", V1 + says).facts["nice"] == 432


def test_the_vocabulary_of_a_known_model_needs_no_oom_line() -> None:
    says = "RuntimeError: CUDA out of memory occurred when warming up sampler with 256 dummy requests. Please try lowering `max_num_seqs` or `gpu_memory_utilization` when initializing the engine.\n"
    facts = diagnose("", V1 + says, said=Said(model="Qwen/Qwen2.5-7B-Instruct")).facts
    assert facts["vocabulary"] == 152_064
    assert facts["seqs_to"] == 128


def test_settings_that_were_set_already_are_halved() -> None:
    args = "INFO [x.py:1] non-default args: {'model': 'm', 'max_num_seqs': 32, 'max_num_batched_tokens': 1024}\n"
    facts = diagnose("", V1 + args + oom("profile_run")).facts
    assert (facts["seqs_to"], facts["batched_to"]) == (16, 512)


def test_a_moderate_share_is_lowered_by_a_twentieth() -> None:
    args = "INFO [x.py:1] non-default args: {'model': 'm', 'gpu_memory_utilization': 0.85}\n"
    assert diagnose("", V1 + args + oom("capture_model")).facts["utilization_to"] == 0.8
    assert diagnose("", V1 + args + oom("execute_model", wanted="1.00 GiB")).facts["utilization_to"] == 0.82


def test_a_cache_pool_without_terms_is_halved() -> None:
    log = (
        V1
        + "INFO [x.py:1] total_gpu_memory (79.25GiB) x gpu_memory_utilization (0.90) = 71.33GiB\nINFO [x.py:1] Available KV cache memory: 50.00 GiB\n"
    )
    facts = diagnose("why does it use all memory when idle?", log).facts
    assert (facts["utilization_to"], facts["gives_gib"]) == (0.5, 39.6)


def test_who_held_memory_before_0_6_5_is_not_counted_twice() -> None:
    # The initial usage of that release already holds the weights: 15.93 of 23.65, of which 15.10 is others'.
    log = (
        "INFO 11-18 18:07:27 model_runner.py:1077] Loading model weights took 0.9277 GB\n"
        "INFO 11-18 18:07:28 worker.py:232] Memory profiling results: total_gpu_memory=23.65GiB initial_memory_usage=15.93GiB "
        "peak_torch_memory=2.33GiB memory_usage_post_profile=16.04GiB non_torch_memory=15.10GiB kv_cache_size=-7.97GiB gpu_memory_utilization=0.40\n"
        "ERROR 11-18 18:07:28 engine.py:389] ValueError: No available memory for the cache blocks.\n"
    )
    facts = diagnose("", log).facts
    assert facts["held_gib"] == 15.1
    assert facts["utilization_least"] == 0.74  # (2.33 + 15.10) / 23.65
    assert facts["utilization_to"] == 0.8
