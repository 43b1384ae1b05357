"""Which of vLLM's two model runners a launch gets: they measure memory differently at start-up."""

from knowledge.launch import Launch
from knowledge.memory.identity import cache_kinds
from knowledge.shapes.layers import RecurrentState
from knowledge.versions import Version

# Read in the sources of each minor release from 0.20 to 0.32 (vllm/config/vllm.py: use_v2_model_runner).
FIRST = Version(0, 22)
FIRST_ARCHITECTURES = (
    (Version(0, 22), frozenset({"Qwen3ForCausalLM"})),
    (Version(0, 23), frozenset({"Qwen3ForCausalLM", "LlamaForCausalLM", "MistralForCausalLM"})),
)
FOR_QUANTISED = Version(0, 24)
DENSE = Version(0, 25)  # every dense model without recurrent layers
EVERYWHERE = Version(0, 29)
EARLY_EXPERTS = frozenset(
    {
        "DeepseekV2ForCausalLM",
        "GraniteMoeForCausalLM",
        "InklingForCausalLM",
        "KimiK3ForConditionalGeneration",
        "LongcatFlashNgramForCausalLM",
        "Qwen2MoeForCausalLM",
    }
)
EARLY_DEEPSEEK_V4 = Version(0, 28)

ESTIMATES_GRAPHS = Version(0, 29)  # before, the new runner's profile_cudagraph_memory returns 0
COUNTS_ALL = Version(0, 27)  # memory taken since the start counts, not only weights and the profiling run's peak


def runs_v2(launch: Launch) -> bool:
    """Whether the second runner is that version's default for the model."""
    version, shape = launch.version, launch.shape
    if version < FIRST or version >= EVERYWHERE:
        return version >= EVERYWHERE
    if RecurrentState in cache_kinds(shape):
        return False
    early = shape.architecture in EARLY_EXPERTS or (
        version >= EARLY_DEEPSEEK_V4 and shape.architecture == "DeepseekV4ForCausalLM"
    )
    if version >= DENSE:
        return shape.experts == 0 or early
    listed = max((entry for entry in FIRST_ARCHITECTURES if entry[0] <= version), key=lambda entry: entry[0])[1]
    if version >= FOR_QUANTISED:
        return shape.architecture in listed or early
    return shape.architecture in listed and shape.quantization is None
