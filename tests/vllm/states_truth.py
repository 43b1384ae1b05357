# mypy: ignore-errors
# It runs where vLLM is; the type checker does not see it.
"""Asks vLLM 0.32.0's own model classes how many bytes a sequence's recurrent state takes; runs in vLLM's venv, not in the bot's.

states_truth.py CONFIGS prints {model: {TP: bytes of one layer's state on one GPU}}.
"""

import json
import sys
from math import prod
from pathlib import Path
from types import SimpleNamespace

import torch
from transformers import AutoConfig
from vllm.model_executor.models.registry import ModelRegistry
from vllm.transformers_utils.config import _CONFIG_REGISTRY

TENSOR_PARALLEL = (1, 2, 8)


def described(config: dict) -> object:
    """The config as its class completes it."""
    fields = {name: value for name, value in config.items() if name != "model_type"}
    kind = config["model_type"]
    return _CONFIG_REGISTRY[kind](**fields) if kind in _CONFIG_REGISTRY else AutoConfig.for_model(kind, **fields)


def state_bytes(config: dict, tp: int) -> int:
    """What the model class makes of it on one of `tp` ranks, with bfloat16 and everything else on auto."""
    model_class = ModelRegistry.models[config["architectures"][0]].load_model_cls()
    hf_config = described(config)
    cache = SimpleNamespace(
        mamba_cache_dtype="auto",
        mamba_ssm_cache_dtype=config.get("mamba_ssm_cache_dtype", model_dtype(config)),
        use_replayssm=False,
        use_kda_recoverssm=False,
    )
    launch = SimpleNamespace(
        model_config=SimpleNamespace(hf_config=hf_config, hf_text_config=hf_config, dtype=torch.bfloat16),
        parallel_config=SimpleNamespace(tensor_parallel_size=tp),
        cache_config=cache,
        speculative_config=None,
        num_speculative_tokens=0,
    )
    shapes = model_class.get_mamba_state_shape_from_config(launch)
    dtypes = model_class.get_mamba_state_dtype_from_config(launch)
    return sum(prod(shape) * dtype.itemsize for shape, dtype in zip(shapes, dtypes, strict=True))


def model_dtype(config: dict) -> str:
    """NemotronHForCausalLMConfig.DEFAULT_MAMBA_SSM_CACHE_DTYPE for those models, auto for the others."""
    return "float32" if config["model_type"] == "nemotron_h" else "auto"


def main() -> None:
    """Prints every model's."""
    models = json.loads(Path(sys.argv[1]).read_text())["models"]
    found = {name: {str(tp): state_bytes(config, tp) for tp in TENSOR_PARALLEL} for name, config in models.items()}
    print("{\n" + ",\n".join(f"  {json.dumps(name)}: {json.dumps(sizes)}" for name, sizes in found.items()) + "\n}")


if __name__ == "__main__":
    main()
