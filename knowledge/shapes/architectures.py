"""The architectures that are understood, by the names vLLM knows them under; any other is refused, never guessed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from knowledge.shapes import (
    classic,
    compressed,
    encoders,
    gemma,
    hybrids,
    kimi,
    latent,
    lfm,
    mllama,
    nemotron,
    windowed,
)
from knowledge.shapes.decoder import QkNorm, Recipe, read_decoder
from knowledge.shapes.experts import Moe, shared_count, shared_size
from knowledge.shapes.fields import Fields
from knowledge.shapes.weights import Body
from knowledge.shapes.windows import all_but_each, every_other

Reader = Callable[[Fields], Body]


@dataclass(frozen=True, slots=True)
class Architecture:
    """How to read one class. `model_type` is whose defaults fill what the file leaves out."""

    model_type: str
    read: Reader


def plain(model_type: str, **recipe: object) -> Architecture:
    """A class that the plain decoder describes."""
    return Architecture(model_type, partial(read_decoder, recipe=Recipe(**recipe)))  # type: ignore[arg-type]


LAYER_NORMS = {"norms": 4, "final_norms": 2}  # LayerNorm has a bias beside its weight
BIASES = {"qkv_bias": "attention_bias", "out_bias": "attention_bias"}
LLAMA = {**BIASES, "mlp_bias": "mlp_bias"}
QWEN3 = {**BIASES, "qk_norm": QkNorm.HEAD}

PLAIN: Mapping[str, Architecture] = {
    "ArceeForCausalLM": plain("arcee", **LLAMA, gated=False),
    "BaichuanForCausalLM": plain("baichuan"),
    "BaiChuanForCausalLM": plain("baichuan"),
    "CohereForCausalLM": plain(
        "cohere", **BIASES, norms=1, tied=True, qk_norm=QkNorm.ALL, qk_norm_switch="use_qk_norm"
    ),
    "Cohere2ForCausalLM": plain("cohere2", **BIASES, norms=1, tied=True, slides=all_but_each(4)),
    "DeepseekForCausalLM": plain("deepseek", **BIASES, moe=Moe(shared=shared_count)),
    "Dots1ForCausalLM": plain("dots1", **QWEN3, moe=Moe(width=("moe_intermediate_size",), shared=shared_count)),
    "Ernie4_5ForCausalLM": plain("ernie4_5", qkv_bias="use_bias", out_bias="use_bias", mlp_bias="use_bias", tied=True),
    "Ernie4_5_MoeForCausalLM": plain(
        "ernie4_5_moe",
        qkv_bias="use_bias",
        out_bias="use_bias",
        tied=True,
        moe=Moe(shared=shared_count, router_bias=True),
    ),
    "ExaoneForCausalLM": plain("exaone"),
    "Exaone4ForCausalLM": plain("exaone4", qk_norm=QkNorm.HEAD),
    "GemmaForCausalLM": plain("gemma", **BIASES, tied=True),
    "Gemma2ForCausalLM": plain("gemma2", **BIASES, norms=4, tied=True, slides=every_other),
    "Gemma3ForCausalLM": plain("gemma3_text", **QWEN3, norms=4, tied=True, slides=all_but_each(6)),
    "GlmForCausalLM": plain("glm", qkv_bias="attention_bias"),
    "Glm4ForCausalLM": plain("glm4", qkv_bias="attention_bias", norms=4),
    "Glm4MoeForCausalLM": plain(
        "glm4_moe",
        qkv_bias="attention_bias",
        qk_norm=QkNorm.HEAD,
        qk_norm_switch="use_qk_norm",
        moe=Moe(shared=shared_count),
    ),
    "GraniteForCausalLM": plain("granite", **LLAMA),
    "GraniteMoeForCausalLM": plain("granitemoe", **BIASES, moe=Moe()),
    "GraniteMoeSharedForCausalLM": plain("granitemoeshared", **BIASES, moe=Moe(shared=shared_size)),
    "HunYuanDenseV1ForCausalLM": plain("hunyuan_v1_dense", **QWEN3),
    "HunYuanMoEV1ForCausalLM": plain("hunyuan_v1_moe", **QWEN3, moe=Moe(shared=shared_count)),
    "InternLMForCausalLM": plain("internlm", qkv_bias="bias", out_bias="bias"),
    "InternLM2ForCausalLM": plain("internlm2", qkv_bias="bias", out_bias="bias"),
    "InternLM3ForCausalLM": plain("internlm3", qkv_bias="qkv_bias", out_bias="bias", mlp_bias="bias"),
    "LlamaForCausalLM": plain("llama", **LLAMA),
    "MiMoForCausalLM": plain("mimo", qkv_bias=True),
    "MiniCPMForCausalLM": plain("minicpm"),
    "MiniMaxM2ForCausalLM": plain("minimax_m2", qk_norm=QkNorm.ALL, moe=Moe()),
    "Ministral3ForCausalLM": plain("ministral3"),
    "MistralForCausalLM": plain("mistral"),
    "MixtralForCausalLM": plain("mixtral", moe=Moe()),
    "NemotronForCausalLM": plain("nemotron", **LLAMA, **LAYER_NORMS, gated=False),
    "OlmoForCausalLM": plain("olmo", **BIASES, norms=0, final_norms=0),
    "Olmo2ForCausalLM": plain("olmo2", **BIASES, qk_norm=QkNorm.ALL),
    "Olmo3ForCausalLM": plain("olmo3", **BIASES, qk_norm=QkNorm.ALL, slides=all_but_each(4)),
    "OlmoeForCausalLM": plain("olmoe", **BIASES, qk_norm=QkNorm.ALL, moe=Moe()),
    "OrionForCausalLM": plain("orion", **LAYER_NORMS),
    "Phi3ForCausalLM": plain("phi3"),
    "PhiMoEForCausalLM": plain("phimoe", **BIASES, **LAYER_NORMS, lm_head_bias="lm_head_bias", moe=Moe()),
    "Qwen2ForCausalLM": plain("qwen2", qkv_bias=True),
    "Qwen2MoeForCausalLM": plain("qwen2_moe", qkv_bias=True, moe=Moe(shared=shared_size, shared_gate=True)),
    "Qwen3ForCausalLM": plain("qwen3", **QWEN3),
    "Qwen3MoeForCausalLM": plain("qwen3_moe", **QWEN3, moe=Moe(width=("moe_intermediate_size",))),
    "SeedOssForCausalLM": plain("seed_oss", qkv_bias="attention_bias", out_bias="attention_out_bias"),
    "SmolLM3ForCausalLM": plain("smollm3", **LLAMA),
    "SolarForCausalLM": plain("solar", **LLAMA),
    "StableLmForCausalLM": plain("stablelm", **LAYER_NORMS, qkv_bias="use_qkv_bias"),
    "Starcoder2ForCausalLM": plain(
        "starcoder2",
        **LAYER_NORMS,
        gated=False,
        qkv_bias="use_bias",
        out_bias="use_bias",
        mlp_bias="use_bias",
        tied=True,
    ),
    "XverseForCausalLM": plain("xverse"),
}

OWN: Mapping[str, Architecture] = {
    "BambaForCausalLM": Architecture("bamba", hybrids.read_bamba),
    "BertModel": Architecture("bert", encoders.read_bert),
    "BloomForCausalLM": Architecture("bloom", classic.read_bloom),
    "ChatGLMModel": Architecture("chatglm", classic.read_chatglm),
    "ChatGLMForConditionalGeneration": Architecture("chatglm", classic.read_chatglm),
    "DbrxForCausalLM": Architecture("dbrx", classic.read_dbrx),
    "DeciLMForCausalLM": Architecture("nemotron-nas", nemotron.read_nemotron_nas),
    "DeepseekV2ForCausalLM": Architecture("deepseek_v2", latent.read_deepseek),
    "DeepseekV3ForCausalLM": Architecture("deepseek_v3", latent.read_deepseek),
    "DeepseekV32ForCausalLM": Architecture("deepseek_v32", latent.read_deepseek),
    "DeepseekV4ForCausalLM": Architecture("deepseek_v4", compressed.read_deepseek_v4),
    "FalconForCausalLM": Architecture("falcon", classic.read_falcon),
    "FalconH1ForCausalLM": Architecture("falcon_h1", hybrids.read_falcon_h1),
    "GPT2LMHeadModel": Architecture("gpt2", classic.read_gpt2),
    "GPTBigCodeForCausalLM": Architecture("gpt_bigcode", classic.read_gpt2),
    "GPTJForCausalLM": Architecture("gptj", classic.read_gptj),
    "GPTNeoXForCausalLM": Architecture("gpt_neox", classic.read_gpt_neox),
    "Gemma4ForCausalLM": Architecture("gemma4_text", gemma.read_gemma4),
    "Glm4MoeLiteForCausalLM": Architecture("glm4_moe_lite", latent.read_deepseek),
    "GlmMoeDsaForCausalLM": Architecture("glm_moe_dsa", latent.read_deepseek),
    "GptOssForCausalLM": Architecture("gpt_oss", windowed.read_gpt_oss),
    "GraniteMoeHybridForCausalLM": Architecture("granitemoehybrid", hybrids.read_granite_hybrid),
    "JambaForCausalLM": Architecture("jamba", hybrids.read_jamba),
    "KimiLinearForCausalLM": Architecture("kimi_linear", kimi.read_kimi_linear),
    "Lfm2ForCausalLM": Architecture("lfm2", lfm.read_lfm2),
    "Llama4ForCausalLM": Architecture("llama4_text", windowed.read_llama4),
    "MPTForCausalLM": Architecture("mpt", classic.read_mpt),
    "MiMoV2FlashForCausalLM": Architecture("mimo_v2_flash", windowed.read_mimo_v2),
    "MiniCPM3ForCausalLM": Architecture("minicpm3", classic.read_minicpm3),
    "MiniMaxForCausalLM": Architecture("minimax", hybrids.read_minimax),
    "MiniMaxM3ForCausalLM": Architecture("minimax_m3", windowed.read_minimax_m3),
    "MiniMaxM3SparseForCausalLM": Architecture("minimax_m3", windowed.read_minimax_m3),
    "MllamaForCausalLM": Architecture("mllama_text_model", mllama.read_mllama),
    "NemotronHForCausalLM": Architecture("nemotron_h", nemotron.read_nemotron_h),
    "MiniCPMVText": Architecture("minicpmv", classic.read_minicpmv),
    "MolmoText": Architecture("molmo", classic.read_molmo),
    "OPTForCausalLM": Architecture("opt", classic.read_opt),
    "Phi3SmallForCausalLM": Architecture("phi3small", classic.read_phi3_small),
    "PhiForCausalLM": Architecture("phi", classic.read_phi),
    "QWenLMHeadModel": Architecture("qwen", classic.read_qwen),
    "Qwen3NextForCausalLM": Architecture("qwen3_next", hybrids.read_qwen_hybrid),
    "Qwen3_5ForCausalLM": Architecture("qwen3_5_text", hybrids.read_qwen_hybrid),
    "Qwen3_5MoeForCausalLM": Architecture("qwen3_5_moe_text", hybrids.read_qwen_hybrid),
    "RobertaModel": Architecture("roberta", encoders.read_bert),
    "Step3p5ForCausalLM": Architecture("step3p5", windowed.read_step3p7),
    "Step3p7Text": Architecture("step3p7", windowed.read_step3p7),
    "XLMRobertaModel": Architecture("xlm-roberta", encoders.read_bert),
}

ARCHITECTURES: Mapping[str, Architecture] = {**PLAIN, **OWN}

# other names of the same layers: without a head, for classification, or as older checkpoints spell them
ALIASES: Mapping[str, str] = {
    "BertForMaskedLM": "BertModel",
    "BertForSequenceClassification": "BertModel",
    "Gemma2Model": "Gemma2ForCausalLM",
    "Gemma3TextModel": "Gemma3ForCausalLM",
    "LLaMAForCausalLM": "LlamaForCausalLM",
    "LlamaForSequenceClassification": "LlamaForCausalLM",
    "LlamaModel": "LlamaForCausalLM",
    "MistralModel": "MistralForCausalLM",
    "Qwen2ForSequenceClassification": "Qwen2ForCausalLM",
    "Qwen2Model": "Qwen2ForCausalLM",
    "Qwen3ForSequenceClassification": "Qwen3ForCausalLM",
    "XLMRobertaForSequenceClassification": "XLMRobertaModel",
}
HEADLESS = frozenset(name for name in ALIASES if not name.endswith("ForCausalLM"))

# the class of a language model whose file names only its model_type, inside a multimodal config
BY_MODEL_TYPE: Mapping[str, str] = {
    "internlm2": "InternLM2ForCausalLM",
    "llama": "LlamaForCausalLM",
    "ministral3": "Ministral3ForCausalLM",
    "mistral": "MistralForCausalLM",
    "phi3": "Phi3ForCausalLM",
    "qwen2": "Qwen2ForCausalLM",
    "qwen3": "Qwen3ForCausalLM",
    "qwen3_moe": "Qwen3MoeForCausalLM",
}
