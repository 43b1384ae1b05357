"""What was assumed to answer, by the contract's field names, and codes of what else is worth saying."""

from knowledge.fit.builds import refused_by
from knowledge.fit.layouts import REFINES_BLOCKS, Layout, splits_expert_blocks
from knowledge.fit.request import FitRequest
from knowledge.fit.words import SHORT
from knowledge.gpus import Gpu, Link
from knowledge.launch import Launch
from knowledge.memory.identity import cache_kinds
from knowledge.shapes.layers import LatentAttention
from knowledge.versions import DEFAULT, NEWEST, OLDEST, Version

Assumed = dict[str, str | int | float]

PLUGINS = {"Huawei": "vllm-ascend", "Gaudi": "vllm-gaudi"}  # by maker or family: a plug-in with flags of its own
OLDEST_BUILT_FOR = (7, 5)  # official builds since CUDA 13 (spring 2026, 0.20) leave V100 and older out
CUDA_13_BUILDS = Version(0, 20)


def assumed(request: FitRequest, launch: Launch, *, cards: int) -> Assumed:
    """Every default used; `cards` is how many cards the question can mean."""
    said: dict[str, object] = {
        "count": request.count,
        "tp": request.tp,
        "pp": request.pp,
        "dp": request.dp,
        "nodes": request.nodes,
        "utilization": request.gpu_memory_utilization or request.kv_cache_memory_gib,
        "concurrency": request.concurrency,
        "context_tokens": request.context,
        "weight_quant": request.quantization,
        "kv_dtype": request.kv_cache_dtype,
        "vllm_version": request.vllm_version,
        "max_num_seqs": request.max_num_seqs,
        "max_num_batched_tokens": request.max_num_batched_tokens,
        "gpu_mem_gb": None if cards > 1 else _memory_said(request, launch),
        "dtype": request.dtype,
    }
    return {name: value for name, value in _used(request, launch).items() if said[name] is None}


def _used(request: FitRequest, launch: Launch) -> Assumed:
    shape = launch.shape
    used: Assumed = {
        "count": request.count or launch.gpus,
        "tp": launch.tp,
        "utilization": launch.utilization,
        "concurrency": request.concurrency or 1,
        "context_tokens": launch.max_model_len,
        "weight_quant": shape.quantization.label if shape.quantization else SHORT.get(launch.dtype, launch.dtype),
        "kv_dtype": kv_label(launch),
        "vllm_version": str(DEFAULT),
        "max_num_seqs": launch.max_num_seqs,
        "max_num_batched_tokens": launch.max_num_batched_tokens,
        "gpu_mem_gb": launch.gpu.memory_gb,
    }
    several: Assumed = {"pp": launch.pp, "dp": launch.dp, "nodes": launch.nodes}
    used |= {name: value for name, value in several.items() if isinstance(value, int) and value > 1}
    return used | ({"dtype": launch.dtype} if launch.dtype != shape.dtype else {})


def kv_label(launch: Launch) -> str:
    """The contract's word for the dtype that the cache is stored in."""
    chosen = next(
        (word for word in (launch.kv_cache_dtype, launch.shape.kv_cache_dtype) if word != "auto"), launch.dtype
    )
    return SHORT.get(chosen, chosen)


def _memory_said(request: FitRequest, launch: Launch) -> float | None:
    if request.gpu_memory_gib is not None:
        return request.gpu_memory_gib
    return launch.gpu.memory_gb if str(launch.gpu.memory_gb) in (request.gpu or "") else None


def notes(request: FitRequest, launch: Launch, layout: Layout, asked: Version) -> tuple[str, ...]:
    """Codes, most important first; a front turns them into sentences."""
    shape, gpu = launch.shape, launch.gpu
    capability = gpu.compute_capability
    holds = {
        "build-refused-by-card": refused_by(shape, gpu),
        "beyond-model-limit": launch.max_model_len > shape.max_context,
        "nearest-version": not OLDEST <= asked <= NEWEST,
        "unlisted-gpu": not gpu.listed,
        f"plugin-{plugin_of(gpu)}": plugin_of(gpu) is not None,
        "not-in-official-builds": capability is not None and capability < OLDEST_BUILT_FOR and asked >= CUDA_13_BUILDS,
        "idle-gpus": layout.idle > 0,
        "pipeline-for-count": layout.awkward and layout.pp > 1,
        "no-nvlink": gpu.link is Link.PCIE and launch.tp > 1,
        "float16-card": launch.dtype == "float16" and shape.dtype == "bfloat16" and request.dtype is None,
        "fp8-weight-only": _weight_only_fp8(launch),
        "kv-fp8-unsupported-card": launch.kv_cache_dtype.startswith("fp8") and not fp8_cache_runs(launch),
        "kv-heads-replicated": launch.tp > max(1, shape.kv_heads) and not keeps_latents(launch),
        "latent-replicated": launch.tp > 1 and keeps_latents(launch),
        "experts-need-ep": launch.expert_parallel and not request.enable_expert_parallel,
        "tp-splits-fp8-blocks": _blocks_refused(launch),
        "quantised-while-loading": shape.quantization is not None and shape.quantization.online,
        "seqs-below-concurrency": (request.concurrency or 1) > launch.max_num_seqs,
        "no-kv-cache": shape.encoder_only,
    }
    return tuple(code for code, true in holds.items() if true) + shape.notes


def plugin_of(gpu: Gpu) -> str | None:
    """The plug-in through which vLLM runs on that card, None where vLLM itself does."""
    return PLUGINS.get(gpu.vendor) or PLUGINS.get(gpu.family.split()[0])


def fp8_cache_runs(launch: Launch) -> bool:
    """Whether that version runs an FP8 KV cache on that card, as far as is known.

    CUDA: FlashAttention and FlashMLA from compute capability 8.9 and 9.0; FlashInfer brings Ampere's plain attention
    (a start on an RTX 3090 with 0.23 is known, and the sources of 0.32.0 say 8.0). AMD: cards with their own FP8.
    """
    capability, gpu = launch.gpu.compute_capability, launch.gpu
    if gpu.vendor != "NVIDIA" or capability is None:
        return gpu.native_fp8
    if keeps_latents(launch):
        return capability >= (9, 0)
    return capability >= (8, 9) or (capability >= (8, 0) and launch.version >= Version(0, 23))


def _blocks_refused(launch: Launch) -> bool:
    if launch.expert_parallel or launch.version >= REFINES_BLOCKS:
        return False
    return splits_expert_blocks(launch.shape, launch.tp)


def _weight_only_fp8(launch: Launch) -> bool:
    how = launch.shape.quantization
    return how is not None and how.label == "fp8" and not launch.gpu.native_fp8


def keeps_latents(launch: Launch) -> bool:
    """Whether the cache is MLA's, which every TP rank holds whole."""
    return LatentAttention in cache_kinds(launch.shape)
