"""Image encoders that take any size of image, patch by patch: Qwen-VL, GLM-4.1V, Kimi's MoonViT, MiniMax-M3; and audio encoders."""

from knowledge.shapes.dimensions import WIDEST
from knowledge.shapes.fields import MOST_LAYERS, Fields
from knowledge.shapes.towers import Encoder, affine, blocks, grid, patches

# tokens of the largest image that the models' own preprocessor lets through: its max_pixels over the pixels of one token
QWEN2_LARGEST = 12_845_056 // 28**2
QWEN3_LARGEST = 16_777_216 // 32**2
GLM4V_LARGEST = 9_633_792 // 28**2
KIMI_LARGEST = 16_384 // 4


def _merge(vision: Fields) -> int:
    return vision.integer("spatial_merge_size", high=64, fallback=2) ** 2


def _cubes(vision: Fields, hidden: int, *, bias: bool) -> int:
    """The convolution over patches of two frames."""
    pixels = vision.integer("patch_size", high=2**10, fallback=14) ** 2
    return affine(3 * pixels * vision.integer("temporal_patch_size", high=64, fallback=2), hidden, bias=bias)


def read_qwen2_vl(vision: Fields, root: Fields, hidden: int) -> Encoder:
    """Qwen2-VL: LayerNorms, plain MLPs; its hidden_size is the language model's."""
    width = vision.integer("embed_dim", high=WIDEST)
    inner = width * vision.integer("mlp_ratio", high=64)
    block = 4 * affine(width, width) + affine(width, inner) + affine(inner, width) + 4 * width
    merged = width * _merge(vision)
    merger = 2 * width + affine(merged, merged) + affine(merged, hidden)
    layers = vision.integer("depth", high=MOST_LAYERS)
    return Encoder(
        layers * block + _cubes(vision, width, bias=False) + merger, QWEN2_LARGEST, "visual.blocks.0.attn.qkv"
    )


def read_qwen2_5_vl(vision: Fields, root: Fields, hidden: int) -> Encoder:
    """Qwen2.5-VL: RMSNorms, gated MLPs."""
    body = blocks(vision, gated=True, norms=2)
    merged = body.hidden * _merge(vision)
    merger = body.hidden + affine(merged, merged) + affine(merged, hidden)
    return Encoder(
        body.number + _cubes(vision, body.hidden, bias=False) + merger, QWEN2_LARGEST, "visual.blocks.0.attn.qkv"
    )


def read_qwen3_vl(vision: Fields, root: Fields, hidden: int) -> Encoder:
    """Qwen3-VL and Qwen3.5: learned positions, and a merger more for each deep-stack layer."""
    body = blocks(vision)
    merged = body.hidden * _merge(vision)
    out = vision.integer("out_hidden_size", high=WIDEST, fallback=hidden)
    projection = affine(merged, merged) + affine(merged, out)
    deep = len(vision.items("deepstack_visual_indexes") or ())
    mergers = 2 * body.hidden + projection + deep * (2 * merged + projection)
    positions = vision.integer("num_position_embeddings", high=WIDEST) * body.hidden
    tower = body.number + _cubes(vision, body.hidden, bias=True) + positions
    return Encoder(tower + mergers, QWEN3_LARGEST, "visual.blocks.0.attn.qkv")


def read_glm4v(vision: Fields, root: Fields, hidden: int) -> Encoder:
    """GLM-4.1V: no biases, MLPs as wide as the output, a downsampling convolution and a gated merger."""
    width = vision.integer("hidden_size", high=WIDEST)
    out = vision.integer("out_hidden_size", high=WIDEST)
    block = 4 * width * width + 3 * width * out + 2 * width
    bias = 3 * width if vision.flag("attention_bias") else 0
    context = vision.integer("intermediate_size", high=WIDEST)
    merger = out * out + 2 * out + 3 * out * context
    around = grid(vision) * width + _cubes(vision, width, bias=True) + 2 * width
    downsample = affine(width * _merge(vision), out)
    layers = vision.integer("depth", high=MOST_LAYERS)
    return Encoder(layers * (block + bias) + around + downsample + merger, GLM4V_LARGEST, "visual.blocks.0.attn.qkv")


