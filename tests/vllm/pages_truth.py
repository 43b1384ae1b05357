# mypy: ignore-errors
# It runs where vLLM is; the type checker does not see it.
"""Asks vLLM 0.32.0's own functions how many tokens a KV cache holds; runs in vLLM's venv, not in the bot's.

pages_truth.py LAYOUTS [ID…] prints one JSON line a case (all, or those named): the case, the state parts on one GPU as vLLM's
calculators give them, and what vLLM makes of it. Specs come from vLLM's attention layers and its FlashAttention backend, the
groups, blocks, capacity and start-up check from vllm/v1/core/kv_cache_utils.py, the block size of a hybrid from the platform.
Only what would need a GPU or a checkpoint stands in: layers are not built, they are described by LAYOUTS.
"""

import json
import sys
from contextlib import nullcontext
from math import prod
from pathlib import Path
from types import SimpleNamespace

import torch
from vllm.config import VllmConfig
from vllm.config import vllm as config_module
from vllm.distributed.utils import get_pp_indices
from vllm.model_executor.layers.attention.attention import Attention
from vllm.model_executor.layers.attention.chunked_local_attention import ChunkedLocalAttention
from vllm.model_executor.layers.attention.mla_attention import MLAAttention
from vllm.model_executor.layers.mamba.abstract import MambaBase
from vllm.model_executor.layers.mamba.mamba_utils import MambaStateShapeCalculator
from vllm.model_executor.models import ModelRegistry
from vllm.model_executor.models.deepseek_v2 import DeepseekV32IndexerCache
from vllm.models.deepseek_v4.attention import DeepseekV4Attention, DeepseekV4IndexerCache
from vllm.models.deepseek_v4.compressor import CompressorStateCache
from vllm.platforms.interface import Platform
from vllm.v1.attention.backend import AttentionType
from vllm.v1.attention.backends.flash_attn import FlashAttentionBackend
from vllm.v1.attention.backends.mla.sparse_swa import DeepseekV4SWACache
from vllm.v1.attention.backends.mla.triton_mla import TritonMLABackend
from vllm.v1.core import kv_cache_utils
from vllm.v1.kv_cache_layout import KVCacheLayout

DTYPES = {"auto": torch.bfloat16, "bfloat16": torch.bfloat16, "fp8": torch.float8_e4m3fn, "fp8_ds_mla": torch.uint8}
GIB = 2**30


def configuration(case: dict, hybrid: bool, mla: bool) -> SimpleNamespace:
    """What vLLM's functions read of a VllmConfig, with the properties that 0.32.0 computes."""
    model = SimpleNamespace(
        max_model_len=case["max_model_len"],
        original_max_model_len=case["max_model_len"],
        dtype=torch.bfloat16,
        use_mla=mla,
        architecture="Described",
        is_hybrid=hybrid,
        hf_config=SimpleNamespace(model_type=""),
    )
    cache = SimpleNamespace(
        block_size=case["block_size"] or 16,
        cache_dtype=case["kv_cache_dtype"],
        kv_cache_dtype_skip_layers=[],
        skip_page_size_padded=None,
        mamba_page_size_padded=None,
        mamba_block_size=None,
        mamba_cache_mode="align" if hybrid else "none",
        num_gpu_blocks_override=None,
        use_replayssm=False,
        prefix_cache_retention_interval=None,
    )
    config = SimpleNamespace(
        model_config=model,
        cache_config=cache,
        speculative_config=None,
        num_speculative_tokens=case["draft_tokens"],
        num_prefill_lookahead_tokens=0,
        use_v2_model_runner=True,
        attention_config=SimpleNamespace(hisparse_config=None),
        parallel_config=SimpleNamespace(
            tensor_parallel_size=case["tp"], pipeline_parallel_size=case["pp"], decode_context_parallel_size=1
        ),
        scheduler_config=SimpleNamespace(
            disable_hybrid_kv_cache_manager=False,
            async_scheduling=True,
            max_num_batched_tokens=case["max_num_batched_tokens"],
        ),
    )
    cache.get_resolved_kv_cache_layout = lambda: (
        KVCacheLayout.BLHNC if "DeepSeek-V4" in case["model"] else KVCacheLayout.LBNHC
    )
    config.max_concurrent_batches = VllmConfig.max_concurrent_batches.fget(config)
    config.max_in_flight_tokens = VllmConfig.max_in_flight_tokens.fget(config)
    return config


