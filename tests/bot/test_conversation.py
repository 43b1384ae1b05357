"""One message in, one answer out: what every front relies on."""

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bot import conversation
from bot.answers.answer import Answer
from bot.conversation import context_after, pick, reply
from bot.settings import Defaults, Settings
from bot.sheet import Menu
from bot.understand.understood import Aside, Decline, Fields, Intent, Understood
from knowledge.errors import Refusal
from knowledge.memory.judgement import Verdict

SETTINGS = Settings()


def asked(intent: Intent, **said: object) -> Understood:
    """A question as `understand` would hand it over."""
    options = {
        name: said.pop(name) for name in ("language", "asides", "decline", "problems", "flags", "parts") if name in said
    }
    return Understood(text="", intent=intent, fields=Fields(**said), **({"language": "en"} | options))  # type: ignore[arg-type]


def answered(intent: Intent, settings: Settings = SETTINGS, **said: object) -> Answer:
    return conversation.answer_understood(asked(intent, **said), settings)


FOUR_A100: dict[str, Any] = {"gpu": "A100", "gpu_mem_gb": 80, "count": 4}
QWEN: dict[str, Any] = {"model_id": "Qwen/Qwen2.5-72B-Instruct"}


def test_the_users_own_example_is_answered_for_every_common_model_and_both_cards() -> None:
    answer = reply("will 16k context fit on 4×A100?")
    assert answer.sheet is not None
    assert answer.sheet.table is not None
    assert answer.sheet.table.columns == ("Model", "4 × A100-80GB", "4 × A100-40GB")
    assert answer.sheet.menus == (Menu.MODEL, Menu.GPU)
    assert {estimate.context for estimate in answer.estimates} == {16_384}
    assert answer.assumed["utilization"] == 0.92


def test_a_model_and_a_card_get_a_verdict_first() -> None:
    answer = answered(Intent.FIT, **QWEN, **FOUR_A100, context_tokens=16_384)
    assert answer.text.startswith("Yes: Qwen2.5-72B-Instruct fits on 4 × A100-80GB with a context of 16,384 tokens.\n")
    assert [estimate.verdict for estimate in answer.estimates] == [Verdict.FITS]
    assert answer.assumed["tp"] == 4


def test_a_bare_card_that_means_two_gets_both_answers() -> None:
    answer = answered(Intent.FIT, **QWEN, gpu="A100", count=4, context_tokens=16_384)
    assert [estimate.gpu for estimate in answer.estimates] == ["A100-80GB", "A100-40GB"]
    assert answer.text.startswith("It depends on which A100: ")


def test_a_model_without_a_card_gets_the_cards_that_hold_it() -> None:
    answer = answered(Intent.FIT, model_id="Qwen/Qwen3-8B", context_tokens=8192)
    assert " is the smallest choice that holds Qwen3-8B with a context of 8,192 tokens: " in answer.text
    weights = {estimate.verdict for estimate in answer.estimates}
    assert Verdict.DOES_NOT_FIT not in weights


def test_a_memory_alone_is_a_card() -> None:
    answer = answered(Intent.WHICH_MODEL, gpu_mem_gb=24, count=1)
    assert answer.sheet is not None
    assert answer.sheet.lead.startswith("Up to ")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_neither_model_nor_card_is_the_one_thing_asked_back(language: str) -> None:
    answer = answered(Intent.FIT, context_tokens=16_384, language=language)
    assert answer.sheet is not None
    assert answer.sheet.menus == (Menu.MODEL, Menu.GPU)
    assert "16,384 token" in answer.text


def test_the_default_model_is_used_and_said() -> None:
    settings = Settings(defaults=Defaults(model="Qwen/Qwen3-8B"))
    answer = answered(Intent.FIT, settings, gpu="L40S", count=1, context_tokens=8192)
    assert answer.assumed["model_id"] == "Qwen/Qwen3-8B"
    assert "model Qwen/Qwen3-8B" in answer.text


