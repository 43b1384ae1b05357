"""Splitting pasted shell text into words as a shell would, without ever running any of it.

Made for text that went through chat: curly quotes, long dashes, hard spaces, lost or foreign line continuations. Linear in
the text's length, and a missing closing quote ends at the end of its line.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

_SMOOTH = str.maketrans("“”„‟‘’‚‛＂＇\u00a0\u3000\u200b\ufeff\u202f\u2060", "\"\"\"\"''''\"'" + " " * 6)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x80-\x9f]")
_ANSI = re.compile(r"\x1b\[[0-9;]{0,12}[A-Za-z]")
_DASHES = re.compile(r"^[-\u2010-\u2015\u2212\uff0d]+")
_LONG_DASH = re.compile(r"[\u2012-\u2015\u2212\uff0d]")
_TOKEN = re.compile(
    r"""(?P<continued>[\\^`][ \t]*\n[ \t]*)
      | (?P<newline>\n)
      | (?P<space>[ \t]+)
      | (?P<fence>```|`)
      | (?P<operator>&&|\|\||[;|&<>])
      | '(?P<single>[^'\n]*(?:\n[^'\n]*){0,40}?)'
      | "(?P<double>(?:[^"\\\n]|\\.|\\\n|\n){0,20000}?)"
      | \$\{(?P<braced>[A-Za-z_]\w*)(?::?[-=](?P<fallback>[^}\n]{0,200}))?\}
      | \$(?P<named>[A-Za-z_]\w*)
      | (?P<run>\$\([^)\n]{0,200}\))
      | \\(?P<escaped>.)
      | (?P<plain>[^\s\\'"$;|&<>`]+|.)""",
    re.VERBOSE,
)
_IN_DOUBLE = re.compile(r"\$\{([A-Za-z_]\w*)(?::?[-=]([^}]{0,200}))?\}|\$([A-Za-z_]\w*)")
_ASSIGNMENT = re.compile(
    r"""(?<![\w$/.-])(?:export\s+|set\s+|-e\s+|--env[= ])?([A-Za-z_]\w*)=("[^"\n]*"|'[^'\n]*'|[^\s;&|'"]*)"""
)


@dataclass(slots=True)
class Word:
    """One word at text[start:end]. `text` is what the program gets, `raw` what was typed.

    `unknown` means that a variable or a command in it has no value that is known here; `new_line` that it begins a line that
    was not continued; `operator` that it is not a word but a shell's `;`, `|`, `&&`, `>`, or a Markdown fence.
    """

    text: str
    start: int
    end: int
    raw: str = ""
    unknown: bool = False
    new_line: bool = False
    operator: bool = False


def smooth(text: str) -> str:
    """`text` with plain quotes and spaces and without control characters, each at its place."""
    text = _ANSI.sub(lambda found: " " * len(found.group()), text)
    return _CONTROL.sub(" ", text.translate(_SMOOTH))


def dashes(word: str) -> str:
    """An option with plain dashes: a long dash before a word of several letters was `--` before a chat joined it."""
    found = _DASHES.match(word)
    if found is None:
        return word
    rest = word[found.end() :]
    name = re.split(r"[=.]", rest, maxsplit=1)[0]
    if _LONG_DASH.search(found.group()) and len(name) > 1 and not rest[:1].isdigit():
        return f"--{rest}"
    return "-" * len(found.group()) + rest


def assignments(text: str) -> dict[str, str]:
    """Variables set in `text`, by `X=1`, `export X=1` or `-e X=1`; the last one counts."""
    return {name: value.strip("\"'") for name, value in _ASSIGNMENT.findall(text)}


def words(text: str, place: int = 0, variables: Mapping[str, str] | None = None) -> Iterator[Word]:
    """The words of smooth `text` from `place` on, comments left out; operators come as words of their own."""
    known = variables or {}
    word: Word | None = None
    fresh = False
    while place < len(text):
        if word is None and text[place] == "#" and not text.startswith("#{", place):
            place = _line_end(text, place)
            continue
        found = _TOKEN.match(text, place)
        assert found is not None  # the last alternative takes any one character
        place = found.end()
        kind = found.lastgroup
        if kind in {"newline", "space", "continued"}:
            if word is not None:
                yield _closed(word, text)
                word = None
            fresh = kind == "newline" or (fresh and kind == "space")
        elif kind in {"operator", "fence"}:
            if word is not None:
                yield _closed(word, text)
                word = None
            yield Word(found.group(), found.start(), found.end(), operator=True, new_line=fresh)
        else:
            word = word or Word("", found.start(), found.end(), new_line=fresh)
            fresh = False
            _add(word, found, known)
    if word is not None:
        yield _closed(word, text)


def _line_end(text: str, place: int) -> int:
    end = text.find("\n", place)
    return len(text) if end < 0 else end


def _closed(word: Word, text: str) -> Word:
    word.raw = text[word.start : word.end]
    return word


def _add(word: Word, found: re.Match[str], known: Mapping[str, str]) -> None:
    word.end = found.end()
    match found.lastgroup:
        case "double":
            word.text += _expanded(word, re.sub(r"\\\n", "", found["double"]), known)
        case "single" | "escaped" | "plain":
            word.text += found[found.lastgroup]
        case "braced" | "fallback":
            word.text += _value(word, found.group(), known.get(found["braced"], found["fallback"]))
        case "named":
            word.text += _value(word, found.group(), known.get(found["named"]))
        case _:
            word.text += _value(word, found.group(), None)


def _value(word: Word, written: str, value: str | None) -> str:
    if value is None:
        word.unknown = True
        return written
    return value


def _expanded(word: Word, inner: str, known: Mapping[str, str]) -> str:
    """The inside of double quotes: variables are replaced, `\\"` and `\\\\` lose their backslash."""
    filled = _IN_DOUBLE.sub(lambda found: _value(word, found.group(), known.get(found[1] or found[3], found[2])), inner)
    return re.sub(r'\\(["\\$`])', r"\1", filled)
