"""The estimate object of the contract, before it becomes JSON."""

from dataclasses import dataclass

from knowledge.memory.judgement import Limiting, Verdict
from knowledge.memory.per_gpu import PerGpu
from knowledge.units import Range


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change that was tried: the flag, its new value and what it brings, in figures.

    `effect` is an English sentence; `kind`, `verdict` and the figures let a front say it in another language.
    """

    kind: str  # context, kv-dtype, more-gpus, quantization, utilization, max-num-seqs, batched-tokens, eager, other-gpu, …
    flag: str
    to: str
    effect: str
    verdict: Verdict
    max_context: int
    max_concurrency: float
    serve_command: str = ""
    count: int | None = None  # GPUs in use with the change made
    also_kind: str | None = None  # of two changes that only together are enough, the second
    also_flag: str = ""
    also_to: str = ""
    caveat: str | None = (
        None  # code of what it costs: less-margin, kv-accuracy, quality, slower-decoding, no-images, less-batching
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderRung:
    """How many requests of `context` tokens run at once."""

    context: int
    concurrency: Range


@dataclass(frozen=True, slots=True, kw_only=True)
class UsedStart:
    """A start on the same host that corrected the estimate: where and when, and by how much the cache may still be off."""

    host: str
    day: str
    remaining_gib: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """Everything computed for one launch. Tokens, bytes, GiB per GPU. None where a figure does not apply (kv_per_token has no GPU).

    `serve_command` starts: where what was asked does not fit, it has the best change in it, and is None when there is none.
    """

    id: str | int | None
    model_id: str
    gpu: str | None
    count: int | None
    tp: int | None
    pp: int | None
    dp: int | None
    vllm_version: str
    verdict: Verdict | None
    concurrency_verdict: Verdict | None
    limiting: Limiting
    per_gpu: PerGpu | None
    context: int
    concurrency: int
    kv_bytes_per_token: int
    kv_bytes_per_token_per_gpu: int | None
    kv_gib_per_request: float | None
    kv_cache_tokens: Range | None
    max_context: Range | None
    model_max_context: int
    max_concurrency: Range | None
    serve_command: str | None
    changes: tuple[Change, ...] = ()
    ladder: tuple[LadderRung, ...] = ()
    assumed: dict[str, str | int | float] | None = None
    notes: tuple[str, ...] = ()  # codes of things worth saying: nearest-version, unlisted-gpu, tp-unused-gpus, …
    sources: tuple[str, ...] = ()
    deciding: str | None = None  # the term known least: weights, activation, non-torch, cuda-graphs, total-memory
    max_context_together: Range | None = None  # of as many requests as were asked, at once; None where one was asked
    observed: "UsedStart | None" = None  # the kept start that the terms were corrected by
    asked_weights: str | None = None  # the quantisation asked for; None where that is how `model_id` is stored anyway
    command_change: str | None = (
        None  # kind of the change that `serve_command` has in it, where what was asked does not start
    )
