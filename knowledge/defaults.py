"""What vLLM decides by itself when an option is not given, by version and card: the API server's defaults.

Read in vllm/engine/arg_utils.py, vllm/config/scheduler.py and vllm/config/cache.py of 70 releases, 0.4.0 to 0.33.0;
0.32's get_batch_defaults is the last one compared line by line.
"""

from knowledge.gpus import Gpu
from knowledge.versions import GRAPHS_IN_BUDGET, V1_DEFAULT, Version, chunked_prefill

LARGE_GIB = 70  # H100 and larger; from 0.9.0 not where the device name has "a100" in it (PR 17885)
LARGEST_GIB = 160  # B200, MI300X and larger: 16,384 tokens since 0.28
CPU = "CPU"  # the vendor of a host without GPUs


def utilization(version: Version) -> float:
    """--gpu-memory-utilization: 0.92 since CUDA graphs are counted inside the budget (PR 38284), 0.90 before."""
    return 0.92 if version >= GRAPHS_IN_BUDGET else 0.90


def batch(version: Version, gpu: Gpu, world: int = 1) -> tuple[int, int]:
    """(--max-num-batched-tokens, --max-num-seqs) in effect on that card; `world` is TP × PP, which counts on CPUs alone.

    Before 0.8 (V0) the tokens are a floor: without chunked prefill they rise to --max-model-len, and with it they were 512
    before 0.6.5; `settled` knows.
    """
    if gpu.vendor == CPU:
        return (
            (2048 * world, 128 * world) if version >= Version(0, 10) else (_tokens(version, gpu), _seqs(version, gpu))
        )
    return _tokens(version, gpu), _seqs(version, gpu)


def _large(gpu: Gpu) -> bool:
    return gpu.total_gib.expected >= LARGE_GIB


def _hopper(gpu: Gpu) -> bool:
    """What releases before 0.8.5 looked for: H100 or H200 in the device name (PR 12622)."""
    name = (gpu.device_name or gpu.name).lower()
    return "h100" in name or "h200" in name


def _treated_as_large(version: Version, gpu: Gpu) -> bool:
    if version >= Version(0, 9):
        return _large(gpu) and "a100" not in (gpu.device_name or gpu.name).lower()
    return _large(gpu)


def _tokens(version: Version, gpu: Gpu) -> int:
    if version >= Version(0, 28) and gpu.total_gib.expected >= LARGEST_GIB:
        return 16384
    if version >= Version(0, 8, 5):
        return 8192 if _treated_as_large(version, gpu) and not _small_anyway(version, gpu) else 2048
    if version >= V1_DEFAULT and _hopper(gpu):
        return 8192
    return 2048


def _seqs(version: Version, gpu: Gpu) -> int:
    if version < V1_DEFAULT:
        return 256
    if version < Version(0, 8, 4):
        return 1024  # V1 on every card until PR 16158
    if version < Version(0, 8, 5):
        return 1024 if _hopper(gpu) else 256
    return 1024 if _treated_as_large(version, gpu) and not _small_anyway(version, gpu) else 256


def _small_anyway(version: Version, gpu: Gpu) -> bool:
    """GB10 shares its memory with the host and has small defaults since 0.33."""
    return version >= Version(0, 33) and "gb10" in gpu.device_name.lower()


def settled(version: Version, gpu: Gpu, max_model_len: int, world: int = 1) -> tuple[int, int]:
    """`batch` for a context of `max_model_len` tokens, where the prompt's length and the caps have their say."""
    batched, seqs = batch(version, gpu, world)
    chunked = chunked_prefill(version, max_model_len)
    if chunked and version < Version(0, 6, 5):
        batched = 512
    return capped(version, batched, seqs, max_model_len, chunked_prefill=chunked)


def capped(
    version: Version, batched: int, seqs: int, max_model_len: int, *, chunked_prefill: bool = True
) -> tuple[int, int]:
    """Both numbers as vLLM settles them when neither was said: what a batch can hold at most, and who fits into it.

    Without chunked prefill a prompt must go through whole, so the tokens rise to --max-model-len. Since 0.11.1 they are at
    most seqs × max_model_len, and since 0.10.1 the sequences are at most the tokens.
    """
    if not chunked_prefill:
        batched = max(batched, max_model_len)
    if version >= Version(0, 11, 1):
        batched = min(batched, seqs * max_model_len)
    return batched, min(seqs, batched) if version >= Version(0, 10, 1) else seqs


def block_size(gpu: Gpu) -> int:
    """--block-size, tokens in a KV block, before a backend or a recurrent state raises it: 128 on Gaudi, else 16.

    vllm/config/cache.py DEFAULT_BLOCK_SIZE, every release read; what raises it is in knowledge/memory/block_sizes.py.
    """
    return 128 if gpu.family.startswith("Gaudi") else 16
