"""The data type in which vLLM stores a KV cache, and the bytes it takes."""

from collections.abc import Callable

from knowledge.launch import Launch
from knowledge.shapes.layers import LatentAttention, SparseIndexer
from knowledge.versions import Version

SPARSE_MLA = {LatentAttention, SparseIndexer}
PACKED_LATENT = "fp8_ds_mla"  # 512 fp8 values, their scales and a 16-bit rope part in one row
PACKED_LATENT_BYTES = 656
BLACKWELL, CONSUMER_BLACKWELL = 10, 12  # major compute capabilities


def kv_dtype(launch: Launch) -> str:
    """vLLM's word for what is stored: the launch's, the checkpoint's own, or the model's; sparse MLA has its own rules."""
    asked = next((dtype for dtype in (launch.kv_cache_dtype, launch.shape.kv_cache_dtype) if dtype != "auto"), "auto")
    if {type(cache) for layer in launch.shape.layers for cache in layer.caches} >= SPARSE_MLA:
        asked = _sparse_mla_dtype(asked, launch)
    return launch.dtype if asked == "auto" else asked


def _sparse_mla_dtype(asked: str, launch: Launch) -> str:
    """What the sparse MLA backend of that version and card makes of `asked` (read in the sources of 0.11 to 0.32)."""
    major = (launch.gpu.compute_capability or (9, 0))[0] if launch.gpu is not None else 9
    for since, rule in _SPARSE_RULES:
        if launch.version >= since:
            return rule(asked, major, launch.shape.architecture)
    return asked


def _by_backend(asked: str, major: int, architecture: str) -> str:
    if major == BLACKWELL:
        return "fp8" if asked == "auto" and architecture == "GlmMoeDsaForCausalLM" else asked
    return _by_card(asked, major, architecture)


def _by_card(asked: str, major: int, _architecture: str) -> str:
    if major == CONSUMER_BLACKWELL and asked == "auto":
        return PACKED_LATENT
    return asked if major == BLACKWELL else _packed_when_fp8(asked, major, _architecture)


def _packed_when_fp8(asked: str, _major: int, _architecture: str) -> str:
    return PACKED_LATENT if asked.startswith("fp8") else asked


def _packed_by_default(asked: str, _major: int, _architecture: str) -> str:
    return PACKED_LATENT if asked == "auto" or asked.startswith("fp8") else asked


_SPARSE_RULES: tuple[tuple[Version, Callable[[str, int, str], str]], ...] = (
    (Version(0, 30), _by_backend),
    (Version(0, 18), _by_card),
    (Version(0, 12), _packed_when_fp8),
    (Version(0, 11), _packed_by_default),
)


def vector_bytes(size: int, dtype: str) -> int:
    """Bytes of `size` elements of one head and token. nvfp4 packs two in a byte and adds an fp8 scale for every 16."""
    if dtype.startswith("nvfp4"):
        return size // 2 + size // 16
    return size * element_bytes(dtype)


def latent_bytes(size: int, dtype: str) -> int:
    """Bytes of one token's MLA latent of `size` elements."""
    return PACKED_LATENT_BYTES if dtype == PACKED_LATENT else vector_bytes(size, dtype)


def element_bytes(dtype: str) -> int:
    """Bytes of one element of a KV dtype that is not packed."""
    if dtype == "float32":
        return 4
    return 1 if dtype.startswith(("fp8", "int8")) else 2
