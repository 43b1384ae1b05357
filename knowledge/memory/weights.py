"""What a model's weights take on one GPU, pipeline stage by stage."""

from dataclasses import dataclass
from functools import lru_cache

from knowledge.launch import Launch
from knowledge.memory.allocation import lost_in_layer
from knowledge.memory.identity import Same, cache_kinds
from knowledge.memory.stages import stage_bounds
from knowledge.shapes.layers import LatentAttention, Part
from knowledge.shapes.model import ModelShape, Quantization
from knowledge.units import Range
from knowledge.versions import Version

SIXTEEN_BIT = 2  # bytes
BYTES = {"float32": 4}  # of a weight that is not quantised, by --dtype; every other dtype has 16 bits

# vLLM loads MXFP4 experts into the padded, swizzled layout of its kernels: gpt-oss 2880 wide becomes 3072 in one direction, or more.
# 3 logged loads (20b twice, 120b) lie 8.7 to 9.2 % above the checkpoint's experts. 0.10 to 0.19; newer kernels pad less or more.
MXFP4_EXPERTS = Range(1.0, 1.09, 1.14)
MXFP4_NARROW = Range(
    1.0, 3072 / 2880, 1.14
)  # 0.12 to 0.16 (20b and 120b on H100 of 0.13), and AMD (120b on MI325X of 0.10)
MXFP4_NARROW_VERSIONS = (Version(0, 12), Version(0, 17))
# INT4 experts are repacked for Marlin, scales and zero points padded: Kimi-K2.5 on eight cards, 1.4 % over the checkpoint's experts.
INT4_EXPERTS = Range(1.0, 1.012, 1.05)
# Checkpoints that quantise their scales too (4.13 bits a weight, not 4.5) keep them so: one log of 0.6.
NF4 = Range(0.91, 0.96, 1.03)
INT4_LABELS = frozenset({"int4", "awq-int4", "gptq-int4"})

ROPE_TABLES = {"Gemma3ForConditionalGeneration": 1 + 8}

# Hidden states that an EAGLE head's input projection joins, and the tokens of its own output head.
HEADS = {"eagle": (2, 0), "eagle3": (3, 32_000)}

# What is not known about a checkpoint, as a share of its quantised weights: nothing when its real bytes are known,
# which layers a producer left in 16 bits when they are not (public AWQ, QAT and NVFP4 builds differ by 1.7 to 9 GiB).
KNOWN = (0.004, 0.012)
GUESSED = (0.03, 0.12)
ONLINE = (0.005, 0.02)


BELIEVED = (0.75, 1.6)  # a size further from what the bits say means something else, a file with more in it, say
QUANTISES_MTP = (
    "fp8"  # DeepSeek and Qwen store their MTP layers like the rest; AWQ, GPTQ and NVFP4 builds leave them in 16 bits
)


@dataclass(frozen=True, slots=True)
class StageWeights:
    """One GPU of one pipeline stage: its decoder layers and its weights in bytes."""

    layers: int
    size: Range
    first: bool
    last: bool


@dataclass(frozen=True, slots=True)
class _Split:
    """How a model is spread over GPUs."""

    tp: int
    pp: int
    expert_ways: int
    mtp: bool
    dtype: str
    mxfp4: Range


def stage_weights(launch: Launch) -> tuple[StageWeights, ...]:
    """The weights on one GPU of each pipeline stage, the draft model included where it is loaded (the last stage)."""
    split = _Split(
        tp=launch.tp,
        pp=launch.pp,
        expert_ways=launch.tp * launch.dp,
        mtp=launch.speculation is not None and launch.speculation.method == "mtp",
        dtype=launch.dtype,
        mxfp4=_mxfp4_padding(launch),
    )
    stages = _stages(Same(launch.shape), split)
    extra = draft_weights(launch)
    last = stages[-1]
    return (*stages[:-1], StageWeights(last.layers, last.size + extra, last.first, last.last))


def draft_weights(launch: Launch) -> Range:
    """What speculative decoding loads beside the model, on the last stage: a draft model, or an EAGLE head.

    A head that is not known is taken as one layer like the model's last, its input projection, and for EAGLE-3 a head over the usual
    32,000 tokens of its own vocabulary; its embedding is the model's. MTP layers are part of the model's own checkpoint.
    """
    speculation = launch.speculation
    if speculation is None:
        return Range.exact(0)
    if speculation.draft is not None:
        split = _Split(launch.tp, 1, launch.tp, mtp=False, dtype=launch.dtype, mxfp4=MXFP4_EXPERTS)
        return _stages(Same(speculation.draft), split)[0].size
    shape = launch.shape
    if speculation.method not in HEADS or not shape.layers:
        return Range.exact(0)
    inputs, vocabulary = HEADS[speculation.method]
    layer = sum(shape.layers[-1].parameters.values()) if not shape.experts else 12 * shape.hidden_size**2
    count = layer + inputs * shape.hidden_size**2 + vocabulary * shape.hidden_size
    size = count * SIXTEEN_BIT / launch.tp
    return Range(size * 0.6, size, size * 1.5)


