"""Classes that put encoders beside a language model: where its config stands, and which encoder it is."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from knowledge.shapes import gemma_towers, grid_towers, towers
from knowledge.shapes.fields import Fields
from knowledge.shapes.towers import Encoder

EncoderReader = Callable[[Fields, Fields, int], Encoder]


@dataclass(frozen=True, slots=True)
class Multimodal:
    """`text` is the language model's class, empty when the file's own text config names it. `encoder` reads what stands beside,
    from the section `section` with the defaults of `defaults`."""

    text: str
    encoder: EncoderReader
    section: str = "vision_config"
    defaults: str = ""


MULTIMODAL: Mapping[str, Multimodal] = {
    "Gemma3ForConditionalGeneration": Multimodal("Gemma3ForCausalLM", towers.read_gemma3),
    "Gemma4ForConditionalGeneration": Multimodal(
        "Gemma4ForCausalLM", gemma_towers.read_gemma4, defaults="gemma4_vision"
    ),
    "Glm4vForConditionalGeneration": Multimodal("Glm4ForCausalLM", grid_towers.read_glm4v),
    "GLM4VForCausalLM": Multimodal("ChatGLMModel", grid_towers.read_glm4v_9b),
    "Glm4vMoeForConditionalGeneration": Multimodal("Glm4MoeForCausalLM", grid_towers.read_glm4v),
    "InternVLChatModel": Multimodal("", towers.read_internvl),
    "KimiK25ForConditionalGeneration": Multimodal("DeepseekV3ForCausalLM", grid_towers.read_kimi),
    "KimiK3ForConditionalGeneration": Multimodal("KimiLinearForCausalLM", grid_towers.read_kimi),
    "Llama4ForConditionalGeneration": Multimodal(
        "Llama4ForCausalLM", towers.read_llama4, defaults="llama4_vision_model"
    ),
    "LlavaNextForConditionalGeneration": Multimodal("", towers.read_llava_next),
    "LlavaForConditionalGeneration": Multimodal("", towers.read_llava),
    "MiniCPMV": Multimodal("MiniCPMVText", towers.read_minicpmv),
    "MiniMaxM3SparseForConditionalGeneration": Multimodal("MiniMaxM3ForCausalLM", grid_towers.read_minimax_m3),
    "Mistral3ForConditionalGeneration": Multimodal("", towers.read_mistral3),
    "MllamaForConditionalGeneration": Multimodal("MllamaForCausalLM", towers.read_mllama),
    "MolmoForCausalLM": Multimodal("MolmoText", towers.read_molmo),
    "Phi3VForCausalLM": Multimodal("Phi3ForCausalLM", towers.read_phi3_v),
    "Step3p7FlashForCausalLM": Multimodal("Step3p7Text", grid_towers.read_step3p7, defaults="step3p7_vision"),
    "Step3p7ForConditionalGeneration": Multimodal("Step3p7Text", grid_towers.read_step3p7, defaults="step3p7_vision"),
    "Qwen2AudioForConditionalGeneration": Multimodal(
        "Qwen2ForCausalLM", grid_towers.read_qwen2_audio, section="audio_config"
    ),
    "Qwen2VLForConditionalGeneration": Multimodal(
        "Qwen2ForCausalLM", grid_towers.read_qwen2_vl, defaults="qwen2_vl_vision"
    ),
    "Qwen2_5_VLForConditionalGeneration": Multimodal("Qwen2ForCausalLM", grid_towers.read_qwen2_5_vl),
    "Qwen2_5OmniForConditionalGeneration": Multimodal("Qwen2ForCausalLM", grid_towers.read_qwen2_5_omni),
    "Qwen2_5OmniModel": Multimodal("Qwen2ForCausalLM", grid_towers.read_qwen2_5_omni),
    "Qwen3VLForConditionalGeneration": Multimodal("Qwen3ForCausalLM", grid_towers.read_qwen3_vl),
    "Qwen3VLMoeForConditionalGeneration": Multimodal("Qwen3MoeForCausalLM", grid_towers.read_qwen3_vl),
    "Qwen3_5ForConditionalGeneration": Multimodal("Qwen3_5ForCausalLM", grid_towers.read_qwen3_vl),
    "Qwen3_5MoeForConditionalGeneration": Multimodal("Qwen3_5MoeForCausalLM", grid_towers.read_qwen3_vl),
}
