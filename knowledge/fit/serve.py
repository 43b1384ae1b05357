"""The command that starts a launch: `vllm serve …`, complete and valid for its version, with only the options that matter."""

import json
import shlex
from collections.abc import Iterator, Mapping

from knowledge import catalogue, defaults
from knowledge.catalogue.names import stem
from knowledge.launch import Launch, Speculation
from knowledge.releases import flags
from knowledge.shapes.model import ModelShape
from knowledge.units import GIB
from knowledge.versions import SERVE_COMMAND, Version, prefix_caching

RAY_DATA_PARALLEL = Version(0, 9, 1)  # --data-parallel-backend ray: one command for copies over several servers
RAY_BACKEND = Version(0, 4, 3)  # --distributed-executor-backend; before it --worker-use-ray
SPECULATIVE_CONFIG = Version(0, 8, 3)  # one JSON option; a string in 0.8.2, one option a setting before
GENERIC_MTP = Version(0, 11, 1)  # method `mtp`; a name for each family before, still read with a warning in 0.32
JSON_LIMITS = Version(0, 8, 5)  # --limit-mm-per-prompt '{"image": 1}'; image=1 before
LOADS_BITSANDBYTES_ITSELF = Version(0, 9)
DRAFT_HEAD = "DRAFT_HEAD"  # stands for an EAGLE head, which nobody named

Option = tuple[str, str | None]


def serve_command(launch: Launch, extra: Mapping[str, str | bool] | None = None) -> str:
    """The shell command for `launch`. `extra` are further options (`{"--port": "8001", "--enable-log-requests": True}`).

    An option that this version does not have is left out, so that the command starts.
    """
    written = [
        word
        for name, value in [*_options(launch), *_extra(extra or {})]
        if flags.known(name, launch.version)
        for word in (name, value)
        if word is not None
    ]
    return shlex.join([*_program(launch), *written])


def _program(launch: Launch) -> list[str]:
    if launch.version >= SERVE_COMMAND:
        return ["vllm", "serve", _checkpoint(launch.shape)]
    return ["python", "-m", "vllm.entrypoints.openai.api_server", "--model", _checkpoint(launch.shape)]


def _checkpoint(shape: ModelShape) -> str:
    """What to load: the model itself, its published build in that quantisation, or a folder for one that is not listed."""
    stored = None if shape.quantization is None or shape.quantization.online else shape.quantization.label
    if shape.model_id not in catalogue.ids() or stored == stored_as(shape.model_id):
        return shape.model_id
    owner = shape.model_id.rpartition("/")[0]
    wanted = also_called(stored)
    published = [model_id for model_id in catalogue.variants(shape.model_id) if stored_as(model_id) in wanted]
    nearest = sorted(
        published,
        key=lambda model_id: (wanted.index(stored_as(model_id)), not model_id.startswith(f"{owner}/"), len(model_id)),
    )
    return nearest[0] if nearest else f"./{stem(shape.model_id)}-{stored or 'bf16'}"


def also_called(label: str | None) -> tuple[str | None, ...]:
    """The labels of builds that answer to one, best first: `4 bits` does not say by which method."""
    return ("int4", "awq-int4", "gptq-int4") if label == "int4" else (label,)


def stored_as(model_id: str) -> str | None:
    """How a listed model's weights are quantised; None where they are not, or where it is not listed."""
    quantization = catalogue.find(model_id).quantization if model_id in catalogue.ids() else None
    return quantization.label if quantization else None


def _extra(extra: Mapping[str, str | bool]) -> Iterator[Option]:
    for name, value in extra.items():
        if value is not False:
            yield name, None if value is True else str(value)


def _options(launch: Launch) -> Iterator[Option]:
    yield from _layout(launch)
    yield "--max-model-len", str(launch.max_model_len)
    yield from _precision(launch)
    yield from _memory(launch)
    yield from _batch(launch)
    yield from _features(launch)


def _layout(launch: Launch) -> Iterator[Option]:
    sizes = {
        "--tensor-parallel-size": launch.tp,
        "--pipeline-parallel-size": launch.pp,
        "--data-parallel-size": launch.dp,
    }
    yield from ((name, str(size)) for name, size in sizes.items() if size > 1)
    if launch.nodes > 1:
        yield from _over_servers(launch)
    if launch.expert_parallel:
        yield "--enable-expert-parallel", None


