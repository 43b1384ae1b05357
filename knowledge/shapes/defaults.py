"""What a config.json leaves out: the defaults of its class, by model_type, as transformers 5.24 has them.

Only keys that real files leave out and that count here.
"""

from collections.abc import Mapping
from typing import Any

LLAMA = {
    "hidden_size": 4096,
    "intermediate_size": 11008,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "vocab_size": 32000,
    "max_position_embeddings": 2048,
}
QWEN2 = {
    "hidden_size": 4096,
    "intermediate_size": 22016,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 32,
    "vocab_size": 151936,
    "max_position_embeddings": 32768,
    "use_sliding_window": False,
}
GEMMA3 = {
    "hidden_size": 2304,
    "intermediate_size": 9216,
    "num_hidden_layers": 26,
    "num_attention_heads": 8,
    "num_key_value_heads": 4,
    "head_dim": 256,
    "vocab_size": 262208,
    "max_position_embeddings": 131072,
    "sliding_window": 4096,
}
MISTRAL = {
    **LLAMA,
    "intermediate_size": 14336,
    "num_key_value_heads": 8,
    "max_position_embeddings": 131072,
    "sliding_window": 4096,
}
LATENT = {"q_lora_rank": 1536, "kv_lora_rank": 512, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128}
DEEPSEEK_V3 = {**LATENT, "first_k_dense_replace": 3, "n_shared_experts": 1, "moe_intermediate_size": 2048}
GLM_DSA = {**DEEPSEEK_V3, "q_lora_rank": 2048, "qk_nope_head_dim": 192, "v_head_dim": 256}
GLM = {"head_dim": 128, "num_key_value_heads": 2, "attention_bias": True}
ERNIE_MOE = {
    "num_key_value_heads": 4,
    "moe_num_shared_experts": 2,
    "moe_intermediate_size": 1536,
    "moe_k": 6,
    "moe_layer_start_index": 1,
}

MAMBA2 = {"mamba_n_groups": 1, "mamba_d_state": 256, "mamba_d_conv": 4, "mamba_expand": 2, "mamba_n_heads": 128}
DELTA_NET = {
    "linear_conv_kernel_dim": 4,
    "linear_key_head_dim": 128,
    "linear_value_head_dim": 128,
    "linear_num_key_heads": 16,
    "linear_num_value_heads": 32,
    "full_attention_interval": 4,
    "head_dim": 256,
    "shared_expert_intermediate_size": 512,
}
JAMBA = {
    "vocab_size": 65536,
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "max_position_embeddings": 262144,
    "num_experts": 16,
    "num_experts_per_tok": 2,
    "expert_layer_period": 2,
    "expert_layer_offset": 1,
    "attn_layer_period": 8,
    "attn_layer_offset": 4,
    "mamba_d_state": 16,
    "mamba_d_conv": 4,
    "mamba_expand": 2,
}
OPT = {
    "vocab_size": 50272,
    "hidden_size": 768,
    "num_hidden_layers": 12,
    "ffn_dim": 3072,
    "max_position_embeddings": 2048,
    "num_attention_heads": 12,
}
BERT = {"type_vocab_size": 2, "max_position_embeddings": 512, "vocab_size": 30522}
LLAMA4_VISION = {
    "hidden_size": 768,
    "num_hidden_layers": 34,
    "num_attention_heads": 16,
    "intermediate_size": 5632,
    "vision_output_dim": 7680,
    "image_size": 448,
    "patch_size": 14,
    "projector_input_dim": 4096,
    "projector_output_dim": 4096,
}
QWEN2_VISION = {"depth": 32, "embed_dim": 1280, "mlp_ratio": 4, "patch_size": 14}

STEP_VISION = {
    "hidden_size": 1536,
    "num_hidden_layers": 47,
    "mlp_ratio": 8960 / 1536,
    "image_size": 728,
    "patch_size": 14,
}

DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "bamba": {**MAMBA2, "num_key_value_heads": 8},
    "bert": BERT,
    "cohere2": {"sliding_window": 4096},
    "deepseek_v2": {**LATENT, "n_shared_experts": 2},
    "deepseek_v3": DEEPSEEK_V3,
    "deepseek_v32": {**DEEPSEEK_V3, "index_head_dim": 128, "index_n_heads": 64},
    "ernie4_5": {"head_dim": 128, "num_key_value_heads": 2},
    "ernie4_5_moe": ERNIE_MOE,
    "exaone4": {"sliding_window": 4096},
    "falcon": {"max_position_embeddings": 2048},
    "falcon_h1": {**MAMBA2, "num_key_value_heads": 8, "mamba_d_ssm": 1024, "mamba_rms_norm": False},
    "gemma": {"head_dim": 256, "num_key_value_heads": 16},
    "gemma2": {"head_dim": 256, "num_key_value_heads": 4, "sliding_window": 4096},
    "gemma3_text": GEMMA3,
    "gemma4_text": {
        "head_dim": 256,
        "num_key_value_heads": 4,
        "sliding_window": 512,
        "global_head_dim": 512,
        "max_position_embeddings": 131072,
    },
    "gemma4_vision": {"position_embedding_size": 10240, "patch_size": 16, "head_dim": 64},
    "glm": GLM,
    "glm4": GLM,
    "glm4_moe": {"num_key_value_heads": 8, "first_k_dense_replace": 1, "n_shared_experts": 1},
    "glm_moe_dsa": {**GLM_DSA, "index_head_dim": 128, "index_n_heads": 32},
    "gpt_oss": {"head_dim": 64, "num_key_value_heads": 8, "sliding_window": 128},
    "granitemoe": {"num_local_experts": 8, "num_experts_per_tok": 2},
    "granitemoehybrid": {**MAMBA2, "num_local_experts": 8, "num_experts_per_tok": 2, "shared_intermediate_size": 1024},
    "internlm3": {"head_dim": 128, "num_key_value_heads": 2},
    "jamba": JAMBA,
    "lfm2": {"conv_L_cache": 3, "num_key_value_heads": 8},
    "llama": LLAMA,
    "llama4_text": {"attention_chunk_size": 8192, "intermediate_size_mlp": 16384},
    "llama4_vision_model": LLAMA4_VISION,
    "minicpm3": {"q_lora_rank": 768, "kv_lora_rank": 256, "qk_nope_head_dim": 64, "qk_rope_head_dim": 32},
    "minimax_m2": {"head_dim": 128, "num_key_value_heads": 8},
    "ministral3": {"head_dim": 128, "num_key_value_heads": 8},
    "mistral": MISTRAL,
    "mixtral": {"num_key_value_heads": 8, "num_local_experts": 8, "num_experts_per_tok": 2},
    "mpt": {"expansion_ratio": 4},
    "olmo3": {"sliding_window": 4096},
    "opt": OPT,
    "qwen2": QWEN2,
    "qwen2_moe": {"use_sliding_window": False},
    "qwen2_vl_vision": QWEN2_VISION,
    "qwen3": {"head_dim": 128, "use_sliding_window": False},
    "qwen3_5_moe_text": DELTA_NET,
    "qwen3_5_text": DELTA_NET,
    "qwen3_moe": {"use_sliding_window": False},
    "qwen3_next": {**DELTA_NET, "num_nextn_predict_layers": 1},
    "roberta": BERT,
    "seed_oss": {"head_dim": 128, "num_key_value_heads": 8, "attention_bias": True},
    "smollm3": {"num_key_value_heads": 4},
    "starcoder2": {"num_key_value_heads": 2, "use_bias": True},
    "step3p7_vision": STEP_VISION,
    "xlm-roberta": {**BERT, "type_vocab_size": 1},
}