@pytest.mark.parametrize(
    ("model", "bytes_per_token", "formula"),
    [
        pytest.param("meta-llama/Llama-2-7b-hf", 524_288, "2 × 32 × 32 KV heads × 128 × 2 B = 524,288 bytes", id="MHA"),
        pytest.param("deepseek-ai/DeepSeek-V3", 70_272, "61 × 576 × 2 B = 70,272 bytes", id="MLA"),
        pytest.param("openai/gpt-oss-20b", 49_152, "but only for the last 128 tokens", id="sliding window"),
    ],
)
def test_the_formula_has_the_models_own_numbers(model: str, bytes_per_token: int, formula: str) -> None:
    answer = answered(Intent.KV_PER_TOKEN, model_id=model)
    assert answer.estimates[0].kv_bytes_per_token == bytes_per_token
    assert formula in answer.text


def test_an_fp8_cache_takes_half_of_it() -> None:
    answer = answered(
        Intent.KV_PER_TOKEN, model_id="meta-llama/Llama-3.3-70B-Instruct", kv_dtype="fp8", context_tokens=1024
    )
    assert "163,840 bytes" in answer.text
    assert "1,024 tokens: 160 MiB" in answer.text


def test_kv_per_token_of_no_model_is_a_table() -> None:
    answer = answered(Intent.KV_PER_TOKEN)
    assert answer.sheet is not None
    assert answer.sheet.table is not None
    assert len(answer.sheet.table.rows) == len(answer.estimates) > 10


def test_how_many_is_answered_for_every_quantisation() -> None:
    answer = answered(Intent.HOW_MANY_GPUS, model_id="zai-org/GLM-4.5-Air", gpu="RTX 4090", language="zh")
    assert answer.sheet is not None
    assert answer.sheet.table is not None
    assert len(answer.sheet.table.rows) >= 3
    counts = [estimate.count for estimate in answer.estimates]
    assert counts == sorted(counts, key=lambda count: -(count or 0))


def test_what_no_number_of_cards_holds_is_said() -> None:
    answer = answered(Intent.HOW_MANY_GPUS, **QWEN, gpu="T4", concurrency=100_000, context_tokens=32_768)
    assert answer.text.startswith("Even 64 × T4 do not hold Qwen2.5-72B-Instruct")


def test_what_no_card_holds_is_said() -> None:
    answer = answered(Intent.WHICH_GPU, **QWEN, concurrency=100_000, context_tokens=32_768)
    assert answer.text.startswith("None of the common cards, up to 8 in one server, holds Qwen2.5-72B-Instruct")


def test_a_recommendation_is_a_layout_with_its_command() -> None:
    answer = answered(Intent.RECOMMEND, model_id="Qwen/Qwen3-32B", gpu="L40S", count=4, context_tokens=8192)
    assert answer.text.startswith("Start Qwen3-32B on 4 × L40S with ")
    assert "vllm serve Qwen/Qwen3-32B" in answer.text


def test_a_recommendation_for_what_does_not_fit_says_so() -> None:
    answer = answered(Intent.RECOMMEND, **QWEN, gpu="T4", count=1, context_tokens=8192)
    assert answer.text.startswith("No: Qwen2.5-72B-Instruct does not fit on 1 × T4: the weights alone take ")


def test_a_pasted_command_is_checked_option_by_option_and_for_its_memory() -> None:
    command = "vllm serve Qwen/Qwen3-8B --max-model-len 8192 --preemption-mode swap"
    answer = reply(f"will this start on one L40S?\n{command}")
    assert answer.understood.intent is Intent.CHECK_COMMAND
    assert answer.text.startswith("No: vLLM 0.32 does not accept --preemption-mode.")
    assert "Apart from that: Yes: Qwen3-8B fits on 1 × L40S" in answer.text


def test_a_right_command_gets_the_verdict_and_without_a_card_the_cards() -> None:
    said: dict[str, Any] = {"model_id": "Qwen/Qwen3-8B", "context_tokens": 8192}
    assert answered(Intent.CHECK_COMMAND, **said, gpu="L40S", count=1).text.startswith("Yes: Qwen3-8B fits on 1 × L40S")
    assert " is the smallest choice that holds Qwen3-8B " in answered(Intent.CHECK_COMMAND, **said).text


