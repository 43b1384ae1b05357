"""What a start logs, in every wording since 0.4, is read into the same fields."""

from typing import Any

import pytest

from knowledge.logs.startup import gib_of, read_startup

STARTS: dict[str, tuple[str, dict[str, Any]]] = {
    "0.4": (
        "INFO 04-17 14:20:04 llm_engine.py:74] Initializing an LLM engine (v0.4.0) with config: model='/data/m-13b', dtype=torch.float16, "
        "max_seq_len=4096, tensor_parallel_size=2, disable_custom_all_reduce=True, quantization=gptq, enforce_eager=False, kv_cache_dtype=auto\n"
        "INFO 04-17 14:20:30 model_runner.py:104] Loading model weights took 9.0811 GB\n"
        "INFO 04-17 14:20:40 gpu_executor.py:94] # GPU blocks: 2763, # CPU blocks: 1310\n",
        {
            "version": "0.4.0", "model": "/data/m-13b", "tp": 2, "dtype": "float16", "max_model_len": 4096, "quantization": "gptq",
            "enforce_eager": False, "kv_cache_dtype": None, "weights_gib": 9.0811, "kv_blocks": 2763,
        },
    ),
    "0.6.4": (
        "INFO 11-18 18:07:28 llm_engine.py:237] Initializing an LLM engine (v0.6.4) with config: model='Qwen/Qwen2.5-0.5B-Instruct'\n"
        "INFO 11-18 18:07:27 model_runner.py:1077] Loading model weights took 0.9277 GB\n"
        "INFO 11-18 18:07:28 worker.py:232] Memory profiling results: total_gpu_memory=23.65GiB initial_memory_usage=15.93GiB "
        "peak_torch_memory=2.33GiB memory_usage_post_profile=16.04GiB non_torch_memory=15.10GiB kv_cache_size=-7.97GiB gpu_memory_utilization=0.40\n",
        {
            "total_gib": 23.65, "free_gib": 7.72, "activation_gib": 1.4, "non_torch_gib": 15.1, "kv_gib": -7.97, "utilization": 0.4,
        },
    ),
    "0.7": (
        "INFO 02-07 11:28:20 worker.py:266] the current vLLM instance can use total_gpu_memory (79.25GiB) x gpu_memory_utilization (0.90) = 71.33GiB\n"
        "INFO 02-07 11:28:20 worker.py:266] model weights take 14.25GiB; non_torch_memory takes 0.15GiB; PyTorch activation peak memory takes 4.35GiB; "
        "the rest of the memory reserved for KV Cache is 52.58GiB.\n"
        "INFO 02-07 11:28:26 executor_base.py:113] Maximum concurrency for 32768 tokens per request: 28.91x\n",
        {
            "total_gib": 79.25, "utilization": 0.9, "weights_gib": 14.25, "non_torch_gib": 0.15, "activation_gib": 4.35, "kv_gib": 52.58,
            "max_concurrency": 28.91, "concurrency_tokens": 32_768,
        },
    ),
    "0.9": (
        "INFO 06-18 15:48:00 [api_server.py:1287] vLLM API server version 0.9.1\n"
        "INFO 06-18 15:48:00 [cli_args.py:309] non-default args: {'port': 8002, 'model': 'Qwen/Qwen3-8B', 'max_model_len': 40960, 'tensor_parallel_size': 2}\n"
        "(VllmWorker rank=0 pid=5) INFO 06-18 15:48:40 [gpu_model_runner.py:1801] Model loading took 7.6391 GiB and 9.123456 seconds\n"
        "(VllmWorker rank=1 pid=6) INFO 06-18 15:48:41 [gpu_model_runner.py:1801] Model loading took 7.7000 GiB and 9.5 seconds\n"
        "(VllmWorker rank=0 pid=5) INFO 06-18 15:49:10 [gpu_worker.py:227] Available KV cache memory: 30.10 GiB\n"
        "(VllmWorker rank=1 pid=6) INFO 06-18 15:49:10 [gpu_worker.py:227] Available KV cache memory: 29.90 GiB\n"
        "INFO 06-18 15:49:11 [kv_cache_utils.py:716] GPU KV cache size: 176,240 tokens\n"
        "INFO 06-18 15:49:11 [kv_cache_utils.py:720] Maximum concurrency for 40,960 tokens per request: 4.30x\n"
        "(VllmWorker rank=0 pid=5) INFO 06-18 15:49:30 [gpu_model_runner.py:2343] Graph capturing finished in 20 secs, took 0.60 GiB\n"
        "INFO 06-18 15:49:30 [core.py:172] init engine (profile, create kv cache, warmup model) took 60.19 seconds\n"
        "INFO:     Application startup complete.\n",
        {
            "version": "0.9.1", "model": "Qwen/Qwen3-8B", "port": 8002, "tp": 2, "max_model_len": 40_960, "weights_gib": 7.7, "kv_gib": 29.9,
            "kv_tokens": 176_240, "max_concurrency": 4.3, "graphs_gib": 0.6, "load_seconds": 9.5, "init_seconds": 60.19, "outcome": "started",
        },
    ),
    "0.11 in debug": (
        "DEBUG 10-01 10:00:00 [gpu_worker.py:250] Initial free memory: 78.60 GiB; Requested memory: 0.90 (util), 71.20 GiB\n"
        "DEBUG 10-01 10:00:00 [gpu_worker.py:256] Memory profiling takes 4.1 seconds. Total non KV cache memory: 16.84GiB; torch peak memory increase: "
        "1.40GiB; non-torch forward increase memory: 0.11GiB; weights memory: 15.33GiB.\n"
        "INFO 10-01 10:00:05 [monitor.py:34] torch.compile takes 22.52 s in total\n",
        {"free_gib": 78.6, "activation_gib": 1.4, "non_torch_gib": 0.11, "compile_seconds": 22.52},
    ),
    "0.32": (
        "(APIServer pid=1) INFO 12-01 00:18:42 [api_utils.py:347]  ▄▄ ▄█ █     █     █ ▀▄▀ █  version 0.32.0\n"
        "(APIServer pid=1) INFO 12-01 00:18:42 [api_utils.py:347]   █▄█▀ █     █     █     █  model   Qwen/Qwen3-8B\n"
        "(Worker pid=3) INFO 12-01 00:19:00 [gpu_model_runner.py:6475] Estimated CUDA graph memory: 0.80 GiB total\n"
        "(Worker pid=3) INFO 12-01 00:19:10 [gpu_worker.py:1013] Free memory on device (78.6/79.11 GiB) on startup. Desired GPU memory utilization is "
        "(0.92, 72.78 GiB). Actual usage is 15.4 GiB for consumed memory (weights + non-torch), 2.2 GiB for peak activation, and 0.65 GiB for CUDAGraph memory.\n"
        "(Worker pid=3) INFO 12-01 00:19:11 [gpu_worker.py:972] CUDA graph pool memory: 0.65 GiB (actual), 0.80 GiB (estimated), difference: 0.15 GiB (18.7%).\n"
        "(EngineCore pid=2) INFO 12-01 00:19:12 [kv_cache_utils.py:2327] GPU KV cache size: 400,000 tokens, Maximum concurrency for 40,960 tokens per request: 9.77x\n",
        {
            "version": "0.32.0", "model": "Qwen/Qwen3-8B", "utilization": 0.92, "total_gib": 79.11, "free_gib": 78.6, "activation_gib": 2.2,
            "graphs_gib": 0.65, "graphs_estimated_gib": 0.8, "transient_gib": 1.4, "kv_tokens": 400_000, "max_concurrency": 9.77,
        },
    ),
    "cache sized by hand": (
        "(Worker pid=3) INFO 12-01 00:19:00 [gpu_worker.py:700] Initial free memory 78.66 GiB, reserved 10.50 GiB memory for KV Cache as specified by "
        "kv_cache_memory_bytes config and skipped memory profiling.\n"
        "INFO Auto-fit max_model_len: reduced from 131072 to 40960 to fit in available KV cache memory (10.50 GiB)\n",
        {"free_gib": 78.66, "kv_gib": 10.5, "max_model_len": 40_960},
    ),
    "a V0 server's arguments": (
        "INFO 01-02 00:00:00 api_server.py:727] args: Namespace(host='0.0.0.0', port=8000, model='m/n', tensor_parallel_size=2, max_num_seqs=64, "
        "gpu_memory_utilization=0.85, enable_prefix_caching=True, quantization=None)\n",
        {"port": 8000, "model": "m/n", "tp": 2, "max_num_seqs": 64, "utilization": 0.85, "enable_prefix_caching": True, "quantization": None},
    ),
    "speculation in the arguments": (
        "(APIServer pid=1) INFO 12-01 00:18:42 [x.py:286] non-default args: {'model_tag': 'Qwen/Qwen3-8B', 'speculative_config': {'method': 'ngram', "
        "'num_speculative_tokens': 4}}\n",
        {"model": "Qwen/Qwen3-8B", "speculative": "ngram"},
    ),
    "a draft in the configuration": (
        "(EngineCore pid=2) INFO 12-01 00:18:58 [core.py:133] Initializing a V1 LLM engine (v0.32.0) with config: model='m', speculative_config="
        "SpeculativeConfig(method='eagle'), tensor_parallel_size=1, max_seq_len=x, enforce_eager=True\n",
        {"speculative": "draft", "tp": 1, "max_model_len": None, "enforce_eager": True},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("log", "fields"), STARTS.values(), ids=STARTS.keys())
def test_a_start_is_read(log: str, fields: dict[str, Any]) -> None:
    found = read_startup(log)
    assert {name: getattr(found, name) for name in fields} == fields


def test_of_several_ranks_the_one_with_the_least_room_counts() -> None:
    found = read_startup(STARTS["0.9"][0])
    assert (found.weights_gib, found.kv_gib) == (7.7, 29.9)


@pytest.mark.parametrize(
    ("ranks", "gpus"),
    [((0,), 1), ((0, 1, 2), 3), ((4, 6), 8), ((3,), 4)],
    ids=["one", "all three", "some of eight", "the last of four"],
)
def test_ranks_that_kept_quiet_are_counted_too(ranks: tuple[int, ...], gpus: int) -> None:
    log = "".join(f"(Worker_TP{rank} pid={rank + 9}) INFO 12-01 00:19:00 [x.py:1] up\n" for rank in ranks)
    assert read_startup(log).gpus == gpus


def test_pipeline_stages_multiply_the_gpus() -> None:
    log = "INFO x.py:1] non-default args: {'tensor_parallel_size': 2, 'pipeline_parallel_size': 4}\n"
    assert read_startup(log).gpus == 8


def test_a_text_without_a_start_observed_nothing() -> None:
    found = read_startup("hello\nworld")
    assert (found.gpus, found.says_memory, found.transient_gib, found.outcome) == (None, False, None, "unknown")


@pytest.mark.parametrize(
    ("text", "gib"), [("512 bytes", 512 / 2**30), ("448.00 KiB", 448 / 2**20), ("512.00 MiB", 0.5), ("1.50 GiB", 1.5)]
)
def test_pytorchs_sizes_are_read(text: str, gib: float) -> None:
    assert gib_of(text) == pytest.approx(gib)
