"""Single changes worth trying on a launch, each as the question that would have asked for it."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from knowledge.fit.assumptions import fp8_cache_runs, keeps_latents
from knowledge.fit.builds import bits, builds_for, label, refused_by, runs_on, started_instead
from knowledge.fit.cards import common_cards
from knowledge.fit.largest import longest_together
from knowledge.fit.plans import Subject
from knowledge.fit.verdict import Weighed
from knowledge.memory.judgement import Limiting
from knowledge.versions import chunked_prefill

UTILIZATIONS = (0.92, 0.95)  # 0.95 is the most that practice supports: memory outside the budget needs the rest
SEQS = (128, 64, 32, 16, 8, 4)
BATCHES = (2048, 1024, 512)
MOST_GPUS = 64
LEAST_LEFT = 4  # a context that was asked is not worth cutting to less than a quarter
EIGHT_BIT = ("fp8", "int8", "nvfp4", "int4")


@dataclass(frozen=True, slots=True, kw_only=True)
class Remedy:
    """One change: `update` are the request's fields that it sets, `rank` how dearly it is bought (small is cheap)."""

    kind: str
    flag: str
    to: str
    rank: float
    update: Mapping[str, object] = field(default_factory=dict)
    subject: Subject | None = None  # another model build or card
    caveat: str | None = None


def remedies(weighed: Weighed) -> Iterator[Remedy]:
    """All of them, whether or not they help; of one kind, the least drastic first."""
    yield from _context(weighed)
    if not _far_too_heavy(weighed):
        yield from _room(weighed)
        yield from _cache_dtype(weighed)
    yield from _utilization(weighed)
    yield from _copies(weighed)
    yield from _weights(weighed)
    yield from _gpus(weighed)
    yield from _cards(weighed)


def _far_too_heavy(weighed: Weighed) -> bool:
    """Whether the weights alone leave nothing, so that small savings cannot help."""
    return weighed.budget.binding is Limiting.WEIGHTS and weighed.plan.launch.kv_cache_memory_gib is None


def _context(weighed: Weighed) -> Iterator[Remedy]:
    plan = weighed.plan
    limit = min(plan.launch.shape.max_context, plan.context)
    longest = limit if weighed.beyond_model else nice(int(longest_together(weighed, int(weighed.kv.low), limit)))
    if 0 < longest < plan.context:
        free = plan.request.context is None or weighed.beyond_model
        if free or LEAST_LEFT * longest >= plan.context:
            rank = 0 if free else 5.5 if 2 * longest >= plan.context else 9.5
            yield Remedy(
                kind="context", flag="--max-model-len", to=str(longest), rank=rank, update={"context": longest}
            )


def nice(tokens: int) -> int:
    """Rounded down to a number that people would choose: whole k, coarser where it is large."""
    for least, step in ((262_144, 16_384), (65_536, 4096), (16_384, 2048), (4096, 1024), (512, 256)):
        if tokens >= least:
            return tokens // step * step
    return tokens // 16 * 16


def _room(weighed: Weighed) -> Iterator[Remedy]:
    """What makes the profile run smaller."""
    plan = weighed.plan
    launch = plan.launch
    for seqs in _fewer_seqs(weighed):
        yield Remedy(
            kind="max-num-seqs",
            flag="--max-num-seqs",
            to=str(seqs),
            rank=1,
            update={"max_num_seqs": seqs},
            caveat="less-batching",
        )
    for batch in BATCHES if chunked_prefill(launch.version, launch.max_model_len) else ():
        if launch.max_num_seqs <= batch < launch.max_num_batched_tokens:
            yield Remedy(
                kind="batched-tokens",
                flag="--max-num-batched-tokens",
                to=str(batch),
                rank=2,
                update={"max_num_batched_tokens": batch},
                caveat="slower-prefill",
            )
    if not launch.enforce_eager:
        yield Remedy(
            kind="eager",
            flag="--enforce-eager",
            to="",
            rank=6,
            update={"enforce_eager": True},
            caveat="slower-decoding",
        )
    if launch.shape.multimodal and launch.limit_mm_images != 0:
        yield Remedy(
            kind="text-only",
            flag="--limit-mm-per-prompt",
            to='{"image": 0, "video": 0}',
            rank=5,
            update={"limit_mm_images": 0},
            caveat="no-images",
        )


