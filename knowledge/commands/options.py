"""What a command's options say to the estimator: vLLM's flags as the options of `FitRequest`."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from knowledge.units import GIB

_COUNTS = {
    "--tensor-parallel-size": "tp",
    "--pipeline-parallel-size": "pp",
    "--data-parallel-size": "dp",
    "--nnodes": "nodes",
    "--max-num-seqs": "max_num_seqs",
    "--max-num-batched-tokens": "max_num_batched_tokens",
    "--max-model-len": "context",
    "--block-size": "block_size",
}
_WORDS = {"--dtype": "dtype", "--quantization": "quantization", "--kv-cache-dtype": "kv_cache_dtype"}
_SWITCHES = {"--enable-expert-parallel": "enable_expert_parallel", "--enforce-eager": "enforce_eager"}
_DECIMAL = {"k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_BINARY = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}
_LARGEST = 10**15
DEFAULT_RANK = 16  # --max-lora-rank of every release


def size(text: str) -> int | None:
    """A number as vLLM reads it: `16k` is 16,000, `16K` 16,384, `25.6k` 25,600; None for what is none, `auto` included."""
    found = re.fullmatch(r"\s*(-?\d{1,18})(\.\d{1,6})?([kKmMgGtT])?\s*", text)
    if found is None or (found[2] and found[3] not in _DECIMAL):
        return None
    factor = _DECIMAL.get(found[3] or "") or _BINARY.get(found[3] or "") or 1
    return round(float(found[1] + (found[2] or "")) * factor) if found[2] else int(found[1]) * factor


def decimal(text: object) -> float | None:
    """A finite number, None for anything else."""
    try:
        value = float(str(text)[:40])
    except ValueError:
        return None
    return value if abs(value) < _LARGEST else None


def as_options(
    flags: Mapping[str, Any], environment: Mapping[str, str], gpus: int | None, image_tag: str | None
) -> dict[str, Any]:
    """The estimator's options, those alone whose values make sense."""
    found = {name: value for name, value in _options(flags) if value is not None}
    count = visible(environment.get("CUDA_VISIBLE_DEVICES")) or gpus
    if count:
        found["count"] = count
    if image_tag and (version := re.match(r"v?(\d+\.\d+(?:\.\d+)?)", image_tag)):
        found["vllm_version"] = version[1]
    return found


def _options(flags: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for flag, name in _COUNTS.items():
        yield name, _count(flags.get(flag))
    for flag, name in _WORDS.items():
        yield name, _word(flags.get(flag))
    for flag, name in _SWITCHES.items():
        yield name, True if flags.get(flag) is True else None
    share = decimal(flags.get("--gpu-memory-utilization") or flags.get("--device-memory-utilization"))
    yield "gpu_memory_utilization", share if share is not None and 0 < share <= 1 else None
    yield "kv_cache_memory_gib", _gib(flags.get("--kv-cache-memory-bytes"))
    offloaded = decimal(flags.get("--kv-offloading-size"))
    yield "kv_offloading_size", offloaded if offloaded is not None and offloaded >= 0 else None
    if flags.get("--enable-lora") is True:
        yield "max_lora_rank", _count(flags.get("--max-lora-rank")) or DEFAULT_RANK
    yield "limit_mm_images", _images(flags.get("--limit-mm-per-prompt"))
    yield "speculative", _speculative(flags)


def _count(value: Any) -> int | None:
    number = size(value) if isinstance(value, str) else None
    return number if number is not None and 1 <= number < _LARGEST else None


def _word(value: Any) -> str | None:
    return value if isinstance(value, str) and re.fullmatch(r"[\w.-]{1,40}", value) and value != "auto" else None


def _gib(value: Any) -> float | None:
    number = _count(value)
    return number / GIB if number else None


def _images(value: Any) -> int | None:
    """The images of --limit-mm-per-prompt: JSON, with a count or an object, or `image=2,video=1`."""
    if isinstance(value, Mapping):
        said = value.get("image")
        said = said.get("count") if isinstance(said, Mapping) else said
    else:
        found = re.search(r"\bimage=(\d{1,6})\b", str(value or ""))
        said = found[1] if found else None
    number = size(str(said)) if said is not None and not isinstance(said, bool) else None
    return number if number is not None and number >= 0 else None


def _speculative(flags: Mapping[str, Any]) -> str | None:
    """How it speculates, as the estimator's option has it: JSON, or `METHOD TOKENS`."""
    config = flags.get("--speculative-config")
    if isinstance(config, Mapping) and config:
        return json.dumps(_numbers(config))
    method = flags.get("--spec-method")
    tokens = _count(flags.get("--spec-tokens") or flags.get("--num-speculative-tokens"))
    model = flags.get("--spec-model") or flags.get("--speculative-model")
    if model == "[ngram]":
        method, model = "ngram", None
    said = {"method": method, "model": model, "num_speculative_tokens": tokens}
    written = {key: value for key, value in said.items() if value}
    return json.dumps(written) if method or model else None


def _numbers(config: Mapping[str, Any]) -> dict[str, Any]:
    """Values that came in by `.key VALUE` are text; counts are numbers."""
    return {
        key: int(value) if isinstance(value, str) and value.isdecimal() and len(value) < 16 else value
        for key, value in config.items()
    }


def visible(devices: str | None) -> int | None:
    """How many GPUs a list such as `0,1` names; None when it does not say (`all`)."""
    if devices is None:
        return None
    listed = [
        each for each in devices.strip("\"' ").split(",") if re.fullmatch(r"\d{1,3}|GPU-[\w-]+|MIG-[\w/-]+", each)
    ]
    return len(listed) or None
