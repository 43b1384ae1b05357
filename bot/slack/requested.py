"""Sentences that ask for a page of the knowledge base or for the quiz, as `/vllm kb` and `/vllm quiz` do."""

import re

from bot.sheet import Act

_END = " \t\n.!?。！？,，~"
_KB = r"(?:kb|knowledge base|entries|知识库|条目)"
_SENTENCES: tuple[tuple[Act, re.Pattern[str]], ...] = tuple(
    (act, re.compile(pattern, re.IGNORECASE))
    for act, pattern in (
        (
            Act.QUIZ,
            r"(?:(?:please |can you |let's |start |give me |play )*(?:a |the )?quiz(?: me| us| time)?(?: (?:on|about) vllm)?(?: please)?"
            r"|test (?:me|us|my knowledge)(?: (?:on|about) vllm)?"
            r"|(?:请|来|给我|开始|我要|出)*(?:个|一轮|一个|点)?(?:小?测验|问答题?|小测试|考题)吧?|(?:请|来)?(?:考考|考一考|考一下)我们?|(?:给我)?出(?:几道|一道|道|几个)?题(?:考考?我)?吧?)",
        ),
        (
            Act.GAPS,
            rf"(?:(?:show |list )?(?:me )?(?:the )?(?:{_KB} )?gaps(?: (?:in|of) the {_KB})?|what should (?:we|i) write next"
            rf"|{_KB}(?:还)?(?:缺|差|少)(?:了|点)?(?:什么|哪些)(?:内容)?|(?:下一步|接下来)(?:该|应该)?(?:写|补)(?:什么|哪些)(?:条目)?)",
        ),
        (
            Act.LIST,
            rf"(?:(?:list|show)(?: me)?(?: all)?(?: the)? {_KB}(?: entries)?|(?:列出|列一下|看看|看一下)?(?:所有|全部)?(?:的)?(?:知识库)?(?:有哪些)?(?:条目|知识库列表|条目列表)(?:有哪些)?)",
        ),
        (Act.OPEN, r"(?:(?:show|open)(?: me)?(?: the)? entry|(?:看|打开|显示)(?:一下)?条目)[\s:：]*(?P<value>[a-z0-9]+(?:-[a-z0-9]+)*)"),
        (Act.SEARCH, rf"(?:search (?:the )?{_KB} for|(?:在)?{_KB}里?(?:搜索|搜一下|搜|查一下|查))[\s:：]*(?P<value>\S.*)"),
    )
)  # fmt: skip
LONGEST = 200  # characters of such a sentence


def page_in(text: str) -> tuple[Act, str] | None:
    """The page that a sentence asks for, with its value; None where it is about something else. Only whole sentences count."""
    said = text.strip(_END)
    if not said or len(said) > LONGEST:
        return None
    for act, sentence in _SENTENCES:
        if found := sentence.fullmatch(said):
            return act, (found.groupdict().get("value") or "").strip()
    return None
