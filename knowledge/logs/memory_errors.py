"""Out of memory: at which point of a start or a request it happened, and whether somebody else holds the memory."""

import re
from dataclasses import dataclass

from knowledge.logs.lines import Line
from knowledge.logs.reading import Reading, Stage
from knowledge.logs.signatures import Hit
from knowledge.logs.startup import gib_of
from knowledge.logs.tracebacks import Traceback

OTHERS_GIB = 3.0  # held by others from here on; vLLM's own context and libraries take less on one card
NEARLY_FREE = 0.85  # of a card: with this much free nobody else runs a model there
SMALLER = 1.3  # times: a card with this much more memory is another kind
SAME_CARD = 0.08  # of a card: what torch reports differs by less from what the card is listed with
HIGH = 0.95  # a share of the card from which little is left for what the budget does not hold

_MINE = re.compile(r"this process has ([\d.]+) GiB memory in use")
_OTHER = re.compile(r"Process \d+ has ([\d.]+) GiB memory in use")

LOADING = (
    "load_model",
    "_initialize_model",
    "model_loader",
    "create_weights",
    "process_weights_after_loading",
    "load_weights",
)
CAPTURE = (
    "capture_model",
    "_capture_cudagraphs",
    "cuda_graph",
    "cudagraph",
    "CUDAGraph",
    "capture_graph",
    "capture_decode",
)
PROFILE = (
    "profile_run", "determine_available_memory", "determine_num_available_blocks", "profile_num_available_blocks",
    "_dummy_run", "_dummy_sampler_run", "compile_or_warm_up_model", "profile_cudagraph_memory",
)  # fmt: skip
CACHE = (
    "initialize_kv_cache",
    "_allocate_kv_cache",
    "initialize_from_config",
    "_init_cache_engine",
    "allocate_gpu_cache",
    "initialize_cache",
)
WAKE = ("wake_up", "cumem")
ENCODER = (
    "_execute_mm_encoder",
    "_process_image_input",
    "embed_multimodal",
    "get_multimodal_embeddings",
    "vision",
    "visual",
    "encoder_runner",
)
RUNNING = ("execute_model", "sample_tokens", "run_busy_loop", "_process_engine_step", "execute_dummy_batch", "step")


@dataclass(frozen=True, slots=True)
class Judged:
    """What a line means after all: the cause, the sentences, the line to quote."""

    cause: str
    text: str
    line: Line
    entries: tuple[str, ...]


KINDS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "weights": ("weights-oom", "memory.weights_oom", ("tensor-parallel-size", "quantization")),
    "capture": ("cuda-graph-memory", "memory.graphs_oom", ("cuda-graph-memory", "gpu-memory-utilization-too-high")),
    "profile": ("profile-run-oom", "memory.profile_oom", ("max-num-seqs", "max-num-batched-tokens")),
    "cache": (
        "gpu-memory-utilization-too-high",
        "memory.cache_oom",
        ("gpu-memory-utilization-too-high", "gpu-memory-sharing"),
    ),
    "wake": ("sleep-mode", "memory.wake_oom", ("sleep-mode", "gpu-memory-sharing")),
    "encoder": ("runtime-oom", "memory.encoder_oom", ("runtime-oom", "multimodal-memory")),
    "running": ("runtime-oom", "memory.runtime_oom", ("runtime-oom", "gpu-memory-utilization-too-high")),
    "shared": ("gpu-memory-sharing", "memory.shared_oom", ("gpu-memory-sharing",)),
    "unlike": ("heterogeneous-gpus", "memory.unlike_cards", ("pipeline-parallel", "tensor-parallel-size")),
}
FRAMES = (
    ("wake", WAKE),
    ("capture", CAPTURE),
    ("weights", LOADING),
    ("profile", PROFILE),
    ("encoder", ENCODER),
    ("running", RUNNING),
    ("cache", CACHE),
)
AT_STAGE = {
    Stage.LOADING: "weights",
    Stage.PROFILING: "profile",
    Stage.CAPTURING: "capture",
    Stage.SERVING: "running",
}


def judge_oom(hit: Hit, reading: Reading, message: str) -> Judged:
    """When the memory ran out, from the frames of its traceback, else from how far the log had come."""
    kind = _kind(hit, reading)
    if kind in {"weights", "profile", "capture", "running"} and _unlike(hit, reading, message):
        kind = "unlike"
    if kind != "wake" and held_by_others(hit, reading) is not None:
        kind = "shared"
    cause, text, entries = KINDS[kind]
    line = hit.line
    utilization = reading.start.utilization
    budget = reading.startup.lines.get("utilization")
    if kind == "capture" and utilization is not None and utilization >= HIGH and budget is not None:
        line = budget
    return Judged(cause, text, line, entries)


