"""The architectures that are understood, by the names vLLM knows them under; any other is refused, never guessed."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

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
    "Ernie4_5ForCausalLM": plain("ernie4_5", qkv_bias="use_bias", out_bias="use_bias", mlp_bias="use_bias", tied=True),
    "Ernie4_5_MoeForCausalLM": plain(
        "ernie4_5_moe", qkv_bias="use_bias", out_bias="use_bias", tied=True, moe=Moe(shared=shared_count)
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
