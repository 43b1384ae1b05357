"""Which tensor × pipeline × data parallel layout a number of GPUs gives."""

import math
from dataclasses import dataclass
from functools import lru_cache

from knowledge.errors import Refusal
from knowledge.memory.identity import Same
from knowledge.shapes.layers import ChunkedAttention, FullAttention, SlidingWindow
from knowledge.shapes.model import ModelShape
from knowledge.versions import Version

GPUS_PER_NODE = 8  # what a server holds when nobody says otherwise
VOCABULARY_PADDING = 64  # vllm/model_executor/layers/vocab_parallel_embedding.py DEFAULT_VOCAB_PADDING_SIZE

FP8_BLOCK = 128  # weights on a side of a scaling block, in every block-quantised checkpoint so far
REFINES_BLOCKS = Version(0, 32)  # makes the blocks finer by itself (sources of 0.32.0); older ones refuse to start

# Classes without SupportsPP in the sources of 0.32.0 (Mllama: of 0.10, the last that had it).
WITHOUT_PIPELINE = frozenset(
    {
        "AriaForConditionalGeneration",
        "Gemma3nForCausalLM",
        "Gemma3nForConditionalGeneration",
        "Idefics3ForConditionalGeneration",
        "Mamba2ForCausalLM",
        "MllamaForConditionalGeneration",
        "NemotronH_Nano_VL_V2",
        "PaddleOCRVLForConditionalGeneration",
        "Phi4MMForCausalLM",
        "SmolVLMForConditionalGeneration",
        "WhisperForConditionalGeneration",
        "Zamba2ForCausalLM",
    }
)


@dataclass(frozen=True, slots=True)
class Layout:
    """tp × pp × dp GPUs in use over `nodes` servers, `idle` more that the model cannot use.

    `awkward` means that tensor parallelism alone could not use the count, so that pipeline stages or idle GPUs make it up.
    """

    tp: int
    pp: int = 1
    dp: int = 1
    nodes: int = 1
    idle: int = 0
    awkward: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What was said of the layout; None means not said."""

    count: int | None = None
    tp: int | None = None
    pp: int | None = None
    dp: int | None = None
    nodes: int | None = None
    expert_parallel: bool = False


class Divisors:
    """Which tensor parallel sizes a model can be split into, by what vLLM checks at start-up."""

    def __init__(self, shape: ModelShape, *, expert_parallel: bool = False) -> None:
        self.shape = shape
        self._kv_heads = _kv_heads(Same(shape))
        self._widths = _widths(shape, expert_parallel=expert_parallel)

    def why_not(self, tp: int) -> str | None:
        """What `tp` does not divide, as words for a sentence; None when it can be used."""
        shape = self.shape
        if shape.attention_heads % tp:
            return f"the {shape.attention_heads} attention heads"
        for heads in self._kv_heads:
            if heads % tp if heads >= tp else tp % heads:
                return f"the {heads} KV heads, nor is it a multiple of them"
        return next((f"the {what} ({width})" for what, width in self._widths if width % tp), None)

    def usable(self, limit: int) -> list[int]:
        """The sizes up to `limit`, largest first; 1 is always among them."""
        return [tp for tp in range(limit, 0, -1) if tp == 1 or self.why_not(tp) is None]


def splits_expert_blocks(shape: ModelShape, tp: int) -> bool:
    """Whether `tp` would cut through the quantisation blocks of an FP8 checkpoint's experts."""
    how = shape.quantization
    if how is None or how.method != "fp8" or how.online or not shape.experts:
        return False
    return tp > 1 and shape.moe_intermediate_size % (tp * FP8_BLOCK) > 0


def pipeline_limit(shape: ModelShape) -> int:
    """The most pipeline stages: one a layer, or 1 where vLLM does not support them."""
    return 1 if shape.architecture in WITHOUT_PIPELINE else max(1, len(shape.layers))


