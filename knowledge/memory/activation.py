"""The peak of what a forward pass of max_num_batched_tokens needs beside the weights, as vLLM's profiling run measures it."""

from functools import lru_cache

from knowledge.launch import Launch
from knowledge.memory.attention_workspace import indexer_logits, projection_buffer, sparse_workspace
from knowledge.memory.encoders import encoder_kept, encoder_peak
from knowledge.memory.identity import Same, cache_kinds
from knowledge.memory.overheads import MEASURES_ALLOCATED
from knowledge.memory.sampler import element, penalty_counts, sampler_peak
from knowledge.shapes.layers import CompressedAttention, Part
from knowledge.shapes.model import ModelShape
from knowledge.units import MIB, Range
from knowledge.versions import V1_DEFAULT, Version, chunked_prefill

COMPILED = V1_DEFAULT  # from here torch.compile keeps a little more of a layer alive between its pieces
WORKSPACES = Version(0, 13)  # from here expert kernels keep their workspace (v1/worker/workspace.py)

BESIDE = 34 * MIB
SMALLER_CHUNKS = Version(0, 12)
CHUNK, EARLY_CHUNK = 16_384, 32_768  # tokens that experts compute at once (VLLM_FUSED_MOE_CHUNK_SIZE)

# Tensors as wide as the hidden size that live beside the MLP's: 3.07 and 3.05 on two logs of 0.6, 3.7 on one of 0.19.
HIDDEN_V0, HIDDEN_V1 = 3.05, 3.73
OFFLINE = {2048: 2.5, 8192: 1.5}

MARLIN = frozenset({"int4", "awq-int4", "gptq-int4"})
# DeepSeek-V4 carries four hidden states between its layers (hc_mult): 1.84 GiB for 8,192 tokens on four H20, 0.26.
STREAMS = 4


def activation_peak(launch: Launch, *, last_stage: bool = True) -> Range:
    """Bytes on one GPU: the largest of encoding, one decoder layer and sampling, each with what is still alive then.

    The sampler runs on the last pipeline stage only. Encoded items stay while the decoder runs; expert workspaces stay too.
    """
    phases = [layer_peak(launch)]
    if last_stage and not launch.shape.encoder_only:
        phases.append(_sampling(launch) + _kept_workspace(launch))
    decoding = _largest(phases) + encoder_kept(launch) + Range.exact(penalty_counts(launch))
    return _largest([decoding, encoder_peak(launch)])


def _sampling(launch: Launch) -> Range:
    """The sampler's peak; from 0.6.4 on the old engine's profiling run with chunked prefill does not reach it.

    Three starts of 0.6.4 to 0.7.3 with more than 32,768 tokens logged exactly a layer's peak (0.06, 0.19 and 0.22 GiB), where 256 rows
    would have taken 1.2 to 1.5.
    """
    peak = sampler_peak(launch)
    if not MEASURES_ALLOCATED <= launch.version < V1_DEFAULT or not chunked_prefill(
        launch.version, launch.max_model_len
    ):
        return peak
    return Range(0, 0, peak.high)


def _kept_workspace(launch: Launch) -> Range:
    """What kernels keep between calls: one buffer, as large as the most that any of them wants."""
    if launch.version < WORKSPACES:
        return Range.exact(0)
    sparse = Range.exact(sparse_workspace(launch))
    return _largest([expert_workspace(launch), sparse]) if _modular(launch.shape) else sparse


def _modular(shape: ModelShape) -> bool:
    """Whether the experts' kernels take their workspace from the shared one; Marlin's (INT4) free theirs at once."""
    return shape.quantization is None or shape.quantization.label not in MARLIN


def layer_peak(launch: Launch) -> Range:
    """One decoder layer over max_num_batched_tokens: its widest block's projections and the hidden states around it.

    V0: 20,000 and 29,000 tokens of Llama-3.1-8B within 0.5 % of 3 × MLP width + 3 × hidden. V1: one log where the sampler is smaller.
    """
    shape = launch.shape
    hidden = (HIDDEN_V1 if launch.version >= COMPILED else HIDDEN_V0) * shape.hidden_size * _streams(shape)
    widest = block_width(Same(shape)) / launch.tp
    block = launch.max_num_batched_tokens * element(launch) * (widest + hidden)
    states = Range.exact(launch.max_num_batched_tokens * element(launch) * hidden)
    attention = states + Range.exact(projection_buffer(launch) + indexer_logits(launch) + sparse_workspace(launch))
    experts = expert_workspace(launch) + states
    dense = Range(block * 0.88 + BESIDE / 2, block + BESIDE, block * 1.25 * _offline(launch) + BESIDE * 2)
    return _largest([dense, attention, experts])


def _streams(shape: ModelShape) -> int:
    return STREAMS if CompressedAttention in cache_kinds(shape) else 1


def _offline(launch: Launch) -> float:
    """How many times more tokens a default batch may have had, at the edge of 9 in 10: people report vLLM used as a library too.

    2,048 of the server are 8,192 there, 8,192 are 16,384 (engine/arg_utils.py get_batch_defaults, since 0.8).
    """
    return OFFLINE.get(launch.max_num_batched_tokens, 1.0) if launch.version >= COMPILED else 1.0


@lru_cache(maxsize=1024)
def block_width(same: Same) -> float:
    """Elements a token that the widest block of any layer computes: 3 × MLP width for a gated MLP, from the weights' shape.

    Of linear attention only the projections: its scan is left out of the profiling run, as attention is.
    """
    shape = same.shape
    return max((_layer_width(parameters, shape) for parameters in _kinds(shape)), default=0.0)


def _kinds(shape: ModelShape) -> list[dict[Part, int]]:
    """The different layers."""
    kinds: list[dict[Part, int]] = []
    for layer in shape.layers:
        if layer.parameters not in kinds:
            kinds.append(layer.parameters)
    return kinds


def _layer_width(parameters: dict[Part, int], shape: ModelShape) -> float:
    hidden = max(1, shape.hidden_size)
    mlp = parameters.get(Part.MLP, 0) / hidden
    attention = (parameters.get(Part.ATTENTION, 0) + parameters.get(Part.KV_PROJECTION, 0)) / hidden
    recurrent = parameters.get(Part.RECURRENT, 0) / hidden
    return max(mlp, attention, recurrent)


def expert_workspace(launch: Launch) -> Range:
    """Bytes of the fused experts' intermediate results: one row for each token and chosen expert.

    As wide as the wider of 2 × expert width and hidden, and once more the expert width. Qwen1.5-MoE on 0.19: 0.26 of the 0.29 GiB seen
    beside the sampler's peak; Kimi-K2.5 on 0.15: 1.3 of about 1.4 GiB. Kernels for MXFP4 free theirs at once (gpt-oss, two logs).
    """
    shape = launch.shape
    if not shape.experts or (shape.quantization is not None and shape.quantization.method == "mxfp4"):
        return Range.exact(0)
    inner = shape.moe_intermediate_size / (1 if launch.expert_parallel else launch.tp)
    chunk = CHUNK if launch.version >= SMALLER_CHUNKS else EARLY_CHUNK
    rows = min(launch.max_num_batched_tokens, chunk) * max(1, shape.experts_per_token)
    expected = rows * element(launch) * (max(2 * inner, shape.hidden_size) + inner)
    return Range(expected * 0.5, expected, expected * 1.6)


def _largest(ranges: list[Range]) -> Range:
    return Range(max(r.low for r in ranges), max(r.expected for r in ranges), max(r.high for r in ranges))