def _mxfp4_padding(launch: Launch) -> Range:
    first, past = MXFP4_NARROW_VERSIONS
    return MXFP4_NARROW if launch.gpu.vendor == "AMD" or first <= launch.version < past else MXFP4_EXPERTS


@lru_cache(maxsize=4096)
def _stages(same: Same, split: _Split) -> tuple[StageWeights, ...]:
    shape = same.shape
    sizes = _part_sizes(same, split.dtype, split.mxfp4)
    bounds = stage_bounds(len(shape.layers), split.pp)
    stages = []
    for index, (start, end) in enumerate(bounds):
        first, last = index == 0, index == split.pp - 1
        counts = _stage_counts(shape, start, end, first=first, last=last)
        size = _size(shape, counts, sizes, split) + Range.exact(_lost(shape, start, end, sizes, split))
        stages.append(StageWeights(end - start, size, first, last))
    return tuple(stages)


def _stage_counts(shape: ModelShape, start: int, end: int, *, first: bool, last: bool) -> dict[Part, int]:
    """Weights of one stage by part, before tensor parallelism.

    The first stage has the embedding and the encoders, the last one the head, the final norm and the MTP layers; a tied head
    needs the embedding on the last stage too.
    """
    counts: dict[Part, int] = {}
    for layer in shape.layers[start:end]:
        for part, count in layer.parameters.items():
            counts[part] = counts.get(part, 0) + count
    for part, count in shape.outside.items():
        here = last if part in (Part.LM_HEAD, Part.MTP) else first
        if here or part is Part.REPLICATED or (part is Part.EMBEDDING and last and shape.tied_embeddings):
            counts[part] = counts.get(part, 0) + count
    return counts


def _size(shape: ModelShape, counts: dict[Part, int], sizes: dict[Part, Range], split: _Split) -> Range:
    low = expected = high = float(rope_bytes(shape, split.dtype))
    for part, count in counts.items():
        if part is Part.MTP and not split.mtp:
            continue
        share = count / _ways(part, shape, split)
        size = sizes[part]
        low, expected, high = low + share * size.low, expected + share * size.expected, high + share * size.high
    return Range(low, expected, high)


def _lost(shape: ModelShape, start: int, end: int, sizes: dict[Part, Range], split: _Split) -> int:
    """Bytes that the allocator loses in a stage's layers, each kind of layer reckoned once."""
    ways = {part: _ways(part, shape, split) for part in Part}
    expected = {part: size.expected for part, size in sizes.items()}
    found: dict[tuple[tuple[Part, int], ...], int] = {}
    total = 0
    for layer in shape.layers[start:end]:
        kind = tuple(layer.parameters.items())
        if kind not in found:
            found[kind] = lost_in_layer(layer.parameters, shape, ways, expected)
        total += found[kind]
    return total


def _ways(part: Part, shape: ModelShape, split: _Split) -> int:
    """Over how many GPUs one part is cut.

    Norms, routers and MLA down-projections are whole on every rank (vllm ReplicatedLinear); key and value projections are
    repeated once there are more ranks than KV heads (QKVParallelLinear); expert weights are cut over tensor and data
    parallel ranks alike, with or without expert parallelism (FusedMoEParallelConfig.make).
    """
    match part:
        case Part.REPLICATED:
            return 1
        case Part.KV_PROJECTION:
            return min(split.tp, max(1, shape.kv_heads))
        case Part.EXPERTS:
            return split.expert_ways
        case _:
            return split.tp


def rope_bytes(shape: ModelShape, dtype: str = "bfloat16") -> int:
    """The rotary embedding's tables, made once for all layers: positions × head size in the model's dtype, counted by vLLM as weights.

    Llama-3.1-8B logs 14.9888 GiB = 14.9576 of parameters + 131,072 positions × 128 × 2 B; Llama-3-8B (8,192) 14.96. Gemma-3 has a second
    table, scaled linearly by 8: 0.51 GiB more for 4b, 0.26 for 27b. 0.6 to 0.31, 7 models.
    """
    tables = ROPE_TABLES.get(shape.architecture, 1)
    return (
        0
        if shape.encoder_only
        else tables * shape.max_context * min(shape.head_size, 256) * BYTES.get(dtype, SIXTEEN_BIT)
    )


