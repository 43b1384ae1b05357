"""A message's text made plain: Slack's markup undone, control characters gone, full-width characters narrow."""

import re
import unicodedata

_CONTROL = {code: None for code in range(0x20) if chr(code) not in "\t\n"}
_CONTROL |= dict.fromkeys(
    [
        *range(0x7F, 0xA0),
        *range(0x200B, 0x2010),
        *range(0x202A, 0x202F),
        *range(0x2060, 0x2065),
        0xFEFF,
        *range(0xD800, 0xE000),
    ]
)
_MENTION = re.compile(r"<[@!](?:subteam\^)?[^<>\s|]{1,80}(?:\|[^<>]{0,200})?>")
_CHANNEL = re.compile(r"<#C\w{2,20}\|?([^<>]{0,80})>")
_LINK = re.compile(r"<((?:https?|mailto|tel):[^<>|\s]{1,2000})(?:\|([^<>]{0,2000}))?>")
_FENCE = re.compile(r"`{1,3}")
_EMOJI = re.compile(r"(?<!\w):[a-z][a-z0-9_+'-]{1,40}:(?!\w)")
_DASHES = re.compile(r"(?<![^\s(])[—–](?=[A-Za-z])")
_SPACES = re.compile(r"[ \t]{2,}|\t")
_WORD = re.compile(r"(?<![\w./-])[a-z]{4,10}(?![\w./-])")
_OFTEN = [
    "many",
    "much",
    "with",
    "which",
    "what",
    "will",
    "long",
    "length",
    "tokens",
    "token",
    "context",
    "users",
    "cards",
    "maximum",
    "concurrent",
    "requests",
    "memory",
]
_KNOWN = {(word[0], "".join(sorted(word))): word for word in _OFTEN}
_MULTIPLY = str.maketrans("✕✖╳∗", "××××")


def plain(text: str) -> str:
    """What the person sees: mentions and emoji codes gone, links as their label, entities decoded, no control characters."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").translate(_CONTROL)
    text = _MENTION.sub(" ", text)
    text = _CHANNEL.sub(r"#\1", text)
    text = _LINK.sub(lambda link: link[2] or link[1], text)
    text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    return _EMOJI.sub(" ", text).strip()


def narrow(text: str) -> str:
    """`text` for matching: NFKC (４×Ａ１００ is 4×A100), code marks gone, `—flag` written `--flag` again as it was typed.

    Letters of common words that changed places (how mnay) go back to theirs.
    """
    text = unicodedata.normalize("NFKC", text).translate(_MULTIPLY)
    text = _WORD.sub(lambda word: _KNOWN.get((word[0][0], "".join(sorted(word[0]))), word[0]), text)
    return _SPACES.sub(" ", _DASHES.sub("--", _FENCE.sub(" ", text)))


def lower(text: str) -> str:
    """Lower case of the same length, so that places in one are places in the other."""
    small = text.lower()
    if len(small) == len(text):
        return small
    return "".join(char.lower() if len(char.lower()) == 1 else char for char in text)
