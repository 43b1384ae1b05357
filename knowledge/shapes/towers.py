"""Image encoders and their projectors, as counts of weights: CLIP, SigLIP, Pixtral, InternViT, Llama's and Molmo's."""

from dataclasses import dataclass

from knowledge.shapes.dimensions import WIDEST
from knowledge.shapes.fields import MOST_LAYERS, Fields, whole


@dataclass(frozen=True, slots=True)
class Encoder:
    """What stands beside a language model: `number` of weights, and the tokens of the `largest` image it takes (0: not known).

    `name` is one of its modules in the checkpoint: what an ignore list says of it holds for all.
    """

    number: int
    largest: int
    name: str = "vision_tower.encoder.layers.0.self_attn.q_proj"


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocks:
    """The blocks of a vision transformer. `norms` counts vectors of the hidden size in one block."""

    hidden: int
    inner: int
    layers: int
    gated: bool = False
    bias: bool = True
    norms: int = 4

    @property
    def number(self) -> int:
        """Weights of all blocks: attention with four square projections, an MLP, norms."""
        attention = 4 * self.hidden * (self.hidden + self.bias)
        ups = 2 if self.gated else 1
        mlp = ups * self.inner * (self.hidden + self.bias) + self.hidden * (self.inner + self.bias)
        return self.layers * (attention + mlp + self.norms * self.hidden)


def affine(inputs: int, outputs: int, *, bias: bool = True) -> int:
    """One linear layer."""
    return outputs * (inputs + bias)


def blocks(config: Fields, *, gated: bool = False, bias: bool = True, norms: int = 4) -> Blocks:
    """A tower's blocks under the usual names."""
    return Blocks(
        hidden=config.integer("hidden_size", "embed_dim", high=WIDEST),
        inner=config.integer("intermediate_size", high=WIDEST),
        layers=config.integer("num_hidden_layers", "depth", high=MOST_LAYERS),
        gated=gated,
        bias=bias,
        norms=norms,
    )