def _over_servers(launch: Launch) -> Iterator[Option]:
    """Ray carries the workers to the other servers; copies of the model are spread over them."""
    if launch.dp > 1 and launch.dp % launch.nodes == 0 and launch.version >= RAY_DATA_PARALLEL:
        yield "--data-parallel-size-local", str(launch.dp // launch.nodes)
        yield "--data-parallel-backend", "ray"
        return
    yield ("--distributed-executor-backend", "ray") if launch.version >= RAY_BACKEND else ("--worker-use-ray", None)


def _precision(launch: Launch) -> Iterator[Option]:
    shape = launch.shape
    if launch.dtype != _own_dtype(shape):
        yield "--dtype", "half" if launch.dtype == "float16" else launch.dtype
    if shape.quantization is not None and shape.quantization.online:
        yield "--quantization", shape.quantization.method
        if shape.quantization.method == "bitsandbytes" and launch.version < LOADS_BITSANDBYTES_ITSELF:
            yield "--load-format", "bitsandbytes"
    if word := _kv_cache_dtype(launch):
        yield "--kv-cache-dtype", word


def _own_dtype(shape: ModelShape) -> str:
    """What the checkpoint itself says, whatever was asked of it."""
    return catalogue.find(shape.model_id).dtype if shape.model_id in catalogue.ids() else shape.dtype


def _kv_cache_dtype(launch: Launch) -> str | None:
    """That version's word for the KV cache's dtype, None where it is what vLLM takes by itself."""
    word = launch.kv_cache_dtype
    if word in {"auto", launch.shape.kv_cache_dtype, launch.dtype}:
        return None
    allowed = flags.lookup("--kv-cache-dtype")
    known = allowed.choices_in(launch.version) if allowed else ()
    fallbacks = ("fp8", "fp8_e5m2") if word.startswith("fp8") else ()
    return next((each for each in (word, *fallbacks) if each in known), None)


def _memory(launch: Launch) -> Iterator[Option]:
    if launch.utilization != defaults.utilization(launch.version):
        yield "--gpu-memory-utilization", f"{launch.utilization:g}"
    if launch.kv_cache_memory_gib is not None:
        yield "--kv-cache-memory-bytes", str(int(launch.kv_cache_memory_gib * GIB))
    if launch.kv_offloading_gib:
        yield "--kv-offloading-size", f"{launch.kv_offloading_gib:g}"
    if launch.block_size is not None:
        yield "--block-size", str(launch.block_size)


def _batch(launch: Launch) -> Iterator[Option]:
    world = launch.tp * launch.pp
    usual = (
        defaults.batch(launch.version, launch.gpu, world),
        defaults.settled(launch.version, launch.gpu, launch.max_model_len, world),
    )
    if launch.max_num_seqs not in {seqs for _, seqs in usual}:
        yield "--max-num-seqs", str(launch.max_num_seqs)
    capped = min(usual[0][0], launch.max_num_seqs * launch.max_model_len)
    if launch.max_num_batched_tokens not in {capped, *(batched for batched, _ in usual)}:
        yield "--max-num-batched-tokens", str(launch.max_num_batched_tokens)


def _features(launch: Launch) -> Iterator[Option]:
    if launch.enforce_eager:
        yield "--enforce-eager", None
    if launch.prefix_caching is not None:
        yield from _prefix_caching(launch, on=launch.prefix_caching)
    if launch.max_lora_rank is not None:
        yield "--enable-lora", None
        yield "--max-lora-rank", _rank(launch.max_lora_rank, launch.version)
    if launch.limit_mm_images is not None:
        yield "--limit-mm-per-prompt", _limits(launch.limit_mm_images, as_json=launch.version >= JSON_LIMITS)
    if launch.speculation is not None:
        yield from _speculation(launch, launch.speculation)


def _limits(images: int, *, as_json: bool) -> str:
    """No image means text alone: a model that takes video would still be profiled with one."""
    limits = {"image": images} if images else {"image": 0, "video": 0}
    return json.dumps(limits) if as_json else ",".join(f"{kind}={most}" for kind, most in limits.items())


def _prefix_caching(launch: Launch, *, on: bool) -> Iterator[Option]:
    from knowledge.shapes.layers import RecurrentState

    hybrid = any(isinstance(cache, RecurrentState) for layer in launch.shape.layers for cache in layer.caches)
    if on != prefix_caching(launch.version, hybrid=hybrid):
        yield "--enable-prefix-caching" if on else "--no-enable-prefix-caching", None


def _rank(rank: int, version: Version) -> str:
    """The smallest --max-lora-rank that the version accepts and that holds `rank`."""
    flag = flags.lookup("--max-lora-rank")
    known = sorted(int(word) for word in flag.choices_in(version)) if flag else []
    return str(next((each for each in known if each >= rank), rank))


def _speculation(launch: Launch, speculation: Speculation) -> Iterator[Option]:
    if launch.version >= SPECULATIVE_CONFIG:
        yield "--speculative-config", json.dumps(_config(launch, speculation))
    elif speculation.method == "ngram":
        yield "--speculative-model", "[ngram]"
        yield "--num-speculative-tokens", str(speculation.tokens)
        yield "--ngram-prompt-lookup-max", str(speculation.tokens)
    elif model := _draft(speculation):
        yield "--speculative-model", model
        yield "--num-speculative-tokens", str(speculation.tokens)


def _config(launch: Launch, speculation: Speculation) -> dict[str, str | int]:
    method, model = _method(launch, speculation.method), _draft(speculation)
    named = {"model": model} if model else {}
    if method == "draft_model" and launch.version < GENERIC_MTP:
        return {**named, "num_speculative_tokens": speculation.tokens}
    more = {"prompt_lookup_max": speculation.tokens} if method == "ngram" else {}
    return {"method": method, **named, "num_speculative_tokens": speculation.tokens, **more}


def _draft(speculation: Speculation) -> str | None:
    if speculation.draft is not None:
        return speculation.draft.model_id
    return DRAFT_HEAD if speculation.method not in {"mtp", "ngram", "suffix"} else None


def _method(launch: Launch, method: str) -> str:
    """vLLM's word for the method; MTP was named after the model's family."""
    if method != "mtp" or launch.version >= GENERIC_MTP:
        return method
    architecture = launch.shape.architecture.lower()
    return (
        "qwen3_next_mtp" if "qwen3next" in architecture else "ernie_mtp" if "ernie" in architecture else "deepseek_mtp"
    )
