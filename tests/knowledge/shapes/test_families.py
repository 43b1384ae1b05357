"""Families that the catalogue lists no model of, by the counts published on the hub; and corners of those that it does."""

from typing import Any

import pytest

from knowledge.shapes.config import read_config
from knowledge.shapes.layers import FullAttention, Part, SparseIndexer

CLIP = {"hidden_size": 1024, "image_size": 336, "intermediate_size": 4096, "num_hidden_layers": 24, "patch_size": 14}
MISTRAL = {
    "architectures": ["MistralForCausalLM"],
    "model_type": "mistral",
    "hidden_size": 4096,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "intermediate_size": 14336,
    "vocab_size": 32064,
}
SMALL: dict[str, Any] = {
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 8,
    "vocab_size": 1000,
}


@pytest.mark.parametrize(
    ("config", "published"),
    [
        pytest.param(
            {
                "architectures": ["BloomForCausalLM"],
                "hidden_size": 1024,
                "n_layer": 24,
                "n_head": 16,
                "vocab_size": 250880,
            },
            559_214_592,
            id="bigscience/bloom-560m",
        ),
        pytest.param(
            {
                "architectures": ["OlmoForCausalLM"],
                "hidden_size": 4096,
                "num_hidden_layers": 32,
                "num_attention_heads": 32,
                "intermediate_size": 11008,
                "vocab_size": 50304,
            },
            6_888_095_744,
            id="allenai/OLMo-7B-hf",
        ),
        pytest.param(
            {
                "architectures": ["LlavaNextForConditionalGeneration"],
                "text_config": MISTRAL,
                "vision_config": CLIP,
                "tie_word_embeddings": False,
            },
            7_566_747_648,
            id="llava-hf/llava-v1.6-mistral-7b-hf",
        ),
        pytest.param(
            {
                "architectures": ["LlamaForCausalLM"],
                "hidden_size": 7168,
                "num_hidden_layers": 62,
                "num_attention_heads": 56,
                "num_key_value_heads": 8,
                "intermediate_size": 19200,
                "vocab_size": 32256,
            },
            33_342_991_360,
            id="deepseek-ai/deepseek-coder-33b-instruct",
        ),
    ],
)
def test_a_family_is_counted_as_published(config: dict[str, Any], published: int) -> None:
    assert read_config(config, "x").parameters() == published


def test_mpt_without_alibi_learned_its_positions() -> None:
    config = {"architectures": ["MPTForCausalLM"], "d_model": 64, "n_heads": 8, "n_layers": 2, "vocab_size": 100}
    with_alibi = read_config({**config, "max_seq_len": 50, "attn_config": {"alibi": True}}, "x")
    learned = read_config({**config, "max_seq_len": 50, "attn_config": {}}, "x")
    assert learned.parameters() - with_alibi.parameters() == 50 * 64


def test_minimax_m3_keeps_indexer_keys_in_its_sparse_layers() -> None:
    sparse = {
        "use_sparse_attention": True,
        "sparse_attention_freq": [0, 1],
        "sparse_index_dim": 128,
        "sparse_num_index_heads": 4,
    }
    config = {
        **SMALL,
        "architectures": ["MiniMaxM3ForCausalLM"],
        "dense_intermediate_size": 256,
        "num_local_experts": 4,
        "num_experts_per_tok": 2,
        "moe_layer_freq": [0, 1],
    }
    with_index = read_config({**config, "sparse_attention_config": sparse}, "x")
    full = FullAttention(8, 8, 8)
    assert [layer.caches for layer in with_index.layers] == [(full,), (full, SparseIndexer(256))]
    off = read_config({**config, "sparse_attention_config": {**sparse, "use_sparse_attention": False}}, "x")
    assert [layer.caches for layer in off.layers] == [(full,), (full,)]
    assert [layer.caches for layer in read_config(config, "x").layers] == [(full,), (full,)]


def test_minimax_m3_with_its_encoder_is_multimodal() -> None:
    vision = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1, "image_size": 56, "patch_size": 14}
    text = {**SMALL, "dense_intermediate_size": 256}
    config = {
        "architectures": ["MiniMaxM3SparseForConditionalGeneration"],
        "text_config": text,
        "vision_config": vision,
    }
    model = read_config(config, "x")
    assert model.multimodal
    assert model.max_image_tokens == 4


def test_step_may_have_more_heads_in_its_windows() -> None:
    config = {
        **SMALL,
        "architectures": ["Step3p5ForCausalLM"],
        "sliding_window": 8,
        "max_position_embeddings": 100,
        "layer_types": ["full_attention", "sliding_attention"],
    }
    plain = read_config(config, "x")
    wide = read_config({**config, "attention_other_setting": {"num_attention_heads": 12}}, "x")
    assert wide.layers[0] == plain.layers[0]
    extra = wide.layers[1].parameters[Part.ATTENTION] - plain.layers[1].parameters[Part.ATTENTION]
    assert extra == 4 * (2 * 8 * 64 + 64)


def test_glm_4v_is_a_chatglm_with_an_encoder() -> None:
    vision = {**CLIP, "num_positions": 577}
    text = {"hidden_size": 64, "ffn_hidden_size": 128, "num_layers": 1, "num_attention_heads": 8, "vocab_size": 100}
    model = read_config({"architectures": ["ChatGLMModel"], **text, "vision_config": vision}, "x")
    assert model.multimodal
    assert model.max_image_tokens == 146


def test_an_image_size_may_be_written_as_two_sides() -> None:
    vision = {**CLIP, "image_size": [336, 336], "patch_size": [14, 14]}
    config = {"architectures": ["LlavaForConditionalGeneration"], "text_config": MISTRAL, "vision_config": vision}
    assert read_config(config, "x").max_image_tokens == 576


def test_ernie_interleaves_experts_from_a_first_layer_to_a_last() -> None:
    config = {
        **SMALL,
        "num_hidden_layers": 6,
        "architectures": ["Ernie4_5_MoeForCausalLM"],
        "moe_num_experts": 4,
        "moe_k": 2,
        "moe_intermediate_size": 32,
        "moe_layer_start_index": 1,
        "moe_layer_end_index": 4,
        "moe_layer_interval": 2,
    }
    found = [Part.EXPERTS in layer.parameters for layer in read_config(config, "x").layers]
    assert found == [False, True, False, True, False, False]


def test_layers_can_be_named_as_without_experts() -> None:
    config = {
        **SMALL,
        "architectures": ["Qwen3MoeForCausalLM"],
        "num_experts": 4,
        "num_experts_per_tok": 2,
        "moe_intermediate_size": 32,
    }
    only = read_config({**config, "mlp_only_layers": [0]}, "x")
    words = read_config({**config, "mlp_layer_types": ["dense", "sparse"]}, "x")
    assert only.layers == words.layers
    assert [Part.EXPERTS in layer.parameters for layer in only.layers] == [False, True]


def test_an_equal_layer_is_one_object() -> None:
    layers = read_config({**SMALL, "num_hidden_layers": 1000, "architectures": ["LlamaForCausalLM"]}, "x").layers
    assert len({id(layer) for layer in layers}) == 1
