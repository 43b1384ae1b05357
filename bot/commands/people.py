"""Whose jobs are meant, and whom to tell."""

from bot.understand.scan import grammar

_JOB = r"(?:jobs?|runs?|bench(?:mark)?(?:s|ing)?|tests?|work|stuff|ones?|任务|压测|job|bench|测试|活儿?|运行|队列)"
_ALL = grammar(
    r"\b(?:all|every|everyone'?s?|everybody'?s?|everything|anyone'?s)\b(?! (?:day|morning|hour|week))(?!.{0,12}\bmy\b)|\b(?:the )?(?:whole|entire) queue\b|大家|所有|全部|每个人|整个队列|全(?:都|给)"
)
_MINE = grammar(
    rf"\b(?:my|mine|i'?ve|our own)\b|\b(?:i|me)\b(?! (?:the|all))|我(?:的|那|这|刚|提交|跑|排|在|有|还|现在|前面)|我\s?{_JOB}"
)
_CERTAINLY_MINE = grammar(r"\bmy (?!colleague|team|boss|friend|manager)|\bmine\b|我(?:的|刚|提交|上|那|这|自己)")
_THEIRS = grammar(
    rf"(?:@\s?(?P<at>[a-z][\w.-]{{1,30}})|(?<![a-z])(?P<owner>[a-z][a-z.-]{{1,20}}?)(?:['’]s?|s))\s(?:\w+\s)?{_JOB}\b|(?P<zh>[\u4e00-\u9fff]{{1,3}}|[a-z][\w.-]{{1,20}})\s?的\s?(?:\w+\s?)?{_JOB}"
)
_BY = grammar(r"\b(?:by|from|of|belonging to|owned by)\s@?(?P<owner>[a-z][a-z.-]{1,20})\b")
_NOBODY = frozenset(
    [
        "it",
        "it'",
        "that",
        "this",
        "these",
        "those",
        "there",
        "here",
        "what",
        "who",
        "how",
        "where",
        "whose",
        "let",
        "the",
        "last",
        "previous",
        "today",
        "yesterday",
        "tonight",
        "week",
        "night",
        "all",
        "alway",
        "thi",
        "it'",
        "today'",
        "everyone",
        "everybody",
        "queue",
        "job",
        "run",
        "bench",
        "is",
        "has",
        "was",
        "does",
        "all",
    ]
) | frozenset(
    [
        "我",
        "你",
        "他",
        "她",
        "它",
        "自己",
        "现在",
        "上次",
        "昨天",
        "今天",
        "刚才",
        "之前",
        "那个",
        "这个",
        "队列里",
        "里",
        "所有",
        "全部",
        "大家",
        "所有人",
        "排队",
        "在跑",
        "正在跑",
        "运行中",
        "跑",
        "h100",
        "a100",
        "最近",
        "上面",
        "上一次",
        "后面",
        "前面",
        "还在跑",
        "卡住",
        "当前",
        "我们",
    ]
)
_VERBS = grammar(
    r"取消掉?|停掉|停止|停一?下|终止|中止|撤销|撤掉|杀掉|干掉|看看|看一?下|查一?下|列出|帮(?:我|忙)|麻烦|把|给"
)
_DONE = r"(?:done|finish\w*|complet\w*|ends?|over|ready|results?|fails?)"
_TELL = r"(?:ping|notify|tell|dm|message|tag|mention|alert|let|@|slack|poke)"
_NOTIFY = (
    grammar(
        rf"\b{_TELL}\s?@?(?P<whom>me|us|the channel|this channel|channel|[a-z][\w.-]+)\b(?: know)?.{{0,24}}?\b(?:when|once|as soon as|after|if|at the end|with the results?)\b"
    ),
    grammar(
        rf"\b(?:when|once|as soon as|after)\b.{{0,24}}?\b{_DONE}\b.{{0,12}}?\b{_TELL}\s?@?(?P<whom>me|us|the channel|this channel|[a-z][\w.-]+)"
    ),
    grammar(
        r"(?:完|好|结束|完成|出结果|搞定)(?:事|了|后|之后|以后|的时候|时)?[,，]?\s?(?:再|记得|请|就)?(?:通知|告诉|提醒|艾特|@|叫|喊|ping|告知|call)\s?(?:一下|下)?\s?(?P<whom>我们?|大家|[\u4e00-\u9fff]{2,3}|[a-z][\w.-]+)"
    ),
    grammar(r"\b(?:ping|notify|@)\s?(?P<whom>me)\b(?!.{0,12}\bif\b)"),
    grammar(r"(?:通知|艾特|@|提醒|告诉)(?:一下|下)?\s?(?P<whom>我)(?!们?(?:看|说|要|怎么))"),
)
_AT = (
    grammar(rf"\b{_TELL}\s?@(?P<whom>[a-z][\w.-]+)"),
    grammar(
        rf"\b(?:then|and)\s{_TELL}\s@?(?P<whom>me|us|the channel|this channel)\b(?!.{{0,12}}\b(?:if|what|how|the (?!results?|numbers|outcome))\b)"
    ),
)
_SENDER = frozenset(["me", "us", "我", "我们"])
_CHANNEL = frozenset(["the channel", "this channel", "channel", "大家"])


def owner(text: str) -> str | None:
    """`sender`, `all`, a person's name as it was said, or None."""
    if _ALL.search(text):
        return "all"
    if _CERTAINLY_MINE.search(text):
        return "sender"
    bare = _VERBS.sub(" ", text)
    for pattern in (_THEIRS, _BY):
        for found in pattern.finditer(bare):
            name = next(group for group in found.groups() if group)
            if name not in _NOBODY:
                return name
    return "sender" if _MINE.search(text) else None


def notified(text: str) -> str | None:
    """Who is to be told at the end: `sender`, `this` for the channel, a person's name, or None."""
    for pattern in (*_NOTIFY, *_AT):
        if found := pattern.search(text):
            whom = found["whom"]
            return "sender" if whom in _SENDER else "this" if whom in _CHANNEL else whom
    return None
