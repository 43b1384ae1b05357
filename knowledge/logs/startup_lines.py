"""The lines of a start-up log that hold figures, release by release, and the settings that a start prints."""

import re
from collections.abc import Callable
from dataclasses import dataclass

_F = r"(?<![\d,.])(-?[\d,]{1,16}(?:\.\d{1,8})?)"


@dataclass(frozen=True, slots=True)
class Rule:
    """A line with figures: a piece of it to look for, the pattern, and the fields that its groups fill."""

    needle: str
    pattern: re.Pattern[str]
    names: tuple[str, ...]
    take: Callable[[float | None, float], float] | None = None


def _rule(needle: str, pattern: str, *names: str, least: bool = False, most: bool = False) -> Rule:
    take = _least if least else _most if most else None
    return Rule(needle, re.compile(pattern), names, take)


def _least(before: float | None, now: float) -> float:
    return now if before is None else min(before, now)


def _most(before: float | None, now: float) -> float:
    return now if before is None else max(before, now)


RULES = (
    _rule("Loading model weights took", rf"Loading model weights took {_F} GB", "weights_gib", most=True),
    _rule("Model loading took", rf"Model loading took {_F} Gi?B(?: memory)?(?: and {_F} s)?", "weights_gib", "load_seconds", most=True),
    _rule("Memory profiling results", rf"total_gpu_memory={_F}GiB.*?initial_memory_usage={_F}GiB", "total_gib", "initial_gib"),
    _rule("peak_torch_memory=", rf"peak_torch_memory={_F}GiB", "peak_torch_gib", most=True),
    _rule("non_torch_memory=", rf"non_torch_memory={_F}GiB", "non_torch_gib", most=True),
    _rule("kv_cache_size=", rf"kv_cache_size={_F}GiB", "kv_gib", least=True),
    _rule("gpu_memory_utilization=0", r"gpu_memory_utilization=(0\.\d+)", "utilization"),
    _rule("x gpu_memory_utilization", rf"total_gpu_memory \({_F}GiB\) x gpu_memory_utilization \({_F}\)", "total_gib", "utilization"),
    _rule(
        "model weights take",
        rf"model weights take {_F}GiB; non_torch_memory takes {_F}GiB; PyTorch activation peak memory takes {_F}GiB; "
        rf"the rest of the memory reserved for KV Cache is {_F}GiB",
        "weights_gib", "non_torch_gib", "activation_gib", "kv_gib",
    ),
    _rule("for peak activation", rf"{_F} GiB for peak activation", "activation_gib", most=True),
    _rule("for weight", rf"Actual usage is {_F} GiB for weight", "weights_gib", most=True),
    _rule("for non-torch memory", rf"{_F} GiB for non-torch memory", "non_torch_gib", most=True),
    _rule("for consumed memory", rf"{_F} GiB for consumed memory", "consumed_gib", most=True),
    _rule("for CUDAGraph memory", rf"{_F} GiB for CUDAGraph memory", "graphs_gib", most=True),
    _rule("Free memory on device", rf"Free memory on device \S*\s?\({_F}/{_F} GiB\).*?utilization (?:is )?\({_F},", "free_gib", "total_gib", "utilization"),
    _rule("torch peak memory increase", rf"torch peak memory increase: {_F}GiB; non-torch forward increase memory: {_F}GiB", "activation_gib", "non_torch_gib", most=True),
    _rule("Initial free memory", rf"Initial free memory: {_F} GiB", "free_gib"),
    _rule("Initial free memory ", rf"Initial free memory {_F} GiB, reserved {_F} GiB", "free_gib", "kv_gib"),
    _rule("GiB for KV cache on node", rf"set \({_F}/{_F}\) GiB for KV cache on node", "kv_gib", "host_gib", least=True),
    _rule("Auto-fit max_model_len", r"Auto-fit max_model_len: reduced from \d+ to (\d+)", "max_model_len"),
    _rule("Available KV cache memory", rf"Available KV cache memory: {_F} GiB", "kv_gib", least=True),
    _rule("KV cache is needed", rf"available KV cache memory \({_F} GiB\)", "kv_gib", least=True),
    _rule("KV cache size:", rf"KV cache size: {_F} tokens", "kv_tokens", least=True),
    _rule("Maximum concurrency for", rf"Maximum concurrency for {_F} tokens per request: {_F}x", "concurrency_tokens", "max_concurrency", least=True),
    _rule("GPU blocks:", r"# (?:GPU|cuda|CUDA) blocks: (\d+)", "kv_blocks", least=True),
    _rule("cuda blocks:", r"# cuda blocks: (\d+)", "kv_blocks", least=True),
    _rule("CUDA blocks:", r"# CUDA blocks: (\d+)", "kv_blocks", least=True),
    _rule("Estimated CUDA graph memory", rf"Estimated CUDA graph memory: {_F} GiB", "graphs_estimated_gib", most=True),
    _rule("Graph capturing finished", rf"Graph capturing finished in {_F} secs?, took {_F} GiB", "capture_seconds", "graphs_gib", most=True),
    _rule("CUDA graph pool memory", rf"CUDA graph pool memory: {_F} GiB \(actual\), {_F} GiB \(estimated\)", "graphs_gib", "graphs_estimated_gib", most=True),
    _rule("Using max model len", r"Using max model len (\d+)", "max_model_len"),
    _rule("Chunked prefill is enabled", r"max_num_batched_tokens=(\d+)", "max_num_batched_tokens"),
    _rule("init engine", rf"init engine \(profile, create kv cache, warmup model\) took {_F} s", "init_seconds"),
    _rule("torch.compile takes", rf"torch\.compile takes {_F} s", "compile_seconds", most=True),
    _rule("torch.compile took", rf"torch\.compile took {_F} s", "compile_seconds", most=True),
    _rule("max seq len (", r"max seq len \((\d+)\)", "max_model_len"),
)  # fmt: skip
EAGER = (
    "enforce-eager is enabled",
    "disabled under eager mode",
    "Enforce eager set",
    "enforce_eager is set",
)
STARTED = (
    "Application startup complete",
    "Starting vLLM API server on",
    "Starting vLLM server on",
    "Uvicorn running on",
)
SETTINGS = {
    "model": "model",
    "tensor_parallel_size": "tp",
    "pipeline_parallel_size": "pp",
    "data_parallel_size": "dp",
    "max_seq_len": "max_model_len",
    "max_model_len": "max_model_len",
    "dtype": "dtype",
    "quantization": "quantization",
    "kv_cache_dtype": "kv_cache_dtype",
    "enforce_eager": "enforce_eager",
    "max_num_seqs": "max_num_seqs",
    "max_num_batched_tokens": "max_num_batched_tokens",
    "gpu_memory_utilization": "utilization",
    "block_size": "block_size",
    "enable_expert_parallel": "expert_parallel",
    "max_lora_rank": "max_lora_rank",
    "port": "port",
    "enable_prefix_caching": "enable_prefix_caching",
    "enable_chunked_prefill": "chunked_prefill",
}
