"""The quiz and the knowledge base are asked for in sentences too, in both languages; questions are left to be answered."""

import pytest

from bot.sheet import Act
from bot.slack.requested import page_in


@pytest.mark.parametrize(
    ("text", "page"),
    [
        ("quiz me", (Act.QUIZ, "")),
        ("Quiz!", (Act.QUIZ, "")),
        ("let's start a quiz about vllm please", (Act.QUIZ, "")),
        ("test my knowledge", (Act.QUIZ, "")),
        ("考考我", (Act.QUIZ, "")),
        ("来个小测验", (Act.QUIZ, "")),
        ("给我出几道题", (Act.QUIZ, "")),
        ("show me the kb gaps", (Act.GAPS, "")),
        ("What should we write next?", (Act.GAPS, "")),
        ("知识库还缺什么？", (Act.GAPS, "")),
        ("list all entries", (Act.LIST, "")),
        ("列出所有条目", (Act.LIST, "")),
        ("show entry prefix-caching", (Act.OPEN, "prefix-caching")),
        ("打开条目 queueing", (Act.OPEN, "queueing")),
        ("search the knowledge base for slow tp 4", (Act.SEARCH, "slow tp 4")),
        ("知识库里搜索 显存不足", (Act.SEARCH, "显存不足")),
        ("why is my queue so long?", None),
        ("how do I quiz a model on vllm", None),
        ("what is missing in my vllm serve command", None),
        ("显存还缺什么", None),
        ("测试一下 qwen3 8b", None),
        ("", None),
        ("quiz " * 100, None),
    ],
)
def test_a_whole_sentence_asks_for_a_page(text: str, page: tuple[Act, str] | None) -> None:
    assert page_in(text) == page