def test_a_command_whose_values_cannot_be_is_told_so() -> None:
    problem = Refusal("bad-number", "`tp` cannot be `0`.", "Use a whole number from 1 up.", field="tp")
    answer = answered(Intent.CHECK_COMMAND, model_id="Qwen/Qwen3-8B", gpu="L4", count=1, problems=(problem,))
    assert answer.text.startswith("No: vLLM 0.32 does not accept tp.")
    refused = answered(Intent.CHECK_COMMAND, model_id="Qwen/Qwen3-8B", gpu="X999", count=1)
    assert refused.refusal is not None


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("reason", list(Decline))
def test_what_is_not_for_us_gets_one_kind_line_without_figures(reason: Decline, language: str) -> None:
    answer = answered(Intent.DECLINE, decline=reason, language=language)
    assert len(answer.text.splitlines()) == 1
    assert answer.estimates == ()
    assert "GiB" not in answer.text


@pytest.mark.parametrize("language", ["en", "zh"])
def test_something_to_do_that_is_not_known_gets_three_examples(language: str) -> None:
    answer = answered(Intent.COMMAND, language=language)
    assert (answer.entries, answer.command) == ((), None)
    assert answer.sheet is not None
    assert len(answer.sheet.points) == 3


@pytest.mark.parametrize("language", ["en", "zh"])
def test_help_has_three_examples_and_the_versions(language: str) -> None:
    answer = answered(Intent.HELP, language=language)
    assert answer.sheet is not None
    assert len(answer.sheet.points) == 3
    assert "0.32" in answer.text


def test_how_fast_is_for_a_measurement_to_tell() -> None:
    answer = answered(
        Intent.FIT,
        model_id="Qwen/Qwen3-8B",
        gpu="L4",
        count=1,
        context_tokens=8192,
        concurrency=4,
        asides=(Aside.SPEED, Aside.COST),
    )
    assert "only a measurement" in answer.text
    assert (
        "vllm bench serve --model Qwen/Qwen3-8B --dataset-name random --random-input-len 7936 --random-output-len 256 --num-prompts 200 --max-concurrency 4"
        in answer.text
    )
    assert answer.text.count("vllm bench serve") == 1


def test_nothing_but_cost_is_the_whole_answer() -> None:
    answer = answered(Intent.KNOWLEDGE, model_id="Qwen/Qwen3-8B", asides=(Aside.COST,))
    assert answer.text.startswith("What it costs depends on the throughput")
    assert answer.text.endswith(
        "vllm bench serve --model Qwen/Qwen3-8B --dataset-name random --random-input-len 1024 --random-output-len 256 --num-prompts 200"
    )


def test_a_secret_comes_before_everything_and_another_language_is_explained() -> None:
    answer = answered(Intent.KNOWLEDGE, asides=(Aside.SECRET, Aside.OTHER_LANGUAGE))
    assert answer.text.startswith("There is a secret in your message: revoke it")
    assert "I answer in English and Chinese only" in answer.text


def test_what_cannot_be_is_a_kind_sentence_in_the_askers_language() -> None:
    answer = answered(Intent.FIT, model_id="nobody/nothing-7x", gpu="L4", count=1, language="zh")
    assert answer.refusal is not None
    assert answer.text.startswith("没有找到模型 `nobody/nothing-7x`")
    problem = Refusal("bad-count", "`0` is not a number of GPUs.", "Use a whole number from 1 to 4096.")
    assert (
        answered(Intent.FIT, problems=(problem,)).text
        == "`0` is not a number of GPUs. Use a whole number from 1 to 4096."
    )


def test_several_questions_are_parts_of_one_message() -> None:
    first, second = asked(Intent.FIT, model_id="Qwen/Qwen3-8B", gpu="L4", count=1), asked(Intent.HELP)
    answer = conversation.answer_understood(asked(Intent.FIT, parts=(first, second)), SETTINGS)
    assert len(answer.parts) == 2
    assert answer.parts[0].text in answer.text
    assert answer.parts[1].text in answer.text
    assert {"type": "divider"} in answer.blocks


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    with caplog.at_level(logging.ERROR):
        yield caplog


def test_a_bug_is_logged_and_has_a_reference_and_other_parts_are_answered(log: pytest.LogCaptureFixture) -> None:
    broken = asked(Intent.FIT)
    object.__setattr__(broken, "fields", None)
    answer = conversation.answer_understood(asked(Intent.FIT, parts=(broken, asked(Intent.HELP))), SETTINGS)
    bad, good = answer.parts
    assert bad.bug is not None
    assert bad.bug in bad.text
    assert good.bug is None
    assert bad.bug in log.text