def _fewer_seqs(weighed: Weighed) -> list[int]:
    """Smaller --max-num-seqs that still run as many as are asked; for hybrids what the state blocks allow comes first."""
    plan, launch = weighed.plan, weighed.plan.launch
    allowed = weighed.pages.blocks(int(weighed.kv.low)) if weighed.pages.state_bytes_per_sequence else 0
    steps = [allowed // 8 * 8] if 8 <= allowed < launch.max_num_seqs else []
    return [seqs for seqs in (*steps, *SEQS) if plan.concurrency <= seqs < launch.max_num_seqs]


def _cache_dtype(weighed: Weighed) -> Iterator[Remedy]:
    launch = weighed.plan.launch
    stored = (launch.kv_cache_dtype, launch.shape.kv_cache_dtype)
    if any(word.startswith(EIGHT_BIT) for word in stored) or launch.shape.encoder_only:
        return
    fp8 = replace(launch, kv_cache_dtype="fp8")
    if fp8_cache_runs(fp8):
        yield Remedy(
            kind="kv-dtype",
            flag="--kv-cache-dtype",
            to="fp8",
            rank=4,
            update={"kv_cache_dtype": "fp8"},
            caveat="kv-accuracy",
        )


def _utilization(weighed: Weighed) -> Iterator[Remedy]:
    launch = weighed.plan.launch
    for share in UTILIZATIONS if launch.kv_cache_memory_gib is None else ():
        if launch.utilization < share:
            yield Remedy(
                kind="utilization",
                flag="--gpu-memory-utilization",
                to=f"{share:.2f}",
                rank=3,
                update={"gpu_memory_utilization": share},
                caveat="less-margin",
            )


def _copies(weighed: Weighed) -> Iterator[Remedy]:
    """Copies of the attention in place of a wider split, which repeats an MLA cache on every GPU; experts are spread over them."""
    plan, launch = weighed.plan, weighed.plan.launch
    stated = plan.request.tp or plan.request.pp or plan.request.dp
    if stated or not keeps_latents(launch) or launch.dp > 1:
        return
    copies = 2
    while copies <= launch.gpus:
        if launch.gpus % copies == 0:
            sizes: dict[str, object] = {"tp": launch.gpus // copies, "pp": 1, "dp": copies, "count": launch.gpus}
            experts = {"enable_expert_parallel": True} if launch.shape.experts else {}
            yield Remedy(kind="copies", flag="--data-parallel-size", to=str(copies), rank=4.5, update=sizes | experts)
        copies *= 2


def _weights(weighed: Weighed) -> Iterator[Remedy]:
    """Builds with fewer bits: a published one by its name, FP8 while loading, or a 4-bit build still to be found or made."""
    plan = weighed.plan
    shape, gpu = plan.launch.shape, plan.launch.gpu
    refused = refused_by(shape, gpu)
    for build in started_instead(shape, gpu) if refused else builds_for(shape, gpu):
        if runs_on(build, gpu):
            published = build.model_id != shape.model_id
            yield Remedy(
                kind="quantization",
                flag="--model" if published else "--quantization",
                to=build.model_id if published else label(build),
                rank=6 + (16 - bits(build)) / 100,
                update={"model": build.model_id, "quantization": None if published else label(build)},
                subject=replace(plan.subject, shape=build),
                caveat=None if refused else "quality",
            )


def _gpus(weighed: Weighed) -> Iterator[Remedy]:
    """The next counts that double what is used now: sizes that servers come in."""
    plan = weighed.plan
    now = plan.request.count or plan.launch.gpus
    count = 1
    while count < MOST_GPUS:
        count *= 2
        if count > now:
            update = {"count": count, "tp": None, "pp": None, "dp": plan.request.dp, "nodes": None}
            rank = 6.5 + 0.7 * math.log2(count / now)
            yield Remedy(kind="more-gpus", flag="--tensor-parallel-size", to=str(count), rank=rank, update=update)


def _cards(weighed: Weighed) -> Iterator[Remedy]:
    """Larger cards of the same maker, smallest first, as many of them."""
    plan = weighed.plan
    gpu = plan.launch.gpu
    for card in common_cards():
        if card.vendor in (gpu.vendor, "NVIDIA") and card.memory_gb > 1.1 * gpu.memory_gb:
            yield Remedy(
                kind="other-gpu",
                flag="--gpu",
                to=card.name,
                rank=9,
                update={"gpu": card.name, "gpu_memory_gib": None},
                subject=replace(plan.subject, gpu=card, cards=1),
            )
