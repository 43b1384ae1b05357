"""The same model with fewer bits: published builds first, else what can be made of it."""

from functools import lru_cache

from knowledge import catalogue
from knowledge.gpus import Gpu
from knowledge.shapes.model import ModelShape

SIXTEEN = 16.0
FOUR_BIT = frozenset({"int4", "awq-int4", "gptq-int4", "nvfp4", "mxfp4", "bnb-int4", "gguf"})
MADE = ("fp8", "awq-int4")  # FP8 while loading; AWQ is what most people can make or find

# get_min_capability of each method, and the kernels it picks, in the sources of 0.32.0; NVFP4 and MXFP4 run as
# weight-only kernels below these, which is slower than AWQ there.
LEAST_CAPABILITY = {
    "fp8": (7, 5),
    "int8": (7, 5),
    "int4": (7, 5),
    "awq-int4": (7, 5),
    "gptq-int4": (7, 0),
    "gptq-int8": (7, 0),
    "mxfp4": (9, 0),
    "nvfp4": (10, 0),
    "bnb-int4": (7, 0),
}
# Below these vLLM refuses to load the weights: get_min_capability of Fp8Config, CompressedTensors' WNA16 and W8A8Int8, AutoAWQ,
# AutoGPTQ, Mxfp4 and ModelOptNvFp4 in 0.32.0 (eight rows).
REFUSED_BELOW = {
    "fp8": (7, 5),
    "int8": (7, 5),
    "int4": (7, 5),
    "awq-int4": (7, 5),
    "gptq-int4": (6, 0),
    "gptq-int8": (6, 0),
    "mxfp4": (8, 0),
    "nvfp4": (7, 5),
}
ON_ASCEND = frozenset({"int8"})  # w8a8, which vllm-ascend brings itself; of the others it is not known
NOT_ELSEWHERE = frozenset({"nvfp4", "bnb-int4"})  # kernels of NVIDIA cards only


def bits(shape: ModelShape) -> float:
    """Bits of a quantised weight with its scales, 16 where nothing is quantised."""
    return shape.quantization.bits if shape.quantization else SIXTEEN


def label(shape: ModelShape) -> str:
    """The contract's weight_quant of a model as it is loaded."""
    if shape.quantization:
        return shape.quantization.label
    return "fp16" if shape.dtype == "float16" else "bf16"


def lighter_builds(shape: ModelShape) -> tuple[ModelShape, ...]:
    """Builds with fewer bits than this one, the heaviest first; of one label the published before the computed."""
    builds = _builds(_Identity(shape))
    return tuple(build for build in builds if bits(build) < bits(shape) - 0.5)


def builds_for(shape: ModelShape, gpu: Gpu) -> tuple[ModelShape, ...]:
    """Lighter builds that run on a card: where no 4-bit one does, GPTQ is what can be made for older ones."""
    fitting = tuple(build for build in lighter_builds(shape) if runs_on(build, gpu))
    if any(label(build) in FOUR_BIT for build in fitting) or bits(shape) < SIXTEEN:
        return fitting
    made = catalogue.with_quantization(shape, "gptq-int4")
    return (*fitting, made) if runs_on(made, gpu) else fitting


def runs_on(shape: ModelShape, gpu: Gpu) -> bool:
    """Whether vLLM has kernels for this build on that card, as far as is known."""
    if shape.quantization is None:
        return True
    if gpu.vendor == "Huawei":
        return shape.quantization.label in ON_ASCEND
    if gpu.vendor != "NVIDIA" or gpu.compute_capability is None:
        return shape.quantization.label not in NOT_ELSEWHERE and (gpu.native_fp8 or shape.quantization.label != "fp8")
    return gpu.compute_capability >= LEAST_CAPABILITY.get(shape.quantization.label, (7, 5))


def refused_by(shape: ModelShape, gpu: Gpu) -> bool:
    """Whether vLLM refuses to load these weights on that card, whatever its memory; known of NVIDIA's cards only."""
    if shape.quantization is None or gpu.vendor != "NVIDIA" or gpu.compute_capability is None:
        return False
    return gpu.compute_capability < REFUSED_BELOW.get(shape.quantization.label, (0, 0))


def started_instead(shape: ModelShape, gpu: Gpu) -> tuple[ModelShape, ...]:
    """The GPTQ build, listed or made, in place of 4-bit weights that vLLM refuses on that card."""
    if shape.quantization is None or shape.quantization.label not in ("awq-int4", "int4"):
        return ()
    others = [catalogue.find(model_id) for model_id in catalogue.variants(shape.model_id)]
    listed = [build for build in others if label(build) == "gptq-int4"]
    found = (*listed, catalogue.with_quantization(shape, "gptq-int4"))[0]
    return () if refused_by(found, gpu) else (found,)


class _Identity:
    """A shape told apart by identity: it holds dicts, so it cannot be hashed."""

    __slots__ = ("shape",)

    def __init__(self, shape: ModelShape) -> None:
        self.shape = shape

    def __hash__(self) -> int:
        return id(self.shape)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Identity) and self.shape is other.shape


@lru_cache(maxsize=64)
def _builds(base: _Identity) -> tuple[ModelShape, ...]:
    """One of each label."""
    shape = base.shape
    found: dict[str, ModelShape] = {}
    for model_id in catalogue.variants(shape.model_id):
        build = catalogue.find(model_id)
        if build.quantization:
            found.setdefault(build.quantization.label, build)
    four_bit = FOUR_BIT & found.keys()
    for made in MADE:
        if made not in found and not (made in FOUR_BIT and four_bit):
            found[made] = catalogue.with_quantization(shape, made)
    return tuple(sorted(found.values(), key=bits, reverse=True))
