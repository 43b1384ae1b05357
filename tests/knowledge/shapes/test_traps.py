"""The ways in which config.json files mislead, each with what vLLM makes of it."""

from collections.abc import Mapping
from typing import Any

import pytest

from knowledge.errors import Refusal
from knowledge.shapes.config import read_config
from knowledge.shapes.layers import (
    ChunkedAttention,
    CompressedAttention,
    FullAttention,
    LatentAttention,
    Part,
    RecurrentState,
    SlidingWindow,
)
from knowledge.shapes.model import ModelShape

LLAMA: dict[str, Any] = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 4,
    "num_attention_heads": 8,
    "num_key_value_heads": 2,
    "vocab_size": 1000,
    "max_position_embeddings": 4096,
}
DEEPSEEK: dict[str, Any] = {
    **LLAMA,
    "architectures": ["DeepseekV3ForCausalLM"],
    "kv_lora_rank": 512,
    "q_lora_rank": 16,
    "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64,
    "v_head_dim": 128,
}


def read(base: Mapping[str, Any] = LLAMA, without: tuple[str, ...] = (), **changes: Any) -> ModelShape:
    return read_config({key: value for key, value in {**base, **changes}.items() if key not in without}, "org/model")


def caches(model: ModelShape) -> list[Any]:
    return [cache for layer in model.layers for cache in layer.caches]


# 1, 2: heads


def test_a_head_size_that_is_absent_is_the_hidden_size_shared_among_the_heads() -> None:
    assert caches(read())[0] == FullAttention(2, 8, 8)


def test_a_head_size_that_is_said_wins_over_the_hidden_size() -> None:
    assert caches(read(head_dim=128))[0] == FullAttention(2, 128, 128)


def test_absent_kv_heads_mean_one_for_each_attention_head() -> None:
    assert read(without=("num_key_value_heads",)).kv_heads == 8


def test_null_kv_heads_mean_the_same() -> None:
    assert read(num_key_value_heads=None).kv_heads == 8


def test_nemotron_nas_has_other_heads_in_every_layer_and_none_in_some() -> None:
    blocks = [
        {"attention": {"n_heads_in_group": 4, "no_op": False}, "ffn": {"ffn_mult": 4.0, "no_op": False}},
        {"attention": {"n_heads_in_group": None, "no_op": True}, "ffn": {"ffn_mult": 1.0}},
        {"attention": {"replace_with_linear": True}, "ffn": {"replace_with_linear": True}},
        {"attention": {"n_heads_in_group": 8}, "ffn": {"no_op": True}},
    ]
    changes: dict[str, Any] = {
        "architectures": ["DeciLMForCausalLM"],
        "num_key_value_heads": None,
        "intermediate_size": None,
    }
    model = read(**changes, block_configs=blocks)
    assert [len(layer.caches) for layer in model.layers] == [1, 0, 0, 1]
    assert caches(model) == [FullAttention(2, 8, 8), FullAttention(1, 8, 8)]
    assert model.layers[0].parameters[Part.MLP] == 3 * 64 * 256
    assert Part.MLP not in model.layers[3].parameters


# 3: other names for the same things


def test_chatglm_names_its_dimensions_its_own_way() -> None:
    model = read_config(
        {
            "architectures": ["ChatGLMModel"],
            "hidden_size": 64,
            "ffn_hidden_size": 128,
            "num_layers": 2,
            "num_attention_heads": 8,
            "kv_channels": 16,
            "multi_query_attention": True,
            "multi_query_group_num": 2,
            "padded_vocab_size": 1000,
            "seq_length": 8192,
        },
        "org/chatglm",
    )
    assert caches(model) == [FullAttention(2, 16, 16)] * 2
    assert (model.vocab_size, model.max_context, model.intermediate_size) == (1000, 8192, 128)


def test_chatglm_without_grouped_queries_has_all_heads() -> None:
    config = {"hidden_size": 64, "ffn_hidden_size": 128, "num_layers": 1, "num_attention_heads": 8, "vocab_size": 100}
    assert read_config({"architectures": ["ChatGLMModel"], **config}, "x").kv_heads == 8


