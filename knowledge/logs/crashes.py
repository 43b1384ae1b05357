"""Exceptions that no signature knows: which one of a log is the root, and what part of vLLM it comes from."""

from collections.abc import Iterator
from dataclasses import dataclass

from knowledge.logs.reading import Reading
from knowledge.logs.subjects import subject
from knowledge.logs.tracebacks import Traceback

# Exceptions that only pass on that something else went wrong before.
PASSED_ON = (
    "Engine core initialization failed",
    "Engine process failed to start",
    "See stack trace",
    "See root cause above",
    "background process. See stack trace",
    "EngineCore encountered an issue",
    "Executor failed",
    "please check the stack trace above",
    "Background loop has errored",
    "Engine loop is not running",
    "cancelled",
)
ENDINGS = frozenset(
    {"SystemExit", "KeyboardInterrupt", "asyncio.exceptions.CancelledError", "CancelledError", "GeneratorExit"}
)
DEAD = ("EngineDeadError", "AsyncEngineDeadError", "MQEngineDeadError", "ActorDiedError", "RayTaskError")

# Parts of a path or a function, and what a failure there is mostly about; the first that fits counts.
PLACES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("torch/_inductor", "torch-compile-failure", ("torch-compile-cache", "enforce-eager")),
    ("torch/_dynamo", "torch-compile-failure", ("torch-compile-cache", "enforce-eager")),
    ("vllm/compilation", "torch-compile-failure", ("torch-compile-cache", "enforce-eager")),
    ("triton/", "torch-compile-failure", ("torch-compile-cache", "enforce-eager")),
    ("layers/quantization", "quantization", ("quantization",)),
    ("/lora/", "lora", ("lora",)),
    ("tool_parsers", "tool-calling", ("tool-calling",)),
    ("/reasoning/", "reasoning-parser", ("reasoning-parser",)),
    ("structured_output", "structured-output", ("structured-output",)),
    ("guided_decoding", "structured-output", ("structured-output",)),
    ("xgrammar", "structured-output", ("structured-output",)),
    ("spec_decode", "speculative-decoding", ("speculative-decoding",)),
    ("config/speculative", "speculative-decoding", ("speculative-decoding",)),
    ("offloading_connector", "kv-offload", ("kv-offload",)),
    ("kv_offload", "kv-offload", ("kv-offload",)),
    ("kv_transfer", "disaggregated-prefill", ("disaggregated-prefill",)),
    ("kv_connector", "disaggregated-prefill", ("disaggregated-prefill",)),
    ("jinja2/", "chat-template", ("tool-calling",)),
    ("apply_chat_template", "chat-template", ("tool-calling",)),
    ("ray_executor", "multi-node-ray", ("multi-node-ray",)),
    ("ray_utils", "multi-node-ray", ("multi-node-ray",)),
    ("ray_distributed_executor", "multi-node-ray", ("multi-node-ray",)),
    ("custom_all_reduce", "custom-all-reduce", ("custom-all-reduce",)),
    ("device_communicators", "nccl-hang", ("nccl-hang", "multi-gpu-tp")),
    ("attention/backends", "attention-backend", ("version-regression",)),
    ("attention/selector", "attention-backend", ("version-regression",)),
    ("flashinfer/", "attention-backend", ("version-regression",)),
    ("flash_attn", "attention-backend", ("version-regression",)),
    ("multimodal/", "multimodal-memory", ("multimodal-memory",)),
    ("tokenization", "tokenizer-error", ("model-download",)),
    ("tokenizer", "tokenizer-error", ("model-download",)),
    ("huggingface_hub/", "model-download", ("model-download",)),
    ("model_loader", "model-arch-unsupported", ("version-regression",)),
    ("models/registry", "model-arch-unsupported", ("version-regression",)),
    ("transformers/models/auto", "model-arch-unsupported", ("version-regression",)),
    ("model_executor/models", "model-arch-unsupported", ("version-regression",)),
)
IMPORTS = frozenset({"ImportError", "ModuleNotFoundError"})


@dataclass(frozen=True, slots=True)
class Crash:
    """An exception nobody has a sentence for, with what it is probably about."""

    trace: Traceback
    cause: str
    entries: tuple[str, ...]
    placed: bool


def root(reading: Reading) -> Crash | None:
    """The exception that the others follow from: of the first process that failed, the first of its chain, nearest to vLLM."""
    found = list(_own(reading)) or list(_own(reading, loose=True))
    if not found:
        return None
    first = min(found, key=lambda trace: (trace.chained, trace.line.number))
    return _placed(first)


def only_foreign(reading: Reading) -> bool:
    """Whether every traceback is of a program without vLLM in it."""
    traces = reading.tracebacks.found
    return bool(traces) and not any(trace.passes("vllm") for trace in traces)


def _own(reading: Reading, *, loose: bool = False) -> Iterator[Traceback]:
    for trace in reading.tracebacks.loose if loose else reading.tracebacks.found:
        if trace.name in ENDINGS or trace.name.endswith(DEAD) or any(piece in trace.says for piece in PASSED_ON):
            continue
        if trace.passes("vllm") or reading.software.ours:
            yield trace


def _placed(trace: Traceback) -> Crash:
    name = trace.name.rpartition(".")[2]
    if name in IMPORTS:
        return Crash(trace, "torch-abi-mismatch", ("version-regression", "driver-version"), placed=True)
    for path, function in reversed(trace.frames):
        for piece, cause, entries in PLACES:
            if piece in path or piece in function:
                return Crash(trace, cause, entries, placed=True)
    topic = subject(trace)
    if topic is not None:
        return Crash(trace, topic, (), placed=True)
    return Crash(trace, "engine-dead", ("version-regression",), placed=False)
