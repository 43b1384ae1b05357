"""What sampling takes at its peak, which vLLM measures with a dummy batch of max_num_seqs requests at start-up."""

from knowledge.launch import Launch
from knowledge.units import MIB, Range
from knowledge.versions import Version

V1_ENGINE = Version(0, 8)
SORTS_WITHOUT_FLASHINFER = Version(0, 11, 1)  # FlashInfer's sampler is opt-in until 0.22, so top-p sorts
TRITON_TOP_P = Version(0, 17)  # vllm/v1/sample/ops/topk_topp_triton.py

# Bytes for each logit of the batch, alive at the same time.
UNSORTED = 14  # 16-bit logits, float32 logits, probabilities, exponential noise (random_sample)
SORTED = 38  # 16-bit and float32 logits, sorted values, 64-bit indices twice, and the sort's double buffers
SORTED_SMALL = 50  # below 128 rows torch sorts all rows at once, with two more buffers of 8 B
FLASHINFER = 10  # 16-bit and float32 logits and probabilities
V0 = 6.5  # 1.63 × 4 B; 2 starts of 0.6
ROWS_SORTED_AT_ONCE = 128

# Programs of the Triton kernel, each with a row of float32 logits as scratch: one for each multiprocessor.
MULTIPROCESSORS = {
    "H100": 132, "H200": 132, "H800": 132, "H20": 78, "GH200": 132, "A100": 108, "A800": 108, "L40S": 142, "L40": 142,
    "L4": 58, "A10": 72, "A10G": 80, "A40": 84, "RTX A6000": 84, "RTX 3090": 82, "RTX 4090": 128, "RTX 4080": 76, "RTX 5090": 170,
    "B200": 148, "MI300X": 304, "RTX PRO 6000": 188, "GB10": 48, "T4": 40, "V100": 80,
}  # fmt: skip
USUAL_MULTIPROCESSORS = 100

# Small tensors beside them: 0.027 to 0.038 GiB on seven logs of 0.19.
BESIDE = Range(20 * MIB, 34 * MIB, 60 * MIB)


def sampler_peak(launch: Launch) -> Range:
    """Bytes on one GPU of the last stage, logits of the whole vocabulary: they are gathered on every rank.

    0.17 to 0.32: seven logs of 0.19 (S 1024, V 32 k to 256 k, TP 1 to 4) within 1 %; 0.8 to 0.16: four logs; V0: two.
    """
    rows, vocabulary = launch.max_num_seqs, launch.shape.vocab_size
    low, expected, high = _bytes_per_logit(launch)
    hidden = launch.shape.hidden_size * 2 * (launch.max_num_batched_tokens + 2 * rows)
    fixed = _scratch(launch) + hidden
    logits = rows * vocabulary
    return Range(low * logits + fixed, expected * logits + fixed, high * logits + fixed) + BESIDE


def _bytes_per_logit(launch: Launch) -> tuple[float, float, float]:
    version, rows = launch.version, launch.max_num_seqs
    if version < V1_ENGINE:
        return (4, V0, 12)
    if version >= TRITON_TOP_P:
        return (UNSORTED * 0.97, UNSORTED, UNSORTED * 1.05)
    sorting = SORTED if rows >= ROWS_SORTED_AT_ONCE else SORTED_SMALL
    if version >= SORTS_WITHOUT_FLASHINFER:
        return (sorting * 0.97, sorting, sorting * 1.05)
    return (FLASHINFER, FLASHINFER if rows <= 256 else sorting, sorting)


def _scratch(launch: Launch) -> int:
    if launch.version < TRITON_TOP_P:
        return 0
    programs = min(MULTIPROCESSORS.get(launch.gpu.family, USUAL_MULTIPROCESSORS), launch.max_num_seqs)
    return programs * launch.shape.vocab_size * 4