@pytest.mark.parametrize(
    ("changes", "kv_heads"),
    [
        pytest.param({"architectures": ["FalconForCausalLM"], "multi_query": True}, 1, id="falcon 7b"),
        pytest.param(
            {"architectures": ["FalconForCausalLM"], "new_decoder_architecture": True, "num_kv_heads": 4}, 4, id="40b"
        ),
        pytest.param({"architectures": ["FalconForCausalLM"], "multi_query": False}, 8, id="falcon rw"),
        pytest.param(
            {"architectures": ["GPTBigCodeForCausalLM"], "multi_query": True, "n_positions": 10}, 1, id="bigcode"
        ),
    ],
)
def test_multi_query_means_one_kv_head(changes: dict[str, Any], kv_heads: int) -> None:
    assert read(without=("num_key_value_heads",), **changes).kv_heads == kv_heads


def test_dbrx_keeps_its_kv_heads_in_attn_config() -> None:
    config = {
        "architectures": ["DbrxForCausalLM"],
        "d_model": 64,
        "n_heads": 8,
        "n_layers": 2,
        "max_seq_len": 32768,
        "vocab_size": 100,
        "attn_config": {"kv_n_heads": 2},
        "ffn_config": {"ffn_hidden_size": 32, "moe_num_experts": 4, "moe_top_k": 2},
    }
    model = read_config(config, "databricks/dbrx")
    assert caches(model) == [FullAttention(2, 8, 8)] * 2
    assert (model.max_context, model.experts, model.experts_per_token) == (32768, 4, 2)


def test_the_first_qwen_counts_both_projections_in_its_intermediate_size() -> None:
    assert read(architectures=["QWenLMHeadModel"]).intermediate_size == 64


# 4: nesting, class defaults, null


@pytest.mark.parametrize("section", ["text_config", "llm_config"])
def test_a_language_model_inside_a_multimodal_config_is_found(section: str) -> None:
    vision = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1, "image_size": 28, "patch_size": 14}
    config = {"architectures": ["InternVLChatModel"], section: LLAMA, "vision_config": vision}
    model = read_config(config, "org/vl")
    assert model.multimodal
    assert model.layers == read().layers
    assert model.outside[Part.VISION] > 0


def test_gemma_3_leaves_out_what_its_class_says() -> None:
    text = {"hidden_size": 2560, "intermediate_size": 10240, "num_hidden_layers": 34, "sliding_window": 1024}
    vision = {
        "hidden_size": 1152,
        "intermediate_size": 4304,
        "num_hidden_layers": 27,
        "image_size": 896,
        "patch_size": 14,
    }
    config = {"architectures": ["Gemma3ForConditionalGeneration"], "text_config": text, "vision_config": vision}
    model = read_config(config, "google/gemma-3-4b-it")
    assert (model.attention_heads, model.kv_heads, model.head_size, model.vocab_size) == (8, 4, 256, 262208)


def test_a_null_q_lora_rank_means_queries_without_one() -> None:
    ranked, plain = read(DEEPSEEK), read(DEEPSEEK, q_lora_rank=None)
    queries = 8 * (128 + 64)
    assert (
        ranked.layers[0].parameters[Part.ATTENTION] - plain.layers[0].parameters[Part.ATTENTION]
        == 16 * queries - 64 * queries
    )


# 5: windows


@pytest.mark.parametrize(
    ("changes", "slides"),
    [
        pytest.param({"sliding_window": 1024}, [1, 1, 1, 1], id="a window"),
        pytest.param({"sliding_window": None}, [0, 0, 0, 0], id="null"),
        pytest.param({"sliding_window": 1024, "use_sliding_window": False}, [0, 0, 0, 0], id="switched off"),
        pytest.param({"sliding_window": 4096}, [0, 0, 0, 0], id="as wide as the context"),
        pytest.param({"sliding_window": 1024, "sliding_window_pattern": 2}, [1, 0, 1, 0], id="every second is full"),
        pytest.param({"sliding_window": 1024, "sliding_window_pattern": "LLG"}, [1, 1, 0, 0], id="letters"),
        pytest.param(
            {"sliding_window": 1024, "layer_types": ["full_attention", "sliding_attention"] * 2},
            [0, 1, 0, 1],
            id="list",
        ),
        pytest.param(
            {"sliding_window": 1024, "use_sliding_window": True, "max_window_layers": 3}, [0, 0, 0, 1], id="last layers"
        ),
    ],
)
def test_which_layers_slide(changes: dict[str, Any], slides: list[int]) -> None:
    found = caches(read(architectures=["MistralForCausalLM"], **changes))
    assert [isinstance(cache, SlidingWindow) for cache in found] == [bool(slide) for slide in slides]