def test_a_bug_in_understanding_is_an_answer_too(log: pytest.LogCaptureFixture) -> None:
    broken = asked(Intent.FIT)
    object.__setattr__(broken, "fields", None)
    answer = reply("and with fp8 kv?", earlier=broken, language="zh")
    assert answer.bug is not None
    assert answer.text.startswith("我这边出错了，编号 ")
    assert log.records


def test_a_menus_choice_asks_the_question_again() -> None:
    earlier = asked(Intent.WHICH_MODEL, gpu="A100", count=4, context_tokens=16_384)
    answer = pick(earlier, SETTINGS, model="Qwen/Qwen3-32B", gpu="A100-80GB")
    assert answer.understood.intent is Intent.FIT
    assert answer.text.startswith("Yes: Qwen3-32B fits on 4 × A100-80GB with a context of 16,384 tokens.")
    assert pick(answer.understood, SETTINGS, gpu="T4").understood.fields.model_id == "Qwen/Qwen3-32B"


def test_small_talk_does_not_make_a_thread_forget() -> None:
    question = answered(Intent.FIT, **QWEN, **FOUR_A100)
    thanks = answered(Intent.DECLINE, decline=Decline.THANKS)
    assert context_after(thanks, question.understood) is question.understood
    assert context_after(thanks, None) is thanks.understood
    assert context_after(question, thanks.understood) is question.understood


def test_a_thread_changes_one_thing_of_its_question() -> None:
    first = reply("qwen2.5 72b on 4 A100 80G, 16k")
    second = reply("and with fp8 kv?", earlier=first.understood)
    assert second.understood.fields.kv_dtype == "fp8"
    assert second.understood.fields.context_tokens == 16_384
    third = reply("那 8 张呢？", earlier=second.understood)
    assert third.understood.fields.count == 8
    assert third.text.startswith("放得下：8 张 A100-80GB")


def test_forty_thousand_characters_and_control_characters_are_read_and_not_repeated() -> None:
    answer = reply("qwen3 8b on an L4? \x00\x1b[31m\ud800" + "x" * 60_000)
    assert answer.bug is None
    assert answer.text.isprintable() or "\n" in answer.text
    assert "\x1b" not in answer.text


def test_the_language_is_the_settings_when_they_have_one() -> None:
    settings = Settings(defaults=Defaults(language="zh"))
    assert reply("hi", settings=settings).understood.language == "zh"
    assert reply("hi", settings=settings, language="en").understood.language == "en"


def test_a_folder_is_a_model(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{", encoding="utf-8")
    answer = answered(Intent.FIT, model_id=str(tmp_path), gpu="L4", count=1)
    assert answer.refusal is not None
    assert answer.refusal.code == "not-json"


@pytest.mark.parametrize(
    ("language", "lead"),
    [
        ("en", "No common model fits on 1 × RTX 3050 2GB"),
        ("zh", "单张 RTX 3050 2GB 在 8,192 token 上下文下跑不了任何一个常用模型。"),
    ],
)
def test_a_card_on_which_no_common_model_fits_is_told_so(language: str, lead: str) -> None:
    answer = answered(Intent.WHICH_MODEL, gpu="RTX 3050", gpu_mem_gb=2, count=1, language=language)
    assert answer.text.startswith(lead)
    assert answer.sheet is not None
    assert answer.sheet.command is None


def test_a_question_of_fit_for_no_model_counts_those_that_do() -> None:
    answer = answered(Intent.FIT, gpu="L40S", count=8, context_tokens=8192)
    assert answer.text.startswith("It depends on the model: ")
    assert " on 8 × L40S with a context of 8,192 tokens." in answer.text
    small = answered(Intent.FIT, gpu="B200", count=8, context_tokens=8192)
    assert small.text.startswith("Yes, for all ")


def test_a_layout_that_no_model_can_have_is_refused_rather_than_tabulated() -> None:
    answer = answered(Intent.FIT, gpu="A100", count=4, tp=3, context_tokens=8192)
    assert answer.refusal is not None
    assert answer.bug is None


def test_a_model_that_the_layout_does_not_divide_leaves_its_row_empty() -> None:
    answer = answered(Intent.FIT, gpu="A100", count=16, tp=16, context_tokens=8192)
    assert answer.sheet is not None
    assert answer.sheet.table is not None
    assert any("–" in row for row in answer.sheet.table.rows)
