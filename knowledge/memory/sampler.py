"""What sampling takes at its peak, which vLLM measures with a dummy batch of max_num_seqs requests at start-up."""

from knowledge.launch import Launch
from knowledge.units import MIB, Range
from knowledge.versions import Version

V1_ENGINE = Version(0, 8)
SORTS_WITHOUT_FLASHINFER = Version(0, 11, 1)  # from here FlashInfer's sampler is opt-in, so top-p sorts everywhere
TRITON_TOP_P = Version(0, 17)  # vllm/v1/sample/ops/topk_topp_triton.py: nothing is sorted any more
NEW_RUNNER = Version(0, 29)  # Model Runner V2 by default: its dummy batch is greedy (v1/worker/gpu/model_runner.py)

# Bytes for each logit of the batch, alive at the same time (v1/sample/sampler.py, ops/topk_topp_sampler.py).
UNSORTED = 14  # 16-bit logits, float32 logits, probabilities, exponential noise
SORTED = 38  # 16-bit and float32 logits, sorted values, two sets of 64-bit indices, double buffers of the radix sort
SORTED_SMALL = 50  # below 128 rows torch sorts all rows in one, with two more buffers of 8 B
GREEDY = 2  # 16-bit logits
COUNTS = 4.125  # penalties' counts, kept from loading on (sample/penalties.py)
ROWS_SORTED_AT_ONCE = 128

# Programs of the Triton kernel, each with a row of float32 logits as scratch: one for each multiprocessor.
MULTIPROCESSORS = {
    "H100": 132, "H200": 132, "H800": 132, "H20": 78, "GH200": 132, "A100": 108, "A800": 108, "L40S": 142, "L40": 142,
    "L4": 58, "A10": 72, "A10G": 80, "A40": 84, "RTX A6000": 84, "RTX 3090": 82, "RTX 4090": 128, "RTX 4080": 76,
    "RTX 5090": 170, "B200": 148, "MI300X": 304, "RTX PRO 6000": 188, "GB10": 48, "T4": 40, "V100": 80,
}  # fmt: skip
USUAL_MULTIPROCESSORS = 100

# Small tensors beside them: 0.027 to 0.038 GiB on seven logs of 0.19.
BESIDE = Range(20 * MIB, 34 * MIB, 60 * MIB)


def sampler_peak(launch: Launch) -> Range:
    """Bytes on one GPU of the last stage, with the hidden states that are still alive; logits of the whole vocabulary.

    0.17 to 0.28: seven logs of 0.19 (1,024 rows, vocabularies of 32 k to 256 k, TP 1 to 4) within 1 %. Sorting, up to
    0.16: nine logs of 0.6 to 0.16 (256 and 1,024 rows) within 2 %. From 0.29 read from the sources, one log.
    """
    rows, shape = sampled_rows(launch), launch.shape
    low, expected, high = _bytes_per_logit(launch, rows)
    hidden = shape.hidden_size * 2 * (launch.max_num_batched_tokens + 2 * rows)
    fixed = _scratch(launch, rows) + hidden
    logits = rows * shape.vocab_size
    return Range(low * logits + fixed, expected * logits + fixed, high * logits + fixed) + BESIDE


def sampled_rows(launch: Launch) -> int:
    """How many requests the dummy batch samples: max_num_seqs, or on V0 as many as the largest images leave room for."""
    shape = launch.shape
    if launch.version >= V1_ENGINE or not shape.multimodal or not shape.max_image_tokens:
        return launch.max_num_seqs
    return max(1, min(launch.max_num_seqs, launch.max_num_batched_tokens // shape.max_image_tokens))


def _bytes_per_logit(launch: Launch, rows: int) -> tuple[float, float, float]:
    version = launch.version
    if version >= NEW_RUNNER:
        return (GREEDY + COUNTS, GREEDY + COUNTS, UNSORTED)
    if version >= TRITON_TOP_P:
        return (UNSORTED * 0.97, UNSORTED, UNSORTED * 1.05)
    sorting = SORTED if rows >= ROWS_SORTED_AT_ONCE else SORTED_SMALL
    installed = V1_ENGINE <= version < SORTS_WITHOUT_FLASHINFER  # images bring FlashInfer, pip did not
    return (UNSORTED if installed else sorting * 0.9, sorting, sorting * 1.04)


def _scratch(launch: Launch, rows: int) -> int:
    if not TRITON_TOP_P <= launch.version < NEW_RUNNER:
        return 0
    programs = min(MULTIPROCESSORS.get(launch.gpu.family, USUAL_MULTIPROCESSORS), rows)
    return programs * launch.shape.vocab_size * 4
