"""Answers over many models, cards and counts: what the first sentence says, and what stands below it."""

import pytest

from bot.answers.sizes import of_size
from bot.conversation import reply
from bot.settings import Settings
from knowledge import catalogue

LLAMA, QWEN = "llama-3.3-70b-instruct-awq", "Qwen2.5-72B-Instruct-AWQ"


def lead(text: str) -> str:
    sheet = reply(text).sheet
    assert sheet is not None
    return sheet.lead


@pytest.mark.parametrize(
    ("billions", "model_id"),
    [
        (0, "Qwen/Qwen3-0.6B"),
        (7, "Qwen/Qwen2.5-7B-Instruct"),
        (8, "meta-llama/Llama-3.1-8B-Instruct"),
        (13, "Qwen/Qwen3-14B"),
        (32, "Qwen/Qwen3-32B"),
        (70, "meta-llama/Llama-3.3-70B-Instruct"),
        (405, "meta-llama/Llama-3.1-405B-Instruct"),
        (671, "deepseek-ai/DeepSeek-V3"),
        (5000, "moonshotai/Kimi-K2-Instruct"),
    ],
)
def test_a_size_means_well_known_models_of_about_that_size(billions: float, model_id: str) -> None:
    assert model_id in of_size(billions)
    assert 1 <= len(of_size(billions)) <= 4
    assert set(of_size(billions)) <= set(catalogue.ids())


def test_a_size_and_a_card_compare_the_models_of_that_size() -> None:
    answer = reply("does a 70b in int4 fit on a 48g card")
    assert answer.sheet is not None
    assert "of about 70B" in answer.sheet.lead
    listed = {estimate.model_id for estimate in answer.estimates if estimate.asked_weights is None}
    assert listed == {"RedHatAI/Llama-3.3-70B-Instruct-quantized.w4a16", "Qwen/Qwen2.5-72B-Instruct-AWQ"}
    assert all(estimate.model_id in of_size(70) for estimate in answer.estimates if estimate.asked_weights)
    assert answer.sheet.menus
    assert answer.understood.fields.model_id is None
    assert answer.understood.model_size_b == 70


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("how long a context does a 70b awq get on 4 A100 80G", (LLAMA, QWEN, "the longest context on 4 × A100-80GB")),
        ("how many users at 8k for a 70b awq on 4 A100 80G", (LLAMA, QWEN, "at once on 4 × A100-80GB")),
        ("how many users can 8xH100 serve", ("It depends on the model: from ", "of 8,192 tokens at once")),
        (
            "what's the max context on 8 H100",
            ("It depends on the model: from ", "the longest context on 8 × H100-80GB"),
        ),
        ("一个 70b 的 awq 在 4 张 A100 80G 上能开多长", (LLAMA, "这是 4 张 A100-80GB 的最长上下文")),
        ("8 张 H100 能扛多少并发", ("看是什么模型：从", "8 张 H100-80GB")),
    ],
)
def test_the_first_sentence_answers_for_several_models(text: str, words: tuple[str, ...]) -> None:
    assert all(word in lead(text) for word in words), lead(text)


@pytest.mark.parametrize(
    "text", ["which gpu for a 7b with 50 users at 4k", "how many 4090s for a 70b", "kv per token of a 70b"]
)
def test_a_size_alone_is_answered_for_the_nearest_model(text: str) -> None:
    answer = reply(text)
    assert answer.estimates
    assert answer.understood.fields.model_id is None


def test_a_size_that_was_said_goes_before_the_default_model() -> None:
    settings = Settings.model_validate({"defaults": {"model": "Qwen/Qwen3-14B"}})
    sized = reply("how many 4090s for a 70b", settings=settings)
    assert sized.assumed["model_id"] == of_size(70)[0]
    usual = reply("how many 4090s do we need", settings=settings)
    assert usual.assumed["model_id"] == "Qwen/Qwen3-14B"
    assert usual.sheet is not None
    assert "model Qwen/Qwen3-14B" in (usual.sheet.assumed or "")


def test_a_count_names_the_build_as_asked_and_then_those_that_need_fewer() -> None:
    said = lead("how many L4 for qwen2.5-32b at 16k with 8 users")
    first, second = said.split("; ")
    assert first == "8 × L4 for Qwen2.5-32B-Instruct"
    assert second == "4 × L4 for Qwen2.5-32B-Instruct-AWQ, with 8 requests of 16,384 tokens at once."


def test_more_cards_than_a_server_holds_are_told_in_servers() -> None:
    assert "16 × A100-80GB (2 servers)" in lead("how many a100 80gb for llama 3.1 405b bf16")
    assert "16 张 A100-80GB（2 台）" in lead("llama 3.1 405b bf16 要几张 A100 80G")


