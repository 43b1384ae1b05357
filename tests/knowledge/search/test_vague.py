"""A question that could be about several subjects is offered them; one that says more is not."""

import pytest

from knowledge.entries.loading import ids
from knowledge.search.vague import may_mean


@pytest.mark.parametrize(
    "text", ["why so slow", "显存", "为什么这么慢", "oom", "help, vllm error", "qwen3 报错", "服务挂了"]
)
def test_hardly_a_word_is_vague(text: str) -> None:
    offered = may_mean(text)
    assert 2 <= len(offered) <= 6
    assert set(offered) <= set(ids())


@pytest.mark.parametrize(
    "text",
    [
        "tp=4 反而比单卡慢",
        "first token slow",
        "after 2 days it OOMs",
        "whisper is slow",
        "max-num-seqs slow",
        "一次传多张图报错",
        "高峰期第一个字半天不出来",
        "why is it so slow when I do all of this on a machine that somebody else has set up",
        "hi",
        "",
    ],
)
def test_what_says_more_is_not(text: str) -> None:
    assert may_mean(text) == ()