@pytest.mark.parametrize(
    ("architecture", "slides"),
    [
        pytest.param("Gemma2ForCausalLM", [1, 0, 1, 0, 1, 0, 1, 0], id="gemma-2: every other"),
        pytest.param("Gemma3ForCausalLM", [1, 1, 1, 1, 1, 0, 1, 1], id="gemma-3: all but each sixth"),
        pytest.param("Cohere2ForCausalLM", [1, 1, 1, 0, 1, 1, 1, 0], id="cohere2: all but each fourth"),
        pytest.param("Olmo3ForCausalLM", [1, 1, 1, 0, 1, 1, 1, 0], id="olmo-3"),
    ],
)
def test_classes_imply_which_layers_slide(architecture: str, slides: list[int]) -> None:
    found = caches(read(architectures=[architecture], num_hidden_layers=8, sliding_window=1024))
    assert [isinstance(cache, SlidingWindow) for cache in found] == [bool(slide) for slide in slides]


def test_a_mistral_file_that_says_no_window_has_its_classs() -> None:
    cached = caches(read(architectures=["MistralForCausalLM"], max_position_embeddings=32768))
    assert cached == [SlidingWindow(2, 8, 8, 4096)] * 4


def test_qwen_slides_only_when_told_to() -> None:
    assert caches(read(architectures=["Qwen2ForCausalLM"], sliding_window=1024))[0] == FullAttention(2, 8, 8)


def test_llama_4_attends_in_chunks_but_for_each_fourth_layer() -> None:
    vision = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1, "image_size": 28}
    text = {**LLAMA, "num_local_experts": 4, "num_experts_per_tok": 1, "intermediate_size_mlp": 256}
    config = {"architectures": ["Llama4ForConditionalGeneration"], "text_config": text, "vision_config": vision}
    full, chunk = FullAttention(2, 8, 8), ChunkedAttention(2, 8, 8, 8192)
    assert caches(read_config(config, "x")) == [chunk, chunk, chunk, full]
    text["no_rope_layers"] = [0, 1, 1, 1]
    assert caches(read_config(config, "x")) == [full, chunk, chunk, chunk]


def test_llama_4_has_experts_in_every_step_th_layer_or_in_those_listed() -> None:
    base = {**LLAMA, "architectures": ["Llama4ForCausalLM"], "num_local_experts": 4, "num_experts_per_tok": 1}
    stepped = read(base, intermediate_size_mlp=256, interleave_moe_layer_step=2)
    listed = read(base, intermediate_size_mlp=256, moe_layers=[0])
    assert [Part.EXPERTS in layer.parameters for layer in stepped.layers] == [False, True, False, True]
    assert [Part.EXPERTS in layer.parameters for layer in listed.layers] == [True, False, False, False]


def test_mimo_windows_have_heads_of_their_own_and_values_narrower_than_keys() -> None:
    model = read(
        architectures=["MiMoV2FlashForCausalLM"],
        hybrid_layer_pattern=[0, 1, 1, 0],
        head_dim=192,
        v_head_dim=128,
        swa_num_key_value_heads=8,
        sliding_window=128,
        attention_chunk_size=128,
    )
    full, window = FullAttention(2, 192, 128), SlidingWindow(8, 192, 128, 128)
    assert caches(model) == [full, window, window, full]


# 6: Gemma-4