def test_cards_that_surely_hold_it_come_first_and_lighter_builds_are_told() -> None:
    sheet = reply("hardware requirements of GLM-4.6").sheet
    assert sheet is not None
    assert sheet.table is not None
    assert sheet.table.rows[0][1] == "fits"
    assert sheet.points_title == "Lighter builds of it need less"
    assert any("GLM-4.6-FP8" in point for point in sheet.points)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("which gpu for qwen3-8b at 500k", "No: 512,000 tokens is more than Qwen3-8B was made for"),
        ("how many h100 for qwen3-8b at 500k", "No: 512,000 tokens is more than Qwen3-8B was made for"),
        ("which flags for qwen3-8b on one h100 at 500k", "No: 512,000 tokens is more than Qwen3-8B was made for"),
        ("which single gpu could hold deepseek-r1", "None of the common cards alone holds DeepSeek-R1"),
        ("which flags for qwen3-30b-a3b on a 4090", "No: Qwen3-30B-A3B does not fit on 1 × RTX 4090: the weights"),
    ],
)
def test_where_nothing_holds_it_the_reason_is_told(text: str, says: str) -> None:
    assert lead(text).startswith(says)


def test_several_requests_share_the_longest_context() -> None:
    said = lead("biggest context for gpt-oss-120b on one H100 80GB with 8 parallel requests")
    assert " tokens each: that is the longest context of gpt-oss-120b on 1 × H100-80GB with 8 requests at once" in said
    answer = reply("biggest context for gpt-oss-120b on one H100 80GB with 8 parallel requests")
    together = answer.estimates[0].max_context_together
    assert together is not None
    assert f"--max-model-len {int(together.expected)}" not in answer.text  # rounded to what people would choose


@pytest.mark.parametrize(
    ("text", "says", "then"),
    [
        ("how fast would qwen3-8b be on an L40S", "only a measurement", "--model Qwen/Qwen3-8B"),
        ("what would it cost to run qwen3-8b on an L40S", "only a measurement", "vllm bench serve"),
        ("qwen3-8b 在 L40S 上有多快", "压测才知道", "vllm bench serve"),
    ],
)
def test_speed_and_cost_are_told_with_the_verdict_and_how_to_measure_last(text: str, says: str, then: str) -> None:
    sheet = reply(text).sheet
    assert sheet is not None
    assert says in sheet.lead
    assert then in sheet.notes[-1]


def test_the_memory_that_a_kv_question_names_is_told_first() -> None:
    # 2 × 126 layers × 8 heads × 128 × 2 bytes = 516,096 a token, times 32,768
    assert lead("how large is the kv cache of llama-3.1-405b at 32k").startswith(
        "15.75 GiB of KV cache for 32,768 tokens"
    )


def test_a_command_says_whether_it_has_a_change_in_it() -> None:
    for text in ("qwen3-14b on V100", "qwen3-next-80b-a3b on 2 H100, which flags"):
        answer = reply(text)
        assert answer.sheet is not None
        assert answer.sheet.command_title == "Command, with the first change"


@pytest.mark.parametrize(
    "text",
    [
        "kv bytes per token qwen3-235b?",
        "deepseek-v3 一个 token 的 kv 多大",
        "kv per token of a 70b",
        "gemma-3-27b 128k 的 kv 要多少显存",
    ],
)
def test_kv_questions_name_the_entry_with_the_formula(text: str) -> None:
    assert reply(text).entries[0] == "kv-cache-formula"


def test_a_question_about_nothing_is_asked_back() -> None:
    assert lead("will it fit?") == "Which model, and on which GPUs? Name one of them at least and I can compute it."


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("which gpu for qwen3-next awq", "holds Qwen3-Next-80B-A3B-Instruct (awq-int4) with"),
        ("how many 3090 for llama 3.3 70b gptq", "for Llama-3.3-70B-Instruct (gptq-int4), with"),
        ("qwen3-next awq on 2x a6000", "Yes: Qwen3-Next-80B-A3B-Instruct (awq-int4) fits on"),
        ("qwen3-32b awq on 2x a6000", "Yes: Qwen3-32B-AWQ fits on"),
        ("qwen3-32b awq on v100 32g", "No: vLLM refuses to load Qwen3-32B-AWQ on V100-32GB, whatever the memory"),
        (
            "llama 8b awq on v100",
            "No: vLLM refuses to load Llama-3.1-8B-Instruct (awq-int4) on V100-16GB and V100-32GB",
        ),
        ("how many v100-32g for qwen2.5 72b awq", "No: vLLM refuses to load Qwen2.5-72B-Instruct-AWQ on V100-32GB"),
        ("which models can i run in awq on a v100 16g", "No: vLLM refuses to load these builds on V100-16GB"),
        ("V100 32G 能跑 qwen3-32b awq 吗", "不行：vLLM 在 V100-32GB 上会拒绝加载 Qwen3-32B-AWQ"),
        ("70b awq on 2x3090", "Too close to call for 1 of the 3 common models of about 70B, and the rest do not fit,"),
        ("4090 能跑 32b 4bit 吗", "不确定：4 个 32B 左右的常用模型都在临界"),
        ("72b 2x 3090 how many concurrent at 4k", "No common model of about 72B fits for sure on 2 × RTX 3090 with"),
        ("72b on one 3090 how many concurrent at 4k", "No common model of about 72B fits on 1 × RTX 3090 with"),
        ("my colleague's 34b on 2x3090", "with a context of 8,192 tokens"),  # though Yi-1.5-34B ends at 4,096
        (
            "what is the best 70b model for 8xH100 80G",
            "the largest common model of about 70B that fits on 8 × H100-80GB",
        ),
    ],
)
def test_the_quantisation_that_was_asked_is_answered_for(text: str, says: str) -> None:
    assert says in lead(text)
