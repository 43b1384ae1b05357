"""How much of a question is an entry's own decides whether it is answered at all."""

import pytest

from knowledge.search import faint, nearest, plain, says_more
from knowledge.search.evidence import told


@pytest.mark.parametrize(
    ("text", "entry", "least"),
    [
        pytest.param("max num seqs too high, requests preempted", "max-num-seqs", 3.0, id="English words"),
        pytest.param("前缀缓存命中率", "prefix-caching", 2.0, id="Chinese pairs count a third"),
        pytest.param("sourdough recipe", "max-num-seqs", 0.0, id="nothing"),
    ],
)
def test_words_of_the_entry_are_counted(text: str, entry: str, least: float) -> None:
    assert told(text, entry).words >= least


def test_the_share_is_of_rare_words() -> None:
    assert told("preemption of the sourdough", "preemption").share < 0.6
    assert told("preemption", "preemption").share == 1.0
    assert told("how do i turn it off", "preemption").share == 1.0  # everyday words alone say nothing against it
    assert told("sourdough", "preemption").share == 0.0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("You are trying to access a gated repo", True, id="many words of one entry"),
        pytest.param("which capture sizes do i need", True, id="few words that say it"),
        pytest.param("zoom audio issues", False, id="a word in common"),
        pytest.param("where is the onboarding doc", False, id="nothing"),
    ],
)
def test_plainly_about_an_entry(text: str, expected: bool) -> None:
    assert plain(text, nearest(text)[0]) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("jwt token expired", True, id="English"),
        pytest.param("笔记本显卡温度高", True, id="Chinese"),
        pytest.param("requests are preempted all the time", False, id="known words"),
        pytest.param("think 标签没被拆出来", False, id="mixed"),
    ],
)
def test_faintly_about_an_entry(text: str, expected: bool) -> None:
    assert faint(text, nearest(text)[0]) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("引擎挂了怎么看原因", True, id="says which"),
        pytest.param("起不来", False, id="says nothing more"),
        pytest.param("out of memory", False, id="English is counted by its words"),
    ],
)
def test_a_short_chinese_question_may_say_more_than_its_synonyms(text: str, expected: bool) -> None:
    assert says_more(text, nearest(text)[0]) is expected