def test_gemma_4_full_layers_have_other_heads_and_shared_layers_cache_nothing() -> None:
    model = read(
        architectures=["Gemma4ForCausalLM"],
        layer_types=["sliding_attention", "full_attention", "sliding_attention", "full_attention"],
        sliding_window=512,
        head_dim=256,
        global_head_dim=512,
        num_global_key_value_heads=1,
        num_kv_shared_layers=2,
    )
    assert [layer.caches for layer in model.layers] == [
        (SlidingWindow(2, 256, 256, 512),),
        (FullAttention(1, 512, 512),),
        (),
        (),
    ]
    assert Part.KV_PROJECTION not in model.layers[3].parameters


# 7: latent attention


def test_latent_attention_caches_one_vector_whatever_the_heads() -> None:
    assert caches(read(DEEPSEEK)) == [LatentAttention(576)] * 4


def test_minicpm3_has_the_keys_of_latent_attention_and_runs_as_plain() -> None:
    changes: dict[str, Any] = {"kv_lora_rank": 256, "q_lora_rank": 768, "qk_nope_head_dim": 64, "qk_rope_head_dim": 32}
    model = read(architectures=["MiniCPM3ForCausalLM"], num_key_value_heads=8, **changes)
    assert caches(model) == [FullAttention(8, 96, 96)] * 4


def test_glm_5_shares_one_indexer_among_layers() -> None:
    changes: dict[str, Any] = {"architectures": ["GlmMoeDsaForCausalLM"], "index_head_dim": 128, "index_n_heads": 4}
    model = read(DEEPSEEK, **changes, indexer_types=["full", "shared", "shared", "full"])
    assert [len(layer.caches) for layer in model.layers] == [2, 1, 1, 2]


V4: dict[str, Any] = {
    **LLAMA,
    "architectures": ["DeepseekV4ForCausalLM"],
    "head_dim": 512,
    "q_lora_rank": 16,
    "o_lora_rank": 16,
    "o_groups": 2,
    "qk_rope_head_dim": 64,
    "index_head_dim": 128,
    "index_n_heads": 4,
    "sliding_window": 128,
    "hc_mult": 4,
    "n_routed_experts": 4,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 32,
    "n_shared_experts": 1,
    "compress_ratios": [0, 4, 128, 4],
}


def test_deepseek_v4_compresses_some_layers_beside_a_window() -> None:
    found = caches(read(V4))
    assert found[0] == CompressedAttention(0, 128, 584, 0)
    assert found[1] == CompressedAttention(4, 128, 584, 132)
    assert found[2] == CompressedAttention(128, 128, 584, 0)


def test_deepseek_v4_has_its_experts_in_4_bits_under_a_header_that_says_fp8() -> None:
    quantization = {"quant_method": "fp8", "weight_block_size": [128, 128]}
    found = read(V4, expert_dtype="fp4", quantization_config=quantization).quantization
    assert found is not None
    assert (found.label, found.bits_of(Part.EXPERTS)) == ("mxfp4", 4.25)
    assert 8 < found.bits_of(Part.MLP) < 8.01


def test_a_ratio_for_the_prediction_layer_is_left_out() -> None:
    assert len(read(V4, compress_ratios=[0, 4, 128, 4, 0], num_nextn_predict_layers=1).layers) == 4


@pytest.mark.parametrize("ratios", [None, [0, 4, 8, 4], [0, 4]])
def test_deepseek_v4_without_ratios_that_vllm_runs_is_refused(ratios: list[int] | None) -> None:
    with pytest.raises(Refusal, match="compress_ratios"):
        read(V4, compress_ratios=ratios)


# 8: hybrids

MAMBA: dict[str, Any] = {
    "mamba_n_heads": 16,
    "mamba_d_state": 16,
    "mamba_n_groups": 1,
    "mamba_expand": 2,
    "mamba_d_conv": 4,
}


def kinds(model: ModelShape) -> list[str]:
    """One letter a layer: A attention, M a recurrent state, B both, - neither."""
    return [
        "-MAB"[
            2 * any(not isinstance(cache, RecurrentState) for cache in layer.caches)
            + any(isinstance(cache, RecurrentState) for cache in layer.caches)
        ]
        for layer in model.layers
    ]


