"""A tuning question is answered from its entry: short answer first, what to do with the version, how to check, where from."""

from pathlib import Path

import pytest

from bot.answers.entries import bench_command
from bot.blocks import limits
from bot.blocks.message import text_length
from bot.conversation import answer_understood, reply
from bot.settings import Defaults, Knowledge, Language, Settings
from bot.understand.understood import Aside, Fields, Intent, Understood
from knowledge.entries.loading import every, find
from tests.knowledge.search.test_ranking import ENTRY

OTHER = Path(__file__).parents[2] / "data" / "questions" / "other.txt"


def asked(text: str, language: Language = "en", settings: Settings | None = None, **known: str) -> Understood:
    return Understood(text=text, language=language, intent=Intent.KNOWLEDGE, fields=Fields(**known))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "language", "parts"),
    [
        pytest.param("is a larger --max-num-seqs always faster?", "en", ("What to do", "Check:", "Why:", "Sources:", "For vLLM 0.32; name"), id="English"),
        pytest.param("tp=4 反而比单卡慢", "zh", ("怎么做", "验证：", "原因：", "来源：", "适用于 vLLM 0.32"), id="Chinese"),
    ],
)  # fmt: skip
def test_the_short_answer_comes_first_and_all_parts_follow(
    text: str, language: Language, parts: tuple[str, ...]
) -> None:
    answer = reply(text)
    assert answer.entries
    assert answer.text.startswith(find(answer.entries[0]).text(language).short)
    assert [part for part in parts if part not in answer.text] == []
    assert answer.assumed == {"vllm_version": "0.32"}


def test_a_measurement_is_one_command() -> None:
    answer = reply("is a larger --max-num-seqs always faster?")
    assert "vllm bench serve --model MODEL --dataset-name random --random-input-len 1024" in answer.text
    experiment = find("prefix-caching").experiment
    assert experiment is not None
    assert bench_command(experiment).endswith("--random-prefix-len 2048 --num-prompts 300 --request-rate 4")


@pytest.mark.parametrize(
    ("version", "told", "not_told"),
    [
        pytest.param("0.8.5", "this version has vllm:gpu_cache_usage_perc only", "vllm:inter_token_latency_seconds for", id="0.8.5"),
        pytest.param("0.32", "vllm:inter_token_latency_seconds for the gap", "this version has vllm:gpu_cache", id="0.32"),
    ],
)  # fmt: skip
def test_what_to_do_is_for_the_version_that_was_said(version: str, told: str, not_told: str) -> None:
    answer = answer_understood(asked("gpu_cache_usage_perc is blank", vllm_version=version), Settings())
    assert told in answer.text
    assert not_told not in answer.text
    assert f"For vLLM {version}." in answer.text
    assert answer.assumed == {}


def test_the_version_of_the_team_holds_where_none_is_said() -> None:
    settings = Settings(defaults=Defaults(vllm_version="0.8.5"))
    assert "For vLLM 0.8.5." in answer_understood(asked("gpu_cache_usage_perc is blank"), settings).text


def test_nothing_good_enough_says_so_and_names_the_nearest_two() -> None:
    answer = answer_understood(asked("flurbling zzyzx of the kv"), Settings())
    assert answer.entries == ()
    assert answer.sheet is not None
    assert len(answer.sheet.points) == 2
    assert "I would rather not guess" in answer.text


@pytest.mark.parametrize(("text", "language"), [("why so slow", "en"), ("显存", "zh")])
def test_a_vague_question_gets_a_menu(text: str, language: Language) -> None:
    answer = answer_understood(asked(text, language), Settings())
    assert answer.entries == ()
    assert answer.sheet is not None
    assert len(answer.sheet.points) >= 4


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_entry_fits_into_a_message(language: Language) -> None:
    for entry in every():
        answer = answer_understood(asked(entry.text(language).symptoms[0], language), Settings())
        assert 0 < len(answer.blocks) <= limits.BLOCKS
        assert sum(text_length(block) for block in answer.blocks) <= limits.ALL_TEXT


def test_an_entry_of_the_team_says_that_it_is_theirs(tmp_path: Path) -> None:
    (tmp_path / "our-gateway.toml").write_text(ENTRY, encoding="utf-8")
    settings = Settings(knowledge=Knowledge(folder=tmp_path))
    answer = answer_understood(asked("gateway zzyzx flurbling", vllm_version="0.32"), settings)
    assert answer.entries[0] == "our-gateway"
    assert "From your team's own entries: our-gateway." in answer.text
    assert "This is about vLLM 0.4 to 0.11, not about 0.32." in answer.text


def test_figures_keep_their_place_and_get_an_entry_beside_them() -> None:
    question = asked("why does qwen3 8b crash with kv cache out of memory at start, 16k context on 2x4090")
    fit = Understood(
        text=question.text,
        language="en",
        intent=Intent.FIT,
        fields=Fields(model_id="Qwen/Qwen3-8B", gpu="RTX 4090", count=2, context_tokens=16_384),
    )
    answer = answer_understood(fit, Settings())
    assert len(answer.estimates) == 1
    assert answer.entries
    assert "Also about this:" in answer.text


def test_plain_figures_have_no_entry() -> None:
    fields = Fields(model_id="Qwen/Qwen3-8B", gpu="RTX 4090", count=2, context_tokens=16_384)
    fit = Understood(text="qwen3 8b 16k on 2x4090", language="en", intent=Intent.FIT, fields=fields)
    assert answer_understood(fit, Settings()).entries == ()


def test_a_secret_beside_a_question_is_told_and_the_entry_kept() -> None:
    question = Understood(text="why is my queue long", language="en", intent=Intent.KNOWLEDGE, asides=(Aside.SECRET,))
    answer = answer_understood(question, Settings())
    assert answer.text.startswith("There is a secret in your message")
    assert answer.entries


@pytest.mark.parametrize("text", [line for line in OTHER.read_text(encoding="utf-8").splitlines() if line[0] != "#"])
def test_other_subjects_get_no_entry(text: str) -> None:
    assert reply(text).entries == ()


@pytest.mark.parametrize(
    ("text", "told"), [("qwen3 8b on a 4090, 16k?", True), ("vllm 0.10: qwen3 8b on a 4090, 16k?", False), ("kv per token of qwen3 8b", False)]
)  # fmt: skip
def test_figures_name_the_version_of_the_team_where_none_is_said(text: str, told: bool) -> None:
    answer = reply(text, settings=Settings(defaults=Defaults(vllm_version="0.8.5")))
    assert (answer.assumed.get("vllm_version") == "0.8.5") is told
    assert ("vLLM 0.8.5" in answer.text) is told
