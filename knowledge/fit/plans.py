"""From a question to what vLLM would be started with: defaults by version and card, and what was assumed."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from knowledge import catalogue, defaults, gpus
from knowledge.errors import Refusal
from knowledge.fit.assumptions import Assumed, assumed, notes
from knowledge.fit.layouts import REFINES_BLOCKS, Asked, Layout, lay_out, splits_expert_blocks
from knowledge.fit.request import FitRequest
from knowledge.fit.speculation import read_speculation
from knowledge.fit.words import dtype_word, kv_cache_word, quantization_label
from knowledge.gpus import Gpu
from knowledge.launch import Launch, Speculation
from knowledge.shapes.model import ModelShape
from knowledge.versions import DEFAULT, NEWEST, OLDEST, Version, chunked_prefill, parse

if TYPE_CHECKING:
    from knowledge.fit.learning import Lesson

Resolve = Callable[[str, str | None], ModelShape]


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What a question is about, once resolved: everything that does not change when one flag of it does."""

    shape: ModelShape
    gpu: Gpu
    speculation: Speculation | None = None
    cards: int = 1  # how many cards the question can mean
    lessons: tuple["Lesson", ...] = ()  # what starts on the host that is asked about taught

    def lesson_for(self, launch: Launch) -> "Lesson | None":
        """The lesson that holds for a launch of this model."""
        version = str(launch.version)
        return next((each for each in self.lessons if each.holds_for(version, launch.tp, launch.pp)), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One launch with the question it answers. `context` and `concurrency` are what is asked of it.

    `assumed` holds every default used, by the contract's field names; `notes` are codes of things worth saying.
    """

    request: FitRequest
    subject: Subject
    launch: Launch
    layout: Layout
    context: int
    concurrency: int
    vllm_version: Version
    assumed: Assumed
    notes: tuple[str, ...]


def subjects(request: FitRequest, resolve: Resolve) -> tuple[Subject, ...]:
    """One for every card that the question can mean: a bare `A100` is two."""
    cards = cards_of(request)
    first = subject_of(request, resolve, cards[0])
    return tuple(replace(first, gpu=card, cards=len(cards)) for card in cards)


def subject_of(request: FitRequest, resolve: Resolve, card: Gpu) -> Subject:
    """The model and the speculation that the question means, on `card`."""
    _check_folder(request.model)
    shape = resolve(request.model, quantization_label(request.quantization))
    speculation = read_speculation(request.speculative, shape, resolve) if request.speculative else None
    return Subject(shape=shape, gpu=card, speculation=speculation)


def _check_folder(name: str) -> None:
    """Refuses a path that is no folder with a config.json: no model's name looks like one. What else is there is nobody's business."""
    if not name.startswith(("/", "~/", "./", "../")):
        return
    if not catalogue.is_folder(name):
        raise Refusal(
            "no-config-in-folder",
            f"`{name[:200]}` is not a folder with a config.json that can be read here.",
            "Give the folder that holds the model's config.json, or a Hugging Face id.",
            path=name[:200],
        )


def cards_of(request: FitRequest) -> tuple[Gpu, ...]:
    """The cards that the question can mean; with their memory stated, the one that has it.

    Refuses a card that is not listed and whose memory is not stated.
    """
    if request.gpu_memory_gib is not None:
        return (gpus.from_memory(request.gpu, gib=request.gpu_memory_gib),)
    if request.gpu is None:
        raise Refusal(
            "no-gpu", "No GPU is named.", "Name one, such as `A100-80GB`, or state its memory with --gpu-memory-gib."
        )
    return gpus.find(request.gpu)


def plan(request: FitRequest, subject: Subject) -> Plan:
    """The launch that answers `request` on this card. Refuses what vLLM would refuse before it looks at memory."""
    asked_version = parse(request.vllm_version) if request.vllm_version else DEFAULT
    version = min(max(asked_version, OLDEST), NEWEST)
    layout = lay_out(subject.shape, _asked(request))
    launch = _launch(request, subject, version, layout)
    return Plan(
        request=request,
        subject=subject,
        launch=launch,
        layout=layout,
        context=launch.max_model_len,
        concurrency=request.concurrency or 1,
        vllm_version=asked_version,
        assumed=assumed(request, launch, cards=subject.cards),
        notes=notes(request, launch, layout, asked_version),
    )


def _asked(request: FitRequest) -> Asked:
    return Asked(
        count=request.count,
        tp=request.tp,
        pp=request.pp,
        dp=request.dp,
        nodes=request.nodes,
        expert_parallel=request.enable_expert_parallel,
    )


def _launch(request: FitRequest, subject: Subject, version: Version, layout: Layout) -> Launch:
    shape, gpu = subject.shape, subject.gpu
    context = request.context or shape.default_context or shape.max_context
    batched, seqs = _batch(request, gpu, version, layout.tp * layout.pp, context)
    return Launch(
        shape=shape,
        gpu=gpu,
        version=version,
        max_model_len=context,
        tp=layout.tp,
        pp=layout.pp,
        dp=layout.dp,
        nodes=layout.nodes,
        expert_parallel=request.enable_expert_parallel or _experts_need_ep(request, shape, version, layout),
        utilization=request.gpu_memory_utilization or defaults.utilization(version),
        max_num_seqs=seqs,
        max_num_batched_tokens=batched,
        dtype=_dtype(request, subject),
        kv_cache_dtype=kv_cache_word(request.kv_cache_dtype),
        block_size=request.block_size,
        enforce_eager=request.enforce_eager,
        speculation=subject.speculation,
        max_lora_rank=request.max_lora_rank,
        limit_mm_images=request.limit_mm_images,
        kv_offloading_gib=request.kv_offloading_size,
        kv_cache_memory_gib=request.kv_cache_memory_gib,
    )


def _batch(request: FitRequest, gpu: Gpu, version: Version, world: int, context: int) -> tuple[int, int]:
    """--max-num-batched-tokens and --max-num-seqs: as said, else that version's for that card; room for those asked at once."""
    tokens, usual = defaults.settled(version, gpu, context, world)
    wanted = request.max_num_seqs or max(usual, request.concurrency or 1)
    chunked = chunked_prefill(version, context)
    tokens, seqs = defaults.capped(
        version, request.max_num_batched_tokens or tokens, wanted, context, chunked_prefill=chunked
    )
    return request.max_num_batched_tokens or tokens, request.max_num_seqs or seqs


def _dtype(request: FitRequest, subject: Subject) -> str:
    said = dtype_word(request.dtype)
    if said == "bfloat16" and not subject.gpu.native_bf16:
        raise Refusal(
            "no-bf16",
            f"`{subject.gpu.name}` has no bfloat16, and vLLM refuses to start with --dtype `bfloat16`.",
            "Use --dtype float16, or leave --dtype out.",
            gpu=subject.gpu.name,
        )
    if said is None and subject.shape.dtype == "bfloat16" and not subject.gpu.native_bf16:
        return "float16"
    return said or subject.shape.dtype


def _experts_need_ep(request: FitRequest, shape: ModelShape, version: Version, layout: Layout) -> bool:
    """Whether block-quantised experts are too narrow for this TP, so that whole experts go to the ranks instead."""
    return request.tp is None and version < REFINES_BLOCKS and splits_expert_blocks(shape, layout.tp)