def test_nemotron_h_has_a_letter_a_layer() -> None:
    sizes: dict[str, Any] = {
        "mamba_num_heads": 8,
        "mamba_head_dim": 16,
        "ssm_state_size": 16,
        "n_groups": 1,
        "conv_kernel": 4,
    }
    experts: dict[str, Any] = {"n_routed_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32}
    model = read(architectures=["NemotronHForCausalLM"], hybrid_override_pattern="M*E-", **sizes, **experts)
    assert kinds(model) == ["M", "A", "-", "-"]
    listed = ["mamba", "attention", "moe", "mlp"]
    by_words = read(
        without=("num_hidden_layers",),
        architectures=["NemotronHForCausalLM"],
        layers_block_type=listed,
        **sizes,
        **experts,
    )
    assert by_words.layers == model.layers


def test_granite_4_lists_its_layers() -> None:
    types = ["mamba", "attention", "mamba", "mamba"]
    model = read(architectures=["GraniteMoeHybridForCausalLM"], layer_types=types, num_local_experts=0, **MAMBA)
    assert kinds(model) == ["M", "A", "M", "M"]


def test_qwen3_next_has_full_attention_at_an_interval() -> None:
    assert kinds(read(architectures=["Qwen3NextForCausalLM"], full_attention_interval=2)) == ["M", "A", "M", "A"]


def test_jamba_has_attention_at_a_period_with_an_offset() -> None:
    model = read(architectures=["JambaForCausalLM"], attn_layer_period=4, attn_layer_offset=1)
    assert kinds(model) == ["M", "A", "M", "M"]
    assert [Part.EXPERTS in layer.parameters for layer in model.layers] == [False, True, False, True]


def test_kimi_linear_counts_its_layers_from_one() -> None:
    own: dict[str, Any] = {
        "full_attn_layers": [4],
        "kda_layers": [1, 2, 3],
        "num_heads": 8,
        "head_dim": 16,
        "short_conv_kernel_size": 4,
    }
    model = read(DEEPSEEK, architectures=["KimiLinearForCausalLM"], linear_attn_config=own)
    assert kinds(model) == ["M", "M", "M", "A"]


def test_falcon_h1_has_both_in_every_layer() -> None:
    assert kinds(read(architectures=["FalconH1ForCausalLM"], **MAMBA | {"mamba_d_ssm": 128})) == ["B"] * 4


def test_bamba_lists_its_attention_layers() -> None:
    assert kinds(read(architectures=["BambaForCausalLM"], attn_layer_indices=[2], **MAMBA)) == ["M", "M", "A", "M"]


def test_lfm2_has_the_published_weights() -> None:
    model = read_config(
        {
            "architectures": ["Lfm2ForCausalLM"],
            "hidden_size": 2048,
            "num_hidden_layers": 16,
            "num_attention_heads": 32,
            "num_key_value_heads": 8,
            "block_ff_dim": 12288,
            "vocab_size": 65536,
            "full_attn_idxs": [2, 5, 8, 10, 12, 14],
            "max_position_embeddings": 128000,
        },
        "LiquidAI/LFM2-1.2B",
    )
    assert model.parameters() == 1_170_340_608  # the hub's count
    assert kinds(model).count("A") == 6


def test_lfm2_may_list_kinds_and_fix_its_width() -> None:
    types = ["conv", "full_attention", "conv", "conv"]
    model = read(architectures=["Lfm2ForCausalLM"], layer_types=types, block_ff_dim=96, block_auto_adjust_ff_dim=False)
    assert kinds(model) == ["M", "A", "M", "M"]
    assert model.layers[0].parameters[Part.MLP] == 3 * 64 * 96


@pytest.mark.parametrize(("said", "size"), [("float32", 4), (None, 2)])
def test_the_state_has_a_dtype_of_its_own(said: str | None, size: int) -> None:
    model = read(architectures=["Qwen3NextForCausalLM"], mamba_ssm_dtype=said)
    assert model.layers[0].caches[0].parts[1][1] == size  # type: ignore[union-attr]


# 9: what is in the checkpoint and not loaded, what is loaded and not cached


def test_prediction_layers_are_counted_apart() -> None:
    plain, ahead = read(DEEPSEEK), read(DEEPSEEK, num_nextn_predict_layers=1)
    assert ahead.mtp_layers == 1
    assert ahead.parameters() == plain.parameters()
    assert ahead.outside[Part.MTP] == sum(plain.layers[-1].parameters.values()) + 2 * 64 * 64 + 3 * 64


def test_cross_attention_layers_keep_no_text() -> None:
    vision = {
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 1,
        "num_global_layers": 1,
        "image_size": 28,
        "patch_size": 14,
        "max_num_tiles": 4,
        "vision_output_dim": 64,
    }
    config = {
        "architectures": ["MllamaForConditionalGeneration"],
        "text_config": {**LLAMA, "cross_attention_layers": [1, 3]},
        "vision_config": vision,
    }
    assert [len(layer.caches) for layer in read_config(config, "x").layers] == [1, 0, 1, 0]


def test_encoders_cache_nothing() -> None:
    model = read(architectures=["BertModel"])
    assert model.encoder_only
    assert caches(model) == []


def test_reward_models_have_no_output_head() -> None:
    assert Part.LM_HEAD not in read(architectures=["LlamaForSequenceClassification"]).outside


# 11: dtypes


@pytest.mark.parametrize(
    ("changes", "dtype"),
    [
        pytest.param({"torch_dtype": "float16"}, "float16", id="as said"),
        pytest.param({"dtype": "bfloat16"}, "bfloat16", id="the new key"),
        pytest.param({"torch_dtype": "float32"}, "bfloat16", id="float32 is loaded in 16 bits"),
        pytest.param({}, "bfloat16", id="nothing said"),
        pytest.param({"architectures": ["BertModel"], "torch_dtype": "float32"}, "float16", id="pooling models"),
    ],
)
def test_the_dtype_that_is_loaded(changes: dict[str, Any], dtype: str) -> None:
    assert read(**changes).dtype == dtype


def test_a_nested_dtype_is_found() -> None:
    vision = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1, "image_size": 28, "patch_size": 14}
    text = {**LLAMA, "dtype": "float16"}
    config = {"architectures": ["LlavaForConditionalGeneration"], "text_config": text, "vision_config": vision}
    assert read_config(config, "x").dtype == "float16"