def shapes(state: dict, tp: int, drafts: int = 0) -> tuple:
    """A state's shapes on one of `tp` ranks."""
    calculate = getattr(MambaStateShapeCalculator, state["shape"])
    speculation = {"num_spec": drafts} if drafts else {}
    ranks = "tp_size" if state["shape"] == "linear_attention_state_shape" else "tp_world_size"
    return tuple(calculate(**{ranks: tp}, **state["sizes"], **speculation))


def state_dtypes(state: dict) -> tuple:
    """A state's dtypes."""
    return tuple(getattr(torch, name) for name in state["dtypes"])


def align(config: SimpleNamespace, layers: list, tp: int) -> None:
    """Lets the platform raise the block size of a hybrid, as a CUDA card's would with FlashAttention or Triton MLA."""
    caches = [cache for layer in layers for cache in layer]
    state = next(cache["state"] for cache in caches if "state" in cache)
    attention = next((cache for cache in caches if "full" in cache or "latent" in cache), None)
    if attention is None:
        config.cache_config.mamba_block_size = config.model_config.max_model_len
        return
    heads, head_size = (1, attention["latent"]) if "latent" in attention else attention["full"][:2]
    config.model_config.get_num_kv_heads = lambda _: max(1, heads // tp)
    config.model_config.get_head_size = lambda: head_size
    described = SimpleNamespace(
        get_mamba_state_shape_from_config=lambda _: shapes(state, tp, config.num_speculative_tokens),
        get_mamba_state_dtype_from_config=lambda _: state_dtypes(state),
    )
    ModelRegistry.resolve_model_cls = lambda *_, **__: (described, "Described")
    backend = TritonMLABackend if "latent" in attention else FlashAttentionBackend
    platform = type("Card", (Platform,), {"_find_non_ssm_backends": classmethod(lambda cls, _: [backend])})
    config_module.set_current_vllm_config = nullcontext
    platform._align_hybrid_block_size(config, backend)


def specs(cache: dict, config: SimpleNamespace, tp: int) -> list:
    """The cache specs that vLLM's layer would hand to the engine, in its order."""
    kv_dtype = config.cache_config.cache_dtype
    kind, size = next(iter(cache.items()))
    common = {"cache_config": config.cache_config, "kv_cache_dtype": kv_dtype, "kv_cache_torch_dtype": DTYPES[kv_dtype]}
    if kind in ("full", "window", "chunk"):
        layer = SimpleNamespace(
            **common,
            attn_type=AttentionType.DECODER,
            attn_backend=FlashAttentionBackend,
            num_kv_heads=max(1, size[0] // tp),
            head_size=size[1],
            head_size_v=size[2],
            sliding_window=size[3] if kind == "window" else None,
        )
        if kind == "chunk":
            layer.attention_chunk_size = size[3]
            return [ChunkedLocalAttention.get_kv_cache_spec(layer, config)]
        return [Attention.get_kv_cache_spec(layer, config)]
    if kind == "latent":
        layer = SimpleNamespace(
            **common, head_size=size, sliding_window=None, indexer=None, non_causal_multi_token_decode=False
        )
        return [MLAAttention.get_kv_cache_spec(layer, config)]
    if kind == "indexer":
        return [
            DeepseekV32IndexerCache.get_kv_cache_spec(
                SimpleNamespace(**common, head_dim=size, dtype=torch.uint8), config
            )
        ]
    if kind == "state":
        layer = SimpleNamespace(
            get_state_shape=lambda: shapes(size, tp, config.num_speculative_tokens),
            get_state_dtype=lambda: state_dtypes(size),
            mamba_type=size["kind"],
            is_kv_cache_tp_replicated=False,
        )
        return [MambaBase.get_kv_cache_spec(layer, config)]
    return compressed_specs(size, config, common)


def compressed_specs(size: list, config: SimpleNamespace, common: dict) -> list:
    """DeepSeek-V4's: window, compressed latent, compressor, and the indexer with its own."""
    ratio, window, entry, indexer = size
    layer = SimpleNamespace(**common, bounded_replay=False, block_size=64, head_dim=512, dtype=torch.uint8, window_size=window,
                            packed_bytes_per_token=entry, packed_page_alignment=576, compress_ratio=ratio)  # fmt: skip
    found = [DeepseekV4SWACache.get_kv_cache_spec(layer, config)]
    if ratio <= 1:
        return found
    overlap = 2 if ratio == 4 else 1

    def compressor(head_size: int) -> object:
        state = SimpleNamespace(
            block_size={4: 4, 128: 8}[ratio],
            state_dim=2 * overlap * head_size,
            dtype=torch.float32,
            sliding_window=overlap * ratio,
        )
        return CompressorStateCache.get_kv_cache_spec(state, config)

    found += [DeepseekV4Attention.get_kv_cache_spec(layer, config), compressor(512)]
    if indexer:
        cache = SimpleNamespace(**common | {"head_dim": indexer, "dtype": torch.uint8, "compress_ratio": ratio})
        found += [DeepseekV4IndexerCache.get_kv_cache_spec(cache, config), compressor(128)]
    return found


def truth(case: dict, layers: list, drafts: list) -> dict:
    """What vLLM makes of the case."""
    caches = [cache for layer in layers for cache in layer]
    hybrid = any("state" in cache for cache in caches) and any("full" in cache or "latent" in cache for cache in caches)
    config = configuration(case, hybrid, any("latent" in cache for cache in caches))
    if any("state" in cache for cache in caches):
        align(config, layers, case["tp"])
    stages = []
    for rank in range(case["pp"]):
        first, end = get_pp_indices(len(layers), rank, case["pp"])
        found = [
            spec for index in range(first, end) for cache in layers[index] for spec in specs(cache, config, case["tp"])
        ]
        if case["draft_tokens"] and rank == case["pp"] - 1:
            found += [spec for cache in drafts for spec in specs(cache, config, case["tp"])]
        stages.append({f"{rank}.{index}": spec for index, spec in enumerate(found)})
    memory = round(case["kv_cache_gib"] * GIB)
    groups = kv_cache_utils.get_kv_cache_groups(
        config, {name: spec for stage in stages for name, spec in stage.items()}
    )
    per_stage = [kv_cache_utils._project_kv_cache_groups_to_worker(groups, stage) for stage in stages]
    limits = [
        kv_cache_utils._estimate_max_model_len_from_groups(
            config, stage, memory - kv_cache_utils._pool_bytes_per_block(config, stage)
        )
        for stage in per_stage
    ]
    configs = kv_cache_utils.get_kv_cache_configs(config, stages, [memory] * case["pp"])
    tokens, concurrency = kv_cache_utils.get_kv_cache_capacity(
        config, kv_cache_utils.generate_scheduler_kv_cache_config(configs)
    )
    return {
        "tokens": tokens,
        "concurrency": round(concurrency, 4),
        "blocks": configs[0].num_blocks,
        "block_bytes": max(kv_cache_utils._pool_bytes_per_block(config, stage) for stage in per_stage),
        "groups": [len(group.layer_names) for group in groups],
        "max_context": min(limits),
    }


def read_cases(described: dict) -> dict[str, tuple[dict, list, list]]:
    """Every case by its id, with its layers and its draft's caches."""
    found = {}
    for model, layout in described["models"].items():
        layers = [layout[letter] for letters, times in layout["layers"] for letter in letters * times]
        for values in layout["cases"]:
            case = {"model": model} | dict(zip(described["case"], values, strict=True))
            found["/".join(str(value) for value in [model, *values])] = (case, layers, layout.get("draft", []))
    return found


def state_parts(layers: list) -> dict[str, list]:
    """Each state's parts on one GPU: elements and bytes an element."""
    states = [cache["state"] for layer in layers for cache in layer if "state" in cache]
    return {
        state["kind"]: [
            [prod(shape), dtype.itemsize] for shape, dtype in zip(shapes(state, 1), state_dtypes(state), strict=True)
        ]
        for state in states
    }


def main() -> None:
    """Prints the asked cases."""
    cases = read_cases(json.loads(Path(sys.argv[1]).read_text()))
    for name in sys.argv[2:] or cases:
        case, layers, drafts = cases[name]
        print(
            json.dumps(
                {
                    "id": name,
                    "vllm": "0.32.0",
                    **case,
                    "state_parts": state_parts(layers),
                    "truth": truth(case, layers, drafts),
                }
            ),
            flush=True,
        )


if __name__ == "__main__":
    main()
