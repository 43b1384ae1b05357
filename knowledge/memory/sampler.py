"""What sampling takes at its peak, which vLLM measures with a dummy batch of max_num_seqs requests at start-up."""

from knowledge.launch import Launch
from knowledge.memory.runner import COUNTS_ALL, runs_v2
from knowledge.units import MIB, Range
from knowledge.versions import V1_DEFAULT, Version

FLASHINFER_OPT_IN = Version(
    0, 11, 1
)  # before, FlashInfer samples wherever it is installed: in images, not by pip, not on AMD
TRITON_TOP_P = Version(0, 17)  # vllm/v1/sample/ops/topk_topp_triton.py: nothing is sorted any more

# Bytes for each logit of the batch, alive at the same time (v1/sample/sampler.py, ops/topk_topp_sampler.py).
UNSORTED = 14  # 16-bit logits, float32 logits, probabilities, exponential noise
SORTED = 38  # 16-bit and float32 logits, sorted values, two sets of 64-bit indices, double buffers of the radix sort
SORTED_SMALL = 50  # below 128 rows torch sorts all rows in one, with two more buffers of 8 B
GREEDY = 2  # 16-bit logits: the dummy batch of Model Runner V2 is greedy (v1/worker/gpu/model_runner.py)
COUNTS = 4.125  # that runner's counts for penalties, kept from loading on (v1/worker/gpu/sample/penalties.py)
ROWS_SORTED_AT_ONCE = 128
AMD = "AMD"

# Programs of the Triton kernel, each with a row of float32 logits as scratch: one for each multiprocessor.
MULTIPROCESSORS = {
    "H100": 132, "H200": 132, "H800": 132, "H20": 78, "GH200": 132, "A100": 108, "A800": 108, "L40S": 142, "L40": 142,
    "L4": 58, "A10": 72, "A10G": 80, "A40": 84, "RTX A6000": 84, "RTX 3090": 82, "RTX 4090": 128, "RTX 4080": 76,
    "RTX 5090": 170, "B200": 148, "MI300X": 304, "RTX PRO 6000": 188, "DGX Spark": 48, "T4": 40, "V100": 80,
}  # fmt: skip
USUAL_MULTIPROCESSORS = 100

# Small tensors beside them: 0.027 to 0.038 GiB on seven logs of 0.19.
BESIDE = Range(20 * MIB, 34 * MIB, 60 * MIB)


def sampler_peak(launch: Launch) -> Range:
    """Bytes on one GPU of the last stage, with the hidden states that are still alive; logits of the whole vocabulary.

    0.17 on, first runner: 30 logs of 0.19 (1,024 rows, vocabularies of 32 k to 256 k, TP 1 to 4) within 1 %, float32 too. Sorting, up to
    0.16: 21 logs of 0.6 to 0.16 (256 and 1,024 rows) within 2 %; with FlashInfer it sorts nothing (four logs): the low, and from
    0.8 to 0.11.0, where it depends on how vLLM was installed, the expected is the middle. Second runner: one log of 0.26 where a layer's peak is larger.
    """
    rows, shape = sampled_rows(launch), launch.shape
    low, expected, high = (size + element(launch) - 2 for size in _bytes_per_logit(launch, rows))
    hidden = shape.hidden_size * element(launch) * (launch.max_num_batched_tokens + 2 * rows)
    fixed = _scratch(launch, rows) + hidden
    logits = rows * shape.vocab_size
    return Range(low * logits + fixed, expected * logits + fixed, high * logits + fixed) + BESIDE


def penalty_counts(launch: Launch) -> int:
    """Bytes that the new runner's counts of every request's tokens take, from loading on: 4 B a logit and a bit."""
    if launch.version < COUNTS_ALL or not runs_v2(launch):
        return 0
    return int(COUNTS * launch.max_num_seqs * launch.shape.vocab_size)


def element(launch: Launch) -> int:
    """Bytes of one activation."""
    return 4 if launch.dtype == "float32" else 2


def sampled_rows(launch: Launch) -> int:
    """How many requests the dummy batch samples: max_num_seqs, or on V0 as many as the largest images leave room for."""
    shape = launch.shape
    if launch.version >= V1_DEFAULT or not shape.multimodal or not shape.max_image_tokens:
        return launch.max_num_seqs
    return max(1, min(launch.max_num_seqs, launch.max_num_batched_tokens // shape.max_image_tokens))


def _bytes_per_logit(launch: Launch, rows: int) -> tuple[float, float, float]:
    version = launch.version
    if runs_v2(launch):
        return (GREEDY, GREEDY, GREEDY * 4)
    if version >= TRITON_TOP_P:
        return (UNSORTED * 0.97, UNSORTED, UNSORTED * 1.05)
    sorting = SORTED if rows >= ROWS_SORTED_AT_ONCE else SORTED_SMALL
    if V1_DEFAULT <= version < FLASHINFER_OPT_IN and launch.gpu.vendor != AMD:
        return (UNSORTED, (UNSORTED + sorting) / 2, sorting * 1.04)
    return (sorting * 0.9, sorting, sorting * 1.04)


def _scratch(launch: Launch, rows: int) -> int:
    if launch.version < TRITON_TOP_P or runs_v2(launch):
        return 0
    programs = min(MULTIPROCESSORS.get(launch.gpu.family, USUAL_MULTIPROCESSORS), rows)
    return programs * launch.shape.vocab_size * 4
