"""What image, video and audio encoders keep on the GPU while the decoder is profiled."""

from knowledge.launch import Launch
from knowledge.units import GIB, Range

# Seen beside the sampler's peak with 8,192 batched tokens on 0.19: Gemma-3 0.18 and 0.23, Mistral-3 0.24, Llama-4 0.26 GiB.
USUAL = Range(0.05 * GIB, 0.22 * GIB, 0.6 * GIB)
# Qwen-VL resizes nothing: its largest image is 16,384 tokens, encoded at once. One log of 0.19, so wide.
LARGE_IMAGE = Range(0.8 * GIB, 2.6 * GIB, 4.0 * GIB)
LARGE_IMAGE_TOKENS = 8192


def encoder_memory(launch: Launch) -> Range:
    """Bytes of the largest dummy items and their embeddings. Nothing without an encoder, or with images limited to 0."""
    shape = launch.shape
    if not shape.multimodal or launch.limit_mm_images == 0:
        return Range.exact(0)
    return LARGE_IMAGE if shape.max_image_tokens >= LARGE_IMAGE_TOKENS else USUAL
