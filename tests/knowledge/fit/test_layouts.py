"""Layouts: what vLLM's own divisibility checks leave of a GPU count."""

from dataclasses import replace

import pytest

from knowledge.errors import Refusal
from knowledge.fit.layouts import Asked, Divisors, Layout, lay_out
from knowledge.shapes.layers import FullAttention, LatentAttention, Layer
from knowledge.shapes.model import ModelShape


def model(heads: int, kv_heads: int, *, vocabulary: int = 152064, width: int = 29568, layers: int = 80) -> ModelShape:
    return ModelShape(
        model_id="some/model",
        architecture="LlamaForCausalLM",
        layers=(Layer((FullAttention(kv_heads, 128, 128),)),) * layers,
        outside={},
        hidden_size=heads * 128,
        intermediate_size=width,
        vocab_size=vocabulary,
        attention_heads=heads,
        kv_heads=kv_heads,
        head_size=128,
        max_context=32768,
        dtype="bfloat16",
        tied_embeddings=False,
    )


QWEN_72B = model(64, 8)
QWEN_7B = model(28, 4, width=18944, layers=28)
DEEPSEEK = replace(
    model(128, 128, vocabulary=129280, width=18432, layers=61),
    layers=(Layer((LatentAttention(576),)),) * 61,
    experts=256,
    moe_intermediate_size=2048,
)
MAMBA = replace(model(64, 8), architecture="Mamba2ForCausalLM")


@pytest.mark.parametrize(
    ("shape", "count", "layout"),
    [
        pytest.param(QWEN_72B, 1, Layout(1), id="one"),
        pytest.param(QWEN_72B, 4, Layout(4), id="four"),
        pytest.param(QWEN_72B, 8, Layout(8), id="eight"),
        pytest.param(QWEN_72B, 16, Layout(8, pp=2, nodes=2), id="two servers: stages between them"),
        pytest.param(QWEN_72B, 3, Layout(1, pp=3, awkward=True), id="three: stages"),
        pytest.param(QWEN_72B, 6, Layout(2, pp=3, awkward=True), id="six: pairs in three stages"),
        pytest.param(QWEN_72B, 7, Layout(1, pp=7, awkward=True), id="seven: stages"),
        pytest.param(QWEN_7B, 8, Layout(4, pp=2, awkward=True), id="28 heads on eight"),
        pytest.param(DEEPSEEK, 8, Layout(8), id="MLA has no KV heads to divide"),
        pytest.param(MAMBA, 3, Layout(2, idle=1, awkward=True), id="no stages: one stays idle"),
    ],
)
def test_count_alone_gives_the_widest_tensor_parallelism(shape: ModelShape, count: int, layout: Layout) -> None:
    assert lay_out(shape, Asked(count=count)) == layout


@pytest.mark.parametrize(
    ("asked", "layout"),
    [
        pytest.param(Asked(), Layout(1), id="nothing"),
        pytest.param(Asked(tp=2), Layout(2), id="TP says the count"),
        pytest.param(Asked(tp=2, pp=2, dp=2), Layout(2, pp=2, dp=2), id="all three"),
        pytest.param(Asked(count=8, dp=2), Layout(4, dp=2), id="DP first, TP takes the rest"),
        pytest.param(Asked(count=8, tp=4), Layout(4, pp=2), id="TP first, stages take the rest"),
        pytest.param(Asked(count=8, tp=2, pp=2), Layout(2, pp=2, dp=2), id="copies take the rest"),
        pytest.param(Asked(count=8, pp=2), Layout(4, pp=2), id="stages first"),
        pytest.param(Asked(count=4, nodes=2), Layout(2, pp=2, nodes=2), id="two small servers"),
        pytest.param(Asked(tp=16, count=16), Layout(16, nodes=2), id="TP over two servers when said"),
    ],
)
def test_what_is_said_is_kept(asked: Asked, layout: Layout) -> None:
    assert lay_out(model(64, 16), asked) == layout


def test_where_there_are_no_stages_copies_take_the_rest() -> None:
    assert lay_out(MAMBA, Asked(count=4, tp=2)) == Layout(2, dp=2)


@pytest.mark.parametrize(
    ("shape", "asked", "code", "words"),
    [
        pytest.param(QWEN_72B, Asked(tp=3), "tp-does-not-divide", "64 attention heads", id="heads"),
        pytest.param(QWEN_7B, Asked(tp=14), "tp-does-not-divide", "4 KV heads", id="KV heads"),
        pytest.param(model(60, 60), Asked(tp=5), "tp-does-not-divide", "padded vocabulary", id="vocabulary"),
        pytest.param(model(64, 64, width=29569), Asked(tp=2), "tp-does-not-divide", "MLP width", id="MLP"),
        pytest.param(QWEN_72B, Asked(pp=81), "bad-pp", "81", id="more stages than layers"),
        pytest.param(MAMBA, Asked(pp=2), "bad-pp", "2", id="no stages at all"),
        pytest.param(QWEN_72B, Asked(expert_parallel=True), "no-experts", "no experts", id="dense"),
        pytest.param(QWEN_72B, Asked(count=8, tp=2, pp=2, dp=1), "layout-mismatch", "8", id="too few"),
        pytest.param(QWEN_72B, Asked(count=6, tp=4), "layout-mismatch", "6", id="not a multiple"),
        pytest.param(QWEN_72B, Asked(count=8, nodes=3), "layout-mismatch", "3", id="uneven servers"),
    ],
)
def test_what_cannot_be_is_refused_in_words(shape: ModelShape, asked: Asked, code: str, words: str) -> None:
    with pytest.raises(Refusal) as refused:
        lay_out(shape, asked)
    assert refused.value.code == code
    assert words in refused.value.error
    assert refused.value.hint


def test_whole_experts_need_not_divide() -> None:
    shape = replace(model(64, 64), experts=8, moe_intermediate_size=1000)
    assert Divisors(shape).why_not(16) is not None
    assert Divisors(shape, expert_parallel=True).why_not(16) is None
