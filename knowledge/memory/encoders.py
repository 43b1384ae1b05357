"""What image and video encoders take while vLLM profiles them, and keep while the decoder is profiled after them."""

from knowledge.launch import Launch
from knowledge.units import Range
from knowledge.versions import V1_DEFAULT, Version

# Bytes for each token that an item becomes: four patches with the encoder's MLP and hidden states in 16 bits, and their pixels.
# Qwen2.5-VL on 0.23: 114,688 tokens took 15.2 GiB; Qwen3.5 on 0.18 and 0.19: 16,384 took 1.7. Smaller encoders less.
ENCODING = Range(70_000, 128_000, 150_000)
PIXELS = Range(5_000, 13_000, 25_000)  # kept: Gemma-3 18.8 kB, Qwen-VL 9.4, Mistral-3 4.7
USUAL_TOKENS = 4096  # of an encoder whose largest image is not known

DYNAMIC = ("Qwen2VL", "Qwen2_5_VL")
V0_CHOSEN = Version(
    0, 9
)  # VLLM_USE_V1=0 until then was common: Qwen2.5-VL-7B on an RTX 3090 had 0.13 GiB left of the 3 that V1 leaves
DYNAMIC_FRAME = 16_384  # tokens of the largest frame that Qwen2-VL and Qwen2.5-VL accept (12,845,056 pixels)
MOST_FRAMES = 7  # pairs of frames in their dummy video, as many as fit max_model_len (models/qwen2_vl.py)

# Qwen3-VL's first release profiled the longest video that the context holds, up to 153,600 tokens: Qwen3-VL-30B on four RTX 3090 had 3 GiB less
# cache with 65,536 tokens of context than with one image.
SHORT_VIDEOS, LONG_VIDEO = Version(0, 11, 1), 153_600

# Llama-3.2-Vision, which only V0 runs, encodes an image for each of max_num_seqs requests: a token is one patch there, with its MLP, hidden
# states and the five layers' outputs that are joined. 256 of them did not fit an A100 with 80 GB or two A10, 32 did; 128 took 36.6 GiB of an H100.
MLLAMA = "MllamaForConditionalGeneration"
MLLAMA_PATCH = Range(40_000, 48_000, 60_000)


def encoder_peak(launch: Launch) -> Range:
    """Bytes at the peak of encoding the largest item. Nothing without an encoder, or with images limited to 0."""
    if not has_encoder(launch):
        return Range.exact(0)
    hidden = launch.shape.hidden_size * 2
    tokens = _item_tokens(launch)
    if launch.shape.architecture == MLLAMA:
        return MLLAMA_PATCH.scaled(tokens * launch.max_num_seqs)
    sharded = 0.5 + 0.5 / launch.tp  # the encoder's MLP is cut over TP ranks, its hidden states are not
    peak = ENCODING.scaled(tokens * sharded) + Range.exact(tokens * hidden)
    return Range(peak.low, peak.expected, max(peak.high, _old_engine_high(launch, sharded)))


def _old_engine_high(launch: Launch, sharded: float) -> float:
    """What Qwen's encoders took on the old engine, an image and a video of one frame, where it could still be chosen by hand."""
    dynamic = launch.shape.architecture.startswith(DYNAMIC)
    tokens = 2 * DYNAMIC_FRAME if dynamic and launch.version < V0_CHOSEN else 0
    return tokens * (ENCODING.high * sharded + launch.shape.hidden_size * 2)


def encoder_kept(launch: Launch) -> Range:
    """Bytes that stay while the decoder is profiled: the pixels and the embeddings of one batch of items."""
    if not has_encoder(launch):
        return Range.exact(0)
    tokens = max(_item_tokens(launch), launch.max_num_batched_tokens)
    return (PIXELS + Range.exact(launch.shape.hidden_size * 2)).scaled(tokens)


def has_encoder(launch: Launch) -> bool:
    """Whether vLLM will profile an encoder."""
    return launch.shape.multimodal and launch.limit_mm_images != 0


def _item_tokens(launch: Launch) -> int:
    """Tokens of the largest image or video of the dummy batch."""
    shape = launch.shape
    if shape.architecture.startswith(DYNAMIC):
        frames = min(max(launch.max_model_len // DYNAMIC_FRAME, 1), MOST_FRAMES)
        return DYNAMIC_FRAME * (frames if launch.version >= V1_DEFAULT else 2)
    if shape.architecture.startswith("Qwen3VL") and launch.version < SHORT_VIDEOS:
        return min(launch.max_model_len, LONG_VIDEO)
    return shape.max_image_tokens or USUAL_TOKENS