@lru_cache(maxsize=1024)
def _part_sizes(same: Same, dtype: str, mxfp4: Range) -> dict[Part, Range]:
    """Bytes that one weight of each part takes in memory, before sharding."""
    shape = same.shape
    plain = BYTES.get(dtype, SIXTEEN_BIT)
    quantization = shape.quantization
    if quantization is None:
        return dict.fromkeys(Part, Range(plain * 0.999, plain, plain * 1.004))
    below, above = _unknown(shape, quantization)
    factor = _checkpoint_factor(shape, quantization)
    sizes = dict.fromkeys(Part, Range.exact(plain))
    for part in quantization.parts:
        nominal = quantization.part_bits.get(part, quantization.bits) / 8
        stored = min(nominal * factor, float(plain))
        repack = mxfp4 if part is Part.EXPERTS and quantization.method == "mxfp4" else _repacking(part, quantization)
        low, high = stored * (1 - below), stored * (1 + above)
        sizes[part] = Range(low * repack.low, stored * repack.expected, high * repack.high)
    if quantization.label in INT4_LABELS and LatentAttention in cache_kinds(shape):
        sizes[Part.REPLICATED] = _down_projections(shape, sizes[Part.ATTENTION])
    if quantization.method == QUANTISES_MTP and Part.EXPERTS in quantization.parts:
        sizes[Part.MTP] = sizes[Part.EXPERTS]
    return sizes


def _down_projections(shape: ModelShape, quantised: Range) -> Range:
    """Bytes of a weight that every rank holds whole where latent attention's down-projections are in 4 bits like the rest, routers and norms not.

    DeepSeek-V3 in AWQ on sixteen cards: 21.21 GiB a card; with these projections in 16 bits it would be 22.7. One log of 0.8.
    """
    whole = sum(layer.parameters.get(Part.REPLICATED, 0) for layer in shape.layers)
    routers = sum(shape.hidden_size * shape.experts for layer in shape.layers if Part.EXPERTS in layer.parameters)
    share = max(0.0, 1 - routers / whole) if whole else 0.0
    low, expected = (SIXTEEN_BIT - share * (SIXTEEN_BIT - size) for size in (quantised.low, quantised.expected))
    return Range(low, expected, SIXTEEN_BIT)


def _checkpoint_factor(shape: ModelShape, quantization: Quantization) -> float:
    """The checkpoint's real size over what its bits say, for the quantised weights; 1 where only the bits are known."""
    if shape.checkpoint_bytes is None or quantization.online:
        return 1.0
    nominal, kept = 0.0, 0
    for counts in (shape.outside, *(layer.parameters for layer in shape.layers)):
        for part, count in counts.items():
            if part in quantization.parts:
                nominal += count * quantization.part_bits.get(part, quantization.bits) / 8
            elif part is not Part.MTP:
                kept += count * SIXTEEN_BIT
    factor = (shape.checkpoint_bytes - kept) / nominal if nominal else 1.0
    return factor if BELIEVED[0] <= factor <= BELIEVED[1] else 1.0


def _unknown(shape: ModelShape, quantization: Quantization) -> tuple[float, float]:
    if quantization.online:
        return ONLINE
    return KNOWN if shape.checkpoint_bytes is not None else GUESSED


def _repacking(part: Part, quantization: Quantization) -> Range:
    if quantization.method == "bitsandbytes":
        return NF4
    if part is Part.EXPERTS and quantization.label in INT4_LABELS:
        return INT4_EXPERTS
    return Range.exact(1.0)


def lora_bytes(launch: Launch) -> int:
    """One adapter's buffers at --max-lora-rank: A and B for every projection of every layer, cut over TP. 0 without LoRA.

    vLLM allocates --max-loras (1 by default) slots at start, whatever is loaded later (vllm/lora/layers).
    """
    if launch.max_lora_rank is None:
        return 0
    shape = launch.shape
    width = shape.hidden_size
    kv = shape.kv_heads * shape.head_size
    heads = shape.attention_heads * shape.head_size
    rows = 4 * width + 2 * heads + 2 * kv + 3 * (width + shape.intermediate_size)
    return launch.max_lora_rank * rows * len(shape.layers) * SIXTEEN_BIT // (launch.tp * launch.pp)
