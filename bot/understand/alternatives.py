"""One question about two things: `4x A100 or 2x H100?`, `qwen3-32b 还是 llama 70b`, told apart as two texts."""

from bot.understand import cards, model_names
from bot.understand.numbers import fold
from bot.understand.scan import CARD, MEMORY, MODEL, Scan, grammar

_JOINT = r"\s?,?\s?(?:\bor\b|\bvs\b\.?|\bversus\b|还是|或者?)\s?(?:on\s|in\s|an?\s|the\s|用)?"
_NUMBER = r"(?:\d{1,4}|single|one|a|an|单|双)"
_CARDS = (
    rf"(?:(?<![\w.]){_NUMBER}\s?(?:x|×|\*|张|块|卡)?\s?(?:的\s?)?)?(?:{MEMORY}+\s?(?:的\s?)?)?{CARD}+(?:\s?{MEMORY}+)?"
    r"(?:\s?[x×*]\s?\d{1,4}(?![\dk])|\s?\d{1,4}\s?(?:张|块|卡|gpus?\b|cards?\b))?"
)
_EITHER = (
    grammar(rf"(?P<a>{_CARDS})(?:{_JOINT}|\s?/\s?)(?P<b>{_CARDS})"),
    grammar(rf"(?P<a>{MODEL}+){_JOINT}(?P<b>{MODEL}+)"),
)
_OF_TWO = (
    grammar(rf"(?P<a>{_CARDS})\s?(?:跟|和|与)\s?(?P<b>{_CARDS})"),
    grammar(rf"(?P<a>{MODEL}+)\s?(?:跟|和|与)\s?(?P<b>{MODEL}+)"),
)
_WHICH = grammar(r"哪(?:个|张|种|款|一个|一张)|\bwhich (?:one|is|fits|of)\b|各(?:能|自|是)?")


def alternatives(own: str) -> tuple[str, str] | None:
    """The text with the first of two alternatives and with the second, None when it names none. `own` is narrowed."""
    scan = Scan.of(fold(own))
    _, marked = model_names.find(scan)
    marked = cards.marked(marked)
    patterns = (*_EITHER, *_OF_TWO) if _WHICH.search(scan.text) else _EITHER
    found = next((match for pattern in patterns if (match := pattern.search(marked.text))), None)
    if found is None:
        return None
    said = scan.said
    first = said[: found.end("a")] + said[found.end("b") :]
    return first, said[: found.start("a")] + said[found.start("b") :]
