"""Gemma-4's encoders of images and sound."""

from knowledge.shapes.dimensions import WIDEST
from knowledge.shapes.fields import MOST_LAYERS, Fields, whole
from knowledge.shapes.towers import Encoder


def read_gemma4(vision: Fields, root: Fields, hidden: int) -> Encoder:
    """Images, and in the small models sound."""
    audio = root.section("audio_config")
    number = _images(vision, hidden) + (0 if audio is None else _sound(audio, hidden))
    return Encoder(number, root.integer("vision_soft_tokens_per_image", fallback=280))


def _images(vision: Fields, hidden: int) -> int:
    width = vision.integer("hidden_size", high=WIDEST)
    inner = vision.integer("intermediate_size", high=WIDEST)
    heads = vision.integer("num_attention_heads", high=WIDEST)
    kv_heads = vision.integer("num_key_value_heads", high=WIDEST, fallback=heads)
    size = vision.integer("head_dim", high=WIDEST, fallback=width // heads)
    attention = width * size * (2 * heads + 2 * kv_heads) + 2 * size
    block = attention + 3 * width * inner + 4 * width
    positions = 2 * vision.integer("position_embedding_size", high=WIDEST) * width
    patch = 3 * vision.integer("patch_size", high=2**10) ** 2 * width
    layers = vision.integer("num_hidden_layers", high=MOST_LAYERS)
    return layers * block + positions + patch + width * hidden


def _sound(audio: Fields, hidden: int) -> int:
    """A conformer: two half feed-forwards around attention and a light convolution."""
    width = audio.integer("hidden_size", high=WIDEST)
    heads = audio.integer("num_attention_heads", high=WIDEST)
    channels = audio.items("subsampling_conv_channels") or (128, 32)
    first, second = (whole("subsampling_conv_channels", channel) for channel in channels)
    out = audio.integer("output_proj_dims", high=WIDEST)
    feed_forward = 8 * width * width + 2 * width
    attention = 5 * width * width + width // heads
    convolution = 3 * width * width + audio.integer("conv_kernel_size", high=2**10) * width + 2 * width
    block = 2 * feed_forward + attention + convolution + 3 * width
    subsampling = 9 * first + first + 9 * first * second + second + first // 4 * second * width
    layers = audio.integer("num_hidden_layers", high=MOST_LAYERS)
    return layers * block + subsampling + out * (width + 1) + out * hidden
