"""What captured CUDA graphs take, and what vLLM sets aside for them."""

from knowledge.gpus import Link
from knowledge.launch import Launch
from knowledge.memory.identity import cache_kinds
from knowledge.memory.runner import ESTIMATES_GRAPHS, runs_v2
from knowledge.shapes.layers import CompressedAttention, LatentAttention, RecurrentState
from knowledge.units import GIB, MIB, Range
from knowledge.versions import GRAPHS_IN_BUDGET, V1_DEFAULT, Version

DECODE_GRAPHS = Version(0, 11)  # FULL_AND_PIECEWISE by default: a second set of graphs for pure decoding
COARSER = Version(0, 12)  # every 16th size above 256; before, every 8th

# GiB for the largest graph, and MiB that each graph keeps for each layer: 22 logs of 0.10 to 0.31, most within 30 %.
BASE = 0.25
V0_BASE = 0.03  # three captures of 35 graphs and 24 or 28 layers by the old engine took 0.17 to 0.21 GiB
LAYER = 0.164
MORE_KERNELS = 1.5  # experts and recurrent layers launch more kernels a layer: eight of those logs
MORE_STILL = 3.3  # DeepSeek-V4's compressors and indexers: an estimate of 0.64 GiB for 17 graphs of 43 layers on H20
MEASURED = 1.5  # the second runner captures all mixed graphs to measure: one log of 0.31, 1.18 GiB for 32 layers
NCCL = 1.9  # more than two cards over PCIe have no custom all-reduce: 2.73 GiB for 80 layers on four L40S, 3.45 for 48 of experts
# MLA's first decoding graph takes 0.51 GiB, plain attention's 0.25 (DeepSeek-V2-Lite and Kimi-VL on 0.19, graphs of 512 tokens);
# what it keeps grows with the batch.
LATENT_BASE = 0.45
SPREAD = (0.3, 1.5)
SPREAD_V4 = (0.1, 3.0)  # estimates between 0.17 and 33 GiB are reported for DeepSeek-V4

LARGEST, LARGEST_GPT_OSS = 512, 1024  # tokens of the largest captured batch (models/config.py)


def cuda_graph_estimate(launch: Launch) -> Range:
    """Bytes that vLLM sets aside for CUDA graphs within the budget: from 0.20.0, unless eager; the second runner's from 0.29."""
    first = ESTIMATES_GRAPHS if runs_v2(launch) else GRAPHS_IN_BUDGET
    if launch.version < first:
        return Range.exact(0)
    return cuda_graphs(launch)


def cuda_graphs(launch: Launch) -> Range:
    """Bytes that captured CUDA graphs take, wherever they are accounted; none when eager.

    A baseline for the largest, and for each graph a little driver memory for each layer. Estimates and captures in logs:
    0.31 GiB (28 layers, 54 graphs) to 2.7 (80 layers, 86 graphs, no NVLink); 39 models and layouts of 0.19 on H100 within 30 %,
    but two of ten on two cards, whose estimate was twice what was captured. Single reports are off by a factor both ways.
    """
    if launch.enforce_eager:
        return Range.exact(0)
    layers = len(launch.shape.layers) / launch.pp
    expected = _base(launch) * GIB + LAYER * MIB * layers * _kernels(launch) * graph_count(launch)
    if launch.version >= ESTIMATES_GRAPHS:
        expected *= MEASURED
    if launch.tp > 2 and launch.gpu.link is Link.PCIE:
        expected *= NCCL
    low, high = SPREAD_V4 if _kernels(launch) == MORE_STILL else SPREAD
    return Range(expected * low, expected, expected * high)


def _base(launch: Launch) -> float:
    """GiB of the largest graph: its inputs, outputs and what its kernels keep."""
    if launch.version < V1_DEFAULT:
        return V0_BASE
    decoding_latents = launch.version >= DECODE_GRAPHS and LatentAttention in cache_kinds(launch.shape)
    return BASE + LATENT_BASE * largest_graph(launch) / LARGEST if decoding_latents else BASE


def graph_count(launch: Launch) -> int:
    """Graphs captured: one a batch size up to min(2 × max_num_seqs, 512) for mixed batches, one up to max_num_seqs for decoding.

    51 and 35 for 256 requests, 11 and 7 for 32, 5 and 4 for 8 in logs of 0.19 to 0.24, 67 and 35 in one of 0.11.0;
    83 for gpt-oss (config/vllm.py _set_cudagraph_sizes).
    """
    largest = largest_graph(launch)
    decoding = min(largest, launch.max_num_seqs * _step(launch))
    if launch.version < V1_DEFAULT:
        return _sizes(min(launch.max_num_seqs, 256), launch.version)
    mixed = _sizes(largest, launch.version)
    return mixed + (_sizes(decoding, launch.version) if launch.version >= DECODE_GRAPHS else 0)


def largest_graph(launch: Launch) -> int:
    """Tokens of the largest captured batch."""
    most = LARGEST_GPT_OSS if launch.shape.architecture == "GptOssForCausalLM" else LARGEST
    return min(2 * launch.max_num_seqs * _step(launch), most)


def _step(launch: Launch) -> int:
    """Tokens of one request in a decoding step."""
    return 1 + (launch.speculation.tokens if launch.speculation else 0)


def _sizes(largest: int, version: Version) -> int:
    """1, 2, 4, then every 8th; above 256 every 16th since 0.12."""
    small = sum(size <= largest for size in (1, 2, 4))
    above = max(0, largest - 256) // (16 if version >= COARSER else 8)
    return small + min(largest, 256) // 8 + above


def _kernels(launch: Launch) -> float:
    """How many kernels a layer launches, against a dense layer with plain attention."""
    kinds = cache_kinds(launch.shape)
    if CompressedAttention in kinds:
        return MORE_STILL
    return MORE_KERNELS if launch.shape.experts or RecurrentState in kinds else 1.0