def read_kimi(vision: Fields, root: Fields, hidden: int) -> Encoder:
    """Kimi-K2.5 and K3: MoonViT with a learned grid of positions, merged 2 × 2."""
    width = vision.integer("vt_hidden_size", high=WIDEST)
    heads_width = vision.integer("qkv_hidden_size", high=WIDEST, fallback=width)
    inner = vision.integer("vt_intermediate_size", high=WIDEST)
    bias = vision.flag("linear_bias", fallback=True)
    qkv_bias = vision.flag("attn_bias", fallback=True)
    norm = width if vision.word("norm_type") == "rmsnorm" else 2 * width
    attention = 3 * affine(width, heads_width, bias=qkv_bias) + affine(heads_width, width, bias=qkv_bias)
    block = attention + affine(width, inner, bias=bias) + affine(inner, width, bias=bias) + 2 * norm
    layers = vision.integer("vt_num_hidden_layers", high=MOST_LAYERS)
    positions = (
        vision.integer("init_pos_emb_height", high=2**12) * vision.integer("init_pos_emb_width", high=2**12) * width
    )
    pixels = 3 * vision.integer("patch_size", high=2**10) ** 2
    embed = affine(pixels, width, bias=vision.flag("patch_embed_proj_bias", fallback=True))
    merged = 4 * width
    projector = norm + affine(merged, merged) + affine(merged, hidden)
    return Encoder(layers * block + positions + embed + norm + projector, KIMI_LARGEST)


def read_minimax_m3(vision: Fields, root: Fields, hidden: int) -> Encoder:
    """MiniMax-M3: a CLIP-like tower without positions, two projections, two more after merging."""
    body = blocks(vision)
    wide = root.integer("projector_hidden_size", high=WIDEST, fallback=hidden)
    projector = affine(body.hidden, wide) + affine(wide, hidden) + affine(4 * hidden, wide) + affine(wide, hidden)
    cubes = _cubes(vision, body.hidden, bias=False)
    side = vision.integer("image_size", high=WIDEST) // (vision.integer("patch_size", high=WIDEST) * 2)
    return Encoder(body.number + cubes + 2 * body.hidden + projector, side * side)


def read_glm4v_9b(vision: Fields, root: Fields, hidden: int) -> Encoder:
    """GLM-4V-9B: EVA-CLIP with class token, a downsampling convolution and a gated projector."""
    body = blocks(vision)
    positions = vision.integer("num_positions", high=WIDEST) * body.hidden
    pixels = 3 * vision.integer("patch_size", high=2**10) ** 2
    tower = body.number + affine(pixels, body.hidden) + positions + body.hidden
    inner = root.integer("ffn_hidden_size", high=WIDEST)
    projector = hidden * hidden + 2 * hidden + 3 * hidden * inner + affine(4 * body.hidden, hidden) + 2 * hidden
    return Encoder(tower + projector, grid(vision) // 4 + 2, "vision.transformer.layers.0")


def read_step3p7(vision: Fields, root: Fields, hidden: int) -> Encoder:
    """Step-3.7: a ViT with layer scales, two downsampling convolutions and a projection."""
    width = vision.integer("hidden_size", "width", high=WIDEST)
    inner = int(width * vision.number("mlp_ratio", 4.0))
    block = 4 * affine(width, width) + affine(width, inner) + affine(inner, width) + 6 * width
    layers = vision.integer("num_hidden_layers", "layers", high=MOST_LAYERS)
    count = grid(vision)
    around = patches(vision, width, bias=False) + count * width + 2 * width
    downsampling = affine(9 * width, 2 * width) + affine(18 * width, 4 * width)
    projector = affine(4 * width, hidden, bias=root.flag("projector_bias"))
    return Encoder(layers * block + around + downsampling + projector, count // 16)


def whisper(audio: Fields, *, positions: bool) -> int:
    """A Whisper encoder: two convolutions over time, positions learned or fixed, keys without bias."""
    width = audio.integer("d_model", high=WIDEST)
    inner = audio.integer("encoder_ffn_dim", high=WIDEST)
    bins = audio.integer("num_mel_bins", high=2**12)
    layers = audio.integer("encoder_layers", high=MOST_LAYERS)
    attention = 4 * width * width + 3 * width
    block = attention + affine(width, inner) + affine(inner, width) + 4 * width
    convolutions = affine(3 * bins, width) + affine(3 * width, width)
    learned = audio.integer("max_source_positions", high=WIDEST) * width if positions else 0
    return layers * block + convolutions + learned + 2 * width


def read_qwen2_audio(audio: Fields, root: Fields, hidden: int) -> Encoder:
    """Qwen2-Audio: Whisper and one projection; 30 s of sound are 750 tokens."""
    projector = affine(audio.integer("d_model"), hidden)
    return Encoder(whisper(audio, positions=True) + projector, 0, "audio_tower.layers.0.self_attn.q_proj")


def read_qwen2_5_omni(vision: Fields, root: Fields, hidden: int) -> Encoder:
    """Qwen2.5-Omni's thinker, which alone vLLM runs: Qwen2.5-VL's tower, Whisper and a projection."""
    images = read_qwen2_5_vl(vision, root, hidden)
    audio = root.section("audio_config") or Fields({})
    width = audio.integer("d_model", high=WIDEST)
    out = audio.integer("output_dim", high=WIDEST, fallback=hidden)
    sound = whisper(audio, positions=False) + affine(width, out) + 2 * out
    return Encoder(images.number + sound, images.largest, "visual.blocks.0.attn.qkv")