# how long


@pytest.mark.parametrize(
    ("changes", "longest", "start"),
    [
        pytest.param({}, 4096, None, id="as said"),
        pytest.param({"rope_scaling": {"type": "linear", "factor": 4.0}}, 16384, None, id="linear scaling multiplies"),
        pytest.param({"rope_scaling": {"rope_type": "dynamic", "factor": 2}}, 8192, None, id="so does dynamic"),
        pytest.param({"rope_scaling": {"rope_type": "yarn", "factor": 4.0}}, 4096, None, id="yarn does not"),
        pytest.param({"rope_scaling": {"rope_type": "llama3", "factor": 8.0}}, 4096, None, id="nor does llama3"),
        pytest.param({"rope_scaling": {"rope_type": "linear", "factor": None}}, 4096, None, id="a null factor"),
        pytest.param(
            {"rope_scaling": {"type": "longrope"}, "original_max_position_embeddings": 1024}, 4096, 1024, id="longrope"
        ),
        pytest.param(
            {"rope_parameters": {"full_attention": {"rope_type": "linear", "factor": 2.0}}}, 8192, None, id="by layer"
        ),
        pytest.param({"seq_length": 2048}, 2048, None, id="the smallest key counts"),
        pytest.param({"model_max_length": 8192}, 8192, None, id="model_max_length overrides"),
    ],
)
def test_the_context_that_vllm_derives(changes: dict[str, Any], longest: int, start: int | None) -> None:
    model = read(**changes)
    assert (model.max_context, model.default_context) == (longest, start)


def test_without_any_key_vllm_assumes_2048() -> None:
    config = {"hidden_size": 64, "ffn_hidden_size": 128, "num_layers": 1, "num_attention_heads": 8, "vocab_size": 100}
    assert read_config({"architectures": ["ChatGLMModel"], **config}, "x").max_context == 2048
