"""Pages behind buttons and `/vllm kb`: every one in both languages is something that Slack takes."""

from pathlib import Path

import pytest

from bot.answers.answer import Answer
from bot.answers.pages import page
from bot.answers.quizzing import MOST, Standing, begin, step
from bot.playground.server.blocks.payload import validate_blocks
from bot.settings import Knowledge, Language, Settings, Store
from bot.sheet import Act, Button
from bot.store.questions import Question
from bot.store.store import open_store
from knowledge.entries.loading import every, find, ids
from knowledge.quiz import questions
from tests.knowledge.search.test_ranking import ENTRY

LANGUAGES: list[Language] = ["en", "zh"]


def opened(act: Act, value: str = "", language: Language = "en", settings: Settings | None = None) -> Answer:
    answer = page(act, value, language, settings or Settings())
    assert validate_blocks(list(answer.blocks)) == []
    return answer


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("act", [Act.OPEN, Act.CHOOSE, Act.MEASURE])
def test_every_entry_can_be_shown(act: Act, language: Language) -> None:
    for entry in every():
        answer = opened(act, entry.id, language)
        assert answer.refusal is None
        assert answer.entries == ((entry.id,) if act is not Act.MEASURE else ())


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_question_of_the_quiz_can_be_asked_and_answered(language: Language) -> None:
    for question in questions():
        standing = Standing(language=language, seed=1, count=10, place=4, question=question.id, missed=("queueing",))
        answer = opened(Act.REVEAL, standing.model_dump_json(), language)
        assert answer.sheet is not None
        assert [button.act for button in answer.sheet.buttons] == [Act.KNEW, Act.MISSED]


def pressed(buttons: tuple[Button, ...], act: Act) -> Button:
    (button,) = (button for button in buttons if button.act is act)
    return button


def test_a_round_counts_what_was_known_and_ends_with_what_to_read() -> None:
    sheet = begin("en", seed=3, count=3)
    for act in (Act.KNEW, Act.MISSED, Act.KNEW):
        revealed = step(Act.REVEAL, pressed(sheet.buttons, Act.REVEAL).value, "en")
        sheet = step(act, pressed(revealed.buttons, act).value, "en")
    assert sheet.lead == "2 of 3 known."
    assert sheet.points == (find("queueing").en.title,)
    assert pressed(sheet.buttons, Act.QUIZ).value == "4"


def test_a_round_without_a_slip_has_nothing_to_read() -> None:
    sheet = begin("zh", seed=3, count=1)
    sheet = step(Act.KNEW, pressed(sheet.buttons, Act.REVEAL).value, "en")
    assert sheet.lead == "1 题对了 1 题。全对！"
    assert sheet.points == ()


def test_a_round_has_no_more_questions_than_are_worth_it() -> None:
    assert f"of {MOST}" in (begin("en", seed=1, count=10_000).assumed or "")


@pytest.mark.parametrize("value", ["", "{}", '{"language":"en","seed":1,"count":3,"place":0,"question":"gone"}'])
def test_a_question_that_is_no_longer_asked_is_told(value: str) -> None:
    assert "no longer asked" in opened(Act.KNEW, value).text


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_list_names_every_entry(language: Language) -> None:
    text = opened(Act.LIST, language=language).text
    assert [each for each in ids() if f"{each}: " not in text] == []


def test_the_teams_entries_are_listed_found_and_shown_as_theirs(tmp_path: Path) -> None:
    (tmp_path / "our-gateway.toml").write_text(ENTRY, encoding="utf-8")
    settings = Settings(knowledge=Knowledge(folder=tmp_path))
    assert "1. our-gateway: " in opened(Act.LIST, settings=settings).text
    assert "our-gateway" in opened(Act.SEARCH, "gateway zzyzx flurbling", settings=settings).text
    assert "your team's own entries" in opened(Act.OPEN, "our-gateway", settings=settings).text


def test_a_search_offers_what_it_found_behind_buttons() -> None:
    answer = opened(Act.SEARCH, "what does --max-num-seqs do")
    assert answer.sheet is not None
    assert answer.sheet.buttons[0].value == "max-num-seqs"
    assert "I would rather not guess" in opened(Act.SEARCH, "flurbling zzyzx of the kv").text


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_entry_that_is_gone_is_a_kind_sentence(language: Language) -> None:
    answer = opened(Act.OPEN, "max-num-seq", language)
    assert answer.refusal is not None
    assert "max-num-seqs" in answer.text


@pytest.mark.parametrize(
    ("language", "says"),
    [
        ("en", "(1 ×, 1 not helpful; nearest: max-num-seqs; Something in it is wrong)"),
        ("zh", "（1 次，1 人觉得没帮助；最接近：max-num-seqs；内容有错）"),
    ],
)
def test_gaps_have_counts_and_reasons(tmp_path: Path, language: Language, says: str) -> None:
    settings = Settings(store=Store(path=tmp_path / "store.sqlite"))
    with open_store(settings.store.path, lambda: 1.0) as store:
        for key, text in (("a", "vllm flurbling zzyzx?"), ("b", "is a larger --max-num-seqs always faster in vllm?")):
            store.questions.add(Question(key=key, channel="C", ts=key, thread="", user="U", text=text))
            store.questions.answered(key, "{}", "en")
        store.feedback.rate("b", "U", "not-helpful")
        assert store.feedback.explain("b", "U", "wrong")
        assert not store.feedback.explain("a", "U", "wrong")
    answer = opened(Act.GAPS, language=language, settings=settings)
    assert says in answer.text
    assert "flurbling" in answer.text


def test_without_a_store_there_is_nothing_to_list(tmp_path: Path) -> None:
    assert "There is no store" in opened(Act.GAPS, settings=Settings(store=Store(path=tmp_path / "none"))).text