def lay_out(shape: ModelShape, asked: Asked) -> Layout:
    """The layout as stated, completed: the largest usable TP within a server, pipeline stages for the rest.

    Refuses a stated TP that does not divide the model and stated sizes that do not make up the count.
    """
    divisors = Divisors(shape, expert_parallel=asked.expert_parallel)
    _check_stated(shape, asked, divisors)
    count, rest = _rest(asked)
    nodes = _nodes(asked, count)
    stages = pipeline_limit(shape)
    tp = asked.tp or _largest_tp(divisors, rest, math.ceil(count / nodes), stages)
    pp, dp = _complete(asked, rest if asked.tp else rest // tp, stages)
    idle = count - tp * pp * dp
    awkward = asked.tp is None and (idle > 0 or (asked.pp is None and pp > nodes))
    return Layout(tp=tp, pp=pp, dp=dp, nodes=nodes, idle=idle, awkward=awkward)


def _check_stated(shape: ModelShape, asked: Asked, divisors: Divisors) -> None:
    if asked.tp and (problem := divisors.why_not(asked.tp)):
        raise Refusal(
            "tp-does-not-divide",
            f"--tensor-parallel-size `{asked.tp}` does not divide {problem} of `{shape.model_id}`.",
            f"Use one of {', '.join(map(str, sorted(divisors.usable(64))))}, and --pipeline-parallel-size for other counts.",
            tp=asked.tp,
            usable=sorted(divisors.usable(64)),
        )
    if asked.pp and asked.pp > (most := pipeline_limit(shape)):
        raise Refusal(
            "bad-pp",
            f"`{shape.model_id}` cannot be split into `{asked.pp}` pipeline stages.",
            f"Use at most {most}."
            if most > 1
            else "vLLM has no pipeline parallelism for it: use --tensor-parallel-size.",
            pp=asked.pp,
            most=most,
        )
    if asked.expert_parallel and not shape.experts:
        raise Refusal(
            "no-experts",
            f"`{shape.model_id}` has no experts, so --enable-expert-parallel cannot be used.",
            "Leave --enable-expert-parallel out.",
            model=shape.model_id,
        )


def _rest(asked: Asked) -> tuple[int, int]:
    """The GPUs in all, and how many times the stated sizes go into them."""
    stated = (asked.tp or 1) * (asked.pp or 1) * (asked.dp or 1)
    count = asked.count or max(stated, (asked.nodes or 1))
    left_open = None in (asked.tp, asked.pp, asked.dp)
    if count % stated or (count != stated and not left_open):
        raise Refusal(
            "layout-mismatch",
            f"TP `{asked.tp or 1}` × PP `{asked.pp or 1}` × DP `{asked.dp or 1}` does not make up `{count}` GPUs.",
            "Change one of the sizes or the count so that their product is the number of GPUs.",
            count=count,
            stated=stated,
        )
    return count, count // stated


def _nodes(asked: Asked, count: int) -> int:
    if asked.nodes is None:
        return math.ceil(count / GPUS_PER_NODE)
    if count % asked.nodes:
        raise Refusal(
            "layout-mismatch",
            f"`{count}` GPUs cannot be spread evenly over `{asked.nodes}` nodes.",
            "Give every node the same number of GPUs.",
            count=count,
            nodes=asked.nodes,
        )
    return asked.nodes


def _largest_tp(divisors: Divisors, rest: int, per_node: int, stages: int) -> int:
    """The largest usable size that leaves a number of groups which stages can use; without stages, the largest at all."""
    usable = divisors.usable(min(rest, per_node))
    return next(tp for tp in usable if stages == 1 or rest % tp == 0)


def _complete(asked: Asked, rest: int, stages: int) -> tuple[int, int]:
    """(pp, dp) for the `rest` groups of GPUs that tensor parallelism and the stated sizes leave."""
    if asked.pp:
        return asked.pp, asked.dp or rest
    if stages == 1 and asked.tp:
        return 1, asked.dp or rest
    return min(rest, stages), asked.dp or 1


@lru_cache(maxsize=1024)
def _kv_heads(same: Same) -> list[int]:
    kinds = (FullAttention, SlidingWindow, ChunkedAttention)
    found = {cache.kv_heads for layer in same.shape.layers for cache in layer.caches if isinstance(cache, kinds)}
    return sorted(found)


def _widths(shape: ModelShape, *, expert_parallel: bool) -> list[tuple[str, int]]:
    """Dimensions that vLLM splits evenly over the ranks."""
    padded = -(-shape.vocab_size // VOCABULARY_PADDING) * VOCABULARY_PADDING
    expert = 0 if expert_parallel else shape.moe_intermediate_size
    widths = (("padded vocabulary", padded), ("MLP width", shape.intermediate_size), ("expert width", expert))
    return [(what, width) for what, width in widths if width]