def grid(config: Fields) -> int:
    """Patches of one square image."""
    return (side(config, "image_size") // side(config, "patch_size")) ** 2


def side(config: Fields, name: str) -> int:
    """The length of a square's side, which some files write as two."""
    value = config.raw(name)
    return (
        config.integer(name, high=WIDEST)
        if not isinstance(value, list) or not value
        else whole(name, value[0], 1, WIDEST)
    )


def patches(config: Fields, hidden: int, *, bias: bool) -> int:
    """The convolution that makes patches, over three colours."""
    return affine(3 * side(config, "patch_size") ** 2, hidden, bias=bias)


def clip(vision: Fields) -> int:
    """CLIP: a class token, learned positions, norms before and after."""
    body = blocks(vision)
    return body.number + patches(vision, body.hidden, bias=False) + (grid(vision) + 2) * body.hidden + 4 * body.hidden


def siglip(vision: Fields) -> int:
    """SigLIP without its pooling head."""
    body = blocks(vision)
    return body.number + patches(vision, body.hidden, bias=True) + grid(vision) * body.hidden + 2 * body.hidden


def read_llava(vision: Fields, root: Fields, hidden: int) -> Encoder:
    """LLaVA-1.5: CLIP and a projector of two layers."""
    projector = affine(vision.integer("hidden_size"), hidden) + affine(hidden, hidden)
    return Encoder(clip(vision) + projector, grid(vision))


def read_llava_next(vision: Fields, root: Fields, hidden: int) -> Encoder:
    """LLaVA-1.6: the same with a separator, over at most four tiles and the whole, a separator a row."""
    one = read_llava(vision, root, hidden)
    edge = 2 * (side(vision, "image_size") // side(vision, "patch_size"))
    return Encoder(one.number + hidden, one.largest + edge * (edge + 1))


def read_gemma3(vision: Fields, root: Fields, hidden: int) -> Encoder:
    """Gemma-3: SigLIP, a norm and a projection."""
    width = vision.integer("hidden_size")
    return Encoder(siglip(vision) + width + width * hidden, root.integer("mm_tokens_per_image", fallback=256))


def read_mistral3(vision: Fields, root: Fields, hidden: int) -> Encoder:
    """Mistral-Small-3.1: Pixtral, a patch merger and two projections. An image has a break token a row."""
    body = blocks(vision, gated=True, bias=False, norms=2)
    tower = body.number + patches(vision, body.hidden, bias=False) + body.hidden
    merge = root.integer("spatial_merge_size", high=64, fallback=2)
    bias = root.flag("multimodal_projector_bias")
    projector = body.hidden + merge * merge * body.hidden**2
    projector += affine(body.hidden, hidden, bias=bias) + affine(hidden, hidden, bias=bias)
    edge = side(vision, "image_size") // (side(vision, "patch_size") * merge)
    return Encoder(tower + projector, edge * (edge + 1))


def read_llama4(vision: Fields, root: Fields, hidden: int) -> Encoder:
    """Llama-4: a ViT with class token, a pixel-shuffle MLP, one projection; at most 16 tiles and a thumbnail."""
    body = blocks(vision)
    into, out = vision.integer("projector_input_dim", high=WIDEST), vision.integer("projector_output_dim", high=WIDEST)
    count = grid(vision)
    tower = body.number + patches(vision, body.hidden, bias=False) + (count + 2) * body.hidden + 4 * body.hidden
    adapter = body.inner * into + out * out
    projector = vision.integer("vision_output_dim", high=WIDEST) * hidden
    return Encoder(tower + adapter + projector, 17 * count // 4, "vision_model.model.layers.0.self_attn.q_proj")


def read_mllama(vision: Fields, root: Fields, hidden: int) -> Encoder:
    """Llama-3.2-Vision: local and global blocks over at most four tiles, positions for every aspect ratio."""
    width = vision.integer("hidden_size")
    inner = vision.integer("intermediate_size")
    layers = vision.integer("num_hidden_layers", high=MOST_LAYERS)
    wide = vision.integer("num_global_layers", high=MOST_LAYERS)
    block = 4 * width * width + affine(width, inner) + affine(inner, width) + 4 * width
    count = grid(vision) + 1
    tiles = vision.integer("max_num_tiles", high=64)
    ratios = len(vision.items("supported_aspect_ratios") or [None] * 8) + 1
    positions = 1 + count * width + ratios * tiles * count * width
    tile_positions = 2 * (1 + ratios * tiles * width)
    norms = 4 * width
    tower = (layers + wide) * block + 2 * wide + patches(vision, width, bias=False) + width
    projector = affine(vision.integer("vision_output_dim", high=WIDEST), hidden)
    return Encoder(
        tower + positions + tile_positions + norms + projector,
        tiles * count,
        "vision_model.transformer.layers.0.self_attn.q_proj",
    )


def read_internvl(vision: Fields, root: Fields, hidden: int) -> Encoder:
    """InternVL: InternViT with layer scales, a norm and two projections over 2 × 2 patches."""
    body = blocks(vision, norms=6)
    qkv_bias = vision.flag("qkv_bias", fallback=True)
    qk_norm = 2 * body.hidden * body.layers if vision.flag("qk_normalization") else 0
    rms = 2 * body.hidden * body.layers if vision.word("norm_type", fallback="layer_norm") == "rms_norm" else 0
    count = grid(vision)
    tower = body.number - (0 if qkv_bias else 3 * body.hidden * body.layers) + qk_norm - rms
    tower += patches(vision, body.hidden, bias=True) + (count + 2) * body.hidden
    merged = 4 * body.hidden
    projector = 2 * merged + affine(merged, hidden) + affine(hidden, hidden)
    tiles = root.integer("max_dynamic_patch", high=1024, fallback=12) + 1
    return Encoder(tower + projector, tiles * (count // 4), "vision_model.encoder.layers.0.attn.qkv")


def read_minicpmv(vision: Fields, root: Fields, hidden: int) -> Encoder:
    """MiniCPM-V: SigLIP (its last layer dropped in some) and a resampler with learned queries."""
    body = blocks(vision)
    tower = siglip(vision) - (body.number // body.layers if root.flag("drop_vision_last_layer") else 0)
    queries = root.integer("query_num", high=WIDEST, fallback=64)
    resampler = queries * hidden + body.hidden * hidden + 4 * affine(hidden, hidden) + hidden * hidden + 6 * hidden
    slices = (root.section("slice_config") or Fields({})).integer("max_slice_nums", high=1024, fallback=9)
    return Encoder(tower + resampler, (slices + 1) * queries, "vpm.encoder.layers.0.self_attn.q_proj")


CLIP_L_336 = Fields(
    {
        "hidden_size": 1024,
        "intermediate_size": 4096,
        "num_hidden_layers": 24,
        "image_size": 336,
        "patch_size": 14,
    }
)


def read_phi3_v(vision: Fields, root: Fields, hidden: int) -> Encoder:
    """Phi-3-vision: OpenAI's CLIP ViT-L/14 at 336, two projections, separators; at most 16 crops and the whole."""
    width = 4 * CLIP_L_336.integer("hidden_size")
    projector = affine(width, hidden) + affine(hidden, hidden) + 2 * width
    return Encoder(clip(CLIP_L_336) + projector, 17 * 144 + 1, "vision_embed_tokens.img_processor")


def read_molmo(vision: Fields, root: Fields, hidden: int) -> Encoder:
    """Molmo: the same CLIP without its last layers' projection, pooled by attention over two layers, and a gated projector."""
    body = blocks(CLIP_L_336)
    layers = 23
    tower = body.number // body.layers * layers + patches(CLIP_L_336, body.hidden, bias=False)
    tower += (grid(CLIP_L_336) + 2) * body.hidden + 2 * body.hidden
    wide = 2 * body.hidden
    pooling = 3 * affine(wide, body.hidden) + affine(body.hidden, body.hidden)
    inner = root.integer("intermediate_size", high=WIDEST) // 2
    projector = 2 * body.hidden * inner + inner * hidden
    return Encoder(tower + pooling + projector + 2 * wide, 13 * 144, "vision_backbone.image_vit")
