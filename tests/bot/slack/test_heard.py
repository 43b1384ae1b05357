"""What the writer of a Slack message sees is what is understood."""

import pytest

from bot.slack.heard import mentions, plain


@pytest.mark.parametrize(
    ("sent", "seen"),
    [
        ("<@UBOT> will it fit?", "will it fit?"),
        ("<@UBOT|tuning-bot> will it fit?", "will it fit?"),
        ("see <https://example.com/a?b=1&amp;c=2>", "see https://example.com/a?b=1&c=2"),
        ("on <http://qwen.ai|qwen.ai>", "on qwen.ai"),
        ("mail <mailto:a@b.c|a@b.c>", "mail a@b.c"),
        ("in <#C012AB|general> and <#C012AB>", "in #general and"),
        ("<!channel> <!here|here> <!everyone> fits?", "fits?"),
        ("<!subteam^S1|@ops> at <!date^1^{date}|noon>", "@ops at noon"),
        ("a &lt; b &amp;&amp; c &gt; d", "a < b && c > d"),
        ("&amp;lt;", "&lt;"),
        ("2 < 3 > 1 <b>", "2 < 3 > 1 <b>"),
        ("", ""),
    ],
    ids=[
        "mention", "named mention", "link", "labelled link", "mail", "channels", "broadcasts", "other tokens",
        "entities", "an entity typed", "angle brackets as they are", "nothing",
    ],
)  # fmt: skip
def test_markup_becomes_what_is_seen(sent: str, seen: str) -> None:
    assert plain(sent) == seen


def test_everybody_who_is_mentioned_is_known() -> None:
    assert mentions("<@U1> and <@W2|bob> but not <#C1> or @U3") == {"U1", "W2"}
