"""The quiz: the three questions of old first, every question in both languages, every figure computed."""

import re

import pytest

from knowledge import quiz
from knowledge.entries.loading import find
from knowledge.entries.schema import Language
from knowledge.quiz import Both, FitFigures, Question, Shown


def shown(question_id: str, language: Language) -> Shown:
    question = quiz.named(question_id)
    assert question is not None
    return quiz.shown(question, language)


def test_every_quiz_begins_with_the_same_three() -> None:
    first = ["kv-per-token-7b", "waiting-rises", "prefix-caching-when"]
    assert [question.id for question in quiz.round_of(3)] == first
    assert [question.id for question in quiz.round_of(3, seed=7)] == first


def test_there_are_more_than_twenty_behind_them_and_each_has_its_own_id() -> None:
    ids = [question.id for question in quiz.questions()]
    assert len(ids) >= 23
    assert len(set(ids)) == len(ids)


def test_a_seed_shuffles_the_rest_and_loses_none() -> None:
    shuffled, again = quiz.round_of(seed=1), quiz.round_of(seed=1)
    assert shuffled == again
    assert shuffled != quiz.round_of()
    assert {question.id for question in shuffled} == {question.id for question in quiz.questions()}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_question_can_be_shown(language: Language) -> None:
    for question in quiz.questions():
        put = quiz.shown(question, language)
        assert put.ask
        assert put.answer
        assert not re.search(r"\{\w+\.\w+", put.ask + put.answer)
        assert bool(re.search(r"[\u4e00-\u9fff]", put.ask)) is (language == "zh")


@pytest.mark.parametrize(
    ("question", "said"),
    [
        # 2 (K and V) x layers x KV heads x head size x 2 bytes, from each model's config.json
        pytest.param("kv-per-token-7b", "524,288 bytes, 0.5 MiB", id="2 x 32 x 32 x 128 x 2"),
        pytest.param("gqa-saves", "131,072 bytes, a quarter of the 524,288", id="2 x 32 x 8 x 128 x 2"),
        pytest.param("kv-of-a-long-request", "10 GiB over all GPUs (327,680 bytes", id="2 x 80 x 8 x 128 x 2, x 32,768"),
        # 61 layers of a latent of 512 and 64 rotary numbers, 2 bytes each
        pytest.param("mla-is-small", "516,096 bytes against 70,272", id="61 x (512 + 64) x 2"),
        pytest.param("more-tp-than-kv-heads", "18,432 bytes per GPU at 2, 18,432 at 4", id="2 x 36 x 1 x 128 x 2"),
    ],
)  # fmt: skip
def test_figures_are_what_the_arithmetic_says(question: str, said: str) -> None:
    assert said in shown(question, "en").answer


def test_a_question_without_an_answer_is_answered_by_its_entry() -> None:
    put = shown("waiting-rises", "en")
    assert put.answer == find("queueing").en.short
    assert put.title == find("queueing").en.title


def test_an_entry_gives_a_question_for_its_log_line_its_metrics_and_its_experiment() -> None:
    assert "“" in shown("preemption:log", "en").ask
    assert "num_requests_waiting keeps rising" in shown("queueing:metric-num_requests_waiting", "en").ask
    experiment = find("prefix-caching").experiment
    assert experiment is not None
    assert shown("prefix-caching:experiment", "zh").answer == experiment.zh


def test_a_launch_that_holds_nothing_has_no_tokens() -> None:
    figures = FitFigures(of="fit", model="Qwen/Qwen2.5-32B-Instruct", gpu="RTX 4090")
    asked = Both(en="{it.tokens} tokens", zh="{it.tokens} token")
    question = Question(id="x", entry="weights-oom", ask=asked, figures={"it": figures})
    assert quiz.shown(question, "en").ask == "0 tokens"


def test_two_digits_of_an_estimate_are_shown() -> None:
    said = shown("twice-the-gpus", "en").answer
    assert all(re.fullmatch(r"\d{1,2}0+", figure.replace(",", "")) for figure in re.findall(r"[\d,]{6,}\d", said))


def test_a_question_that_is_gone_is_none() -> None:
    assert quiz.named("nowhere") is None