def _unlike(hit: Hit, reading: Reading, message: str) -> bool:
    """Whether the card that ran out is clearly smaller than another of the same server."""
    total = hit.facts.get("total_gib")
    if not isinstance(total, int | float) or (reading.start.gpus or 2) < 2:
        return False
    others = [each.facts.get("total_gib") for each in reading.hits if each.signature.id == hit.signature.id]
    others += [card.total / 1024 for card in reading.smi.cards]
    others += _named(message, total)
    return any(isinstance(other, int | float) and other > SMALLER * total for other in others)


def _named(message: str, total: float) -> list[float]:
    """GiB of the cards that the message names, where one of several is that which ran out."""
    if not message:
        return []
    from knowledge.gpus.mentions import mentions

    cards = [card.total_gib.expected for mention in mentions(message) for card in mention.gpus[:1]]
    return cards if any(abs(card - total) < SAME_CARD * total for card in cards) else []


def _kind(hit: Hit, reading: Reading) -> str:
    trace = reading.ended.get(hit.line.number) or _trace_of(hit, reading)
    if trace is not None:
        for kind, parts in FRAMES:
            if trace.passes(*parts):
                return _corrected(kind, hit, reading)
    stage = reading.stage_at(hit.line.number)
    return AT_STAGE[stage] if stage is not None else "running"


def _corrected(kind: str, hit: Hit, reading: Reading) -> str:
    """Where frames are cut off, the log's own progress tells more: V0 captures its graphs inside initialize_cache."""
    stage = reading.stage_at(hit.line.number)
    if kind == "cache" and stage is Stage.CAPTURING and any(one is Stage.CAPTURING for _, one in reading.stages):
        return "capture" if _capturing(reading) else kind
    return kind


def _capturing(reading: Reading) -> bool:
    return "capturing" in reading.notes


def _trace_of(hit: Hit, reading: Reading) -> Traceback | None:
    """The traceback of the same writer that says the same a little later: V0 repeats the error above its traceback."""
    return next(
        (
            trace
            for trace in reading.tracebacks.found
            if trace.line.process == hit.line.process
            and 0 <= trace.line.number - hit.line.number <= 200
            and "out of memory" in trace.line.text
        ),
        None,
    )


def held_by_others(hit: Hit, reading: Reading) -> float | None:
    """GiB of the card that other processes hold, from what PyTorch says about this one; None when little or unknown."""
    total, free = hit.facts.get("total_gib"), hit.facts.get("free")
    mine = _MINE.search(hit.line.text)
    if not isinstance(total, int | float) or not isinstance(free, str) or mine is None:
        return None
    others = total - gib_of(free) - float(mine[1])
    return round(others, 2) if others >= OTHERS_GIB else None


def held_before(reading: Reading) -> float | None:
    """GiB that were taken on the card before vLLM took any, as its own profiling shows; None when little or unknown."""
    start = reading.start
    taken = start.total_gib - start.free_gib if start.total_gib is not None and start.free_gib is not None else None
    outside = start.non_torch_gib
    several = (start.tp or 1) * (start.pp or 1) > 1
    found = [amount for amount in (taken, None if several else outside) if amount is not None]
    most = max(found, default=0.0)
    if "initial_gib" in reading.startup.lines and start.weights_gib is not None and outside is not None:
        most = outside  # until 0.6.5 the first figure already held the weights
    return round(most, 2) if most >= OTHERS_GIB else None


def judge_no_blocks(hit: Hit, reading: Reading) -> Judged | None:
    """Nothing left for the cache because others hold the card; None when it is vLLM's own."""
    if held_before(reading) is None:
        return None
    lines = reading.startup.lines
    line = lines.get("initial_gib") or lines.get("non_torch_gib") or lines.get("free_gib") or hit.line
    return Judged(
        "gpu-memory-sharing", "memory.shared_budget", line, ("gpu-memory-sharing", "no-memory-for-cache-blocks")
    )


def judge_free_memory(hit: Hit) -> Judged | None:
    """Less free than asked: little is missing (the share is too high), or much (somebody else runs there)."""
    free, total = hit.facts.get("free_gib"), hit.facts.get("total_gib")
    if (
        not isinstance(free, int | float)
        or not isinstance(total, int | float)
        or total <= 0
        or free / total >= NEARLY_FREE
    ):
        return None
    return Judged(
        "gpu-memory-sharing", "memory.shared_start", hit.line, ("gpu-memory-sharing", "gpu-memory-utilization-too-high")
    )
