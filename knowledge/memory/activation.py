"""The peak of what a forward pass of max_num_batched_tokens needs beside the weights, as vLLM's profiling run measures it."""

from knowledge.launch import Launch
from knowledge.memory.encoders import encoder_memory
from knowledge.memory.sampler import sampler_peak
from knowledge.units import MIB, Range
from knowledge.versions import Version

COMPILED = Version(0, 8)  # from here torch.compile keeps a little more of a layer alive between its pieces
WORKSPACES = Version(0, 11)  # expert kernels keep their workspace between calls, so it adds to the sampler's peak

ELEMENT = 2  # bytes of an activation
BESIDE = 34 * MIB

# Tensors as wide as the hidden size that live beside the MLP's: 3.07 and 3.05 on two logs of 0.6, 3.7 on one of 0.19.
HIDDEN_V0, HIDDEN_V1 = 3.05, 3.73


def activation_peak(launch: Launch, *, last_stage: bool = True) -> Range:
    """Bytes on one GPU: the larger of a layer's own peak and the sampler's, with what outlives both.

    The sampler runs on the last pipeline stage only. Encoder inputs and outputs and expert workspaces stay while both run.
    """
    layer = layer_peak(launch)
    kept = expert_workspace(launch) + encoder_memory(launch)
    if not last_stage or launch.shape.encoder_only:
        return layer + kept
    sampler = sampler_peak(launch)
    peak = Range(max(layer.low, sampler.low), max(layer.expected, sampler.expected), max(layer.high, sampler.high))
    return peak + kept


def layer_peak(launch: Launch) -> Range:
    """One decoder layer over max_num_batched_tokens: gate and up projections, their product, and the hidden states around it.

    V0: 20,000 and 29,000 tokens of Llama-3.1-8B within 0.5 % of 3 × MLP width + 3 × hidden. V1: one log where the sampler is smaller.
    """
    shape = launch.shape
    hidden = HIDDEN_V1 if launch.version >= COMPILED else HIDDEN_V0
    width = 3 * max(shape.intermediate_size, _shared_width(launch)) / launch.tp + hidden * shape.hidden_size
    expected = launch.max_num_batched_tokens * ELEMENT * width
    if shape.experts:
        expected = max(expected, launch.max_num_batched_tokens * ELEMENT * hidden * shape.hidden_size)
    return Range(expected * 0.85 + BESIDE / 2, expected + BESIDE, expected * 1.3 + BESIDE * 2)


def _shared_width(launch: Launch) -> int:
    shape = launch.shape
    return shape.moe_intermediate_size if shape.experts else 0


def expert_workspace(launch: Launch) -> Range:
    """Bytes of the fused experts' intermediate results: one row for each token and chosen expert.

    As wide as the wider of 2 × expert width and hidden, and once more the expert width. Qwen1.5-MoE on 0.19: 0.26 GiB of 0.29 seen beside the
    sampler's peak. Kernels for MXFP4 free theirs at once (gpt-oss, two logs). One model: wide.
    """
    shape = launch.shape
    if not shape.experts or (shape.quantization is not None and shape.quantization.method == "mxfp4"):
        return Range.exact(0)
    inner = shape.moe_intermediate_size / (1 if launch.expert_parallel else launch.tp)
    rows = launch.max_num_batched_tokens * max(1, shape.experts_per_token)
    expected = rows * ELEMENT * (max(2 * inner, shape.hidden_size) + inner)
    return Range(0.0 if launch.version < WORKSPACES else expected * 0.5, expected, expected * 1.8)
