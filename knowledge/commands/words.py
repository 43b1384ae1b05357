"""Reading a pasted command word by word: docker's own options, the model, and vLLM's options with their values."""

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from knowledge.commands.options import visible
from knowledge.commands.shell_words import Word, dashes
from knowledge.releases import flags
from knowledge.releases.flags import Flag

_IMAGE = re.compile(r"(?:^|/)vllm[\w.-]*(?::(?P<tag>[\w.-]+))?(?:@[\w:]+)?$", re.IGNORECASE)
_MODEL = re.compile(r"""[A-Za-z0-9_.~/$<{\\:@-]*[\d/\-_.$<{][^\u2e80-\uffef,;?!]*""")
_WIDE = re.compile(r"[\u2e80-\uffef]")
_SAID_BEHIND = re.compile(r"[,;?!]+$|(?<=[^.])\.$")
_NUMBER = re.compile(r"-?\d")
_PLAIN = re.compile(r"[A-Za-z']+[?.!,]?")
_LONGEST_JSON = 8_000
_TRUTH = re.compile(r"(?i)true|false")
_DOCKER_SWITCHES = frozenset(
    {"-d", "-i", "-t", "-it", "-ti", "--rm", "--init", "--privileged", "--detach", "-itd", "--tty", "--interactive"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """One option as it stands in the command: `flag` is None when no release has it, `key` the part behind a dot.

    `value` is the text behind it (None: nothing stood there, or it takes none), `values` all of them where it takes several.
    `unknown` means that the value is a variable, which nobody resolved.
    """

    typed: str
    flag: Flag | None
    key: str = ""
    value: str | None = None
    values: tuple[str, ...] = ()
    raw: str = ""
    unknown: bool = False
    negated: bool = False

    @property
    def name(self) -> str:
        """The option's full name, or what was typed."""
        return self.flag.name if self.flag else self.typed


@dataclass(slots=True)
class Reader:
    """The command's words as far as they were looked at, and what was read of it so far."""

    words: Iterator[Word]
    end: int = 0
    environment: dict[str, str] = field(default_factory=dict)
    image_tag: str | None = None
    gpus: int | None = None
    ahead: deque[Word] = field(default_factory=deque)
    over: bool = False

    def peek(self, further: int = 0) -> Word | None:
        """The next word of this command (or one `further` on): no operator, and no new line unless an option begins it."""
        while len(self.ahead) <= further and (word := next(self.words, None)) is not None:
            self.ahead.append(word)
        if self.over or len(self.ahead) <= further:
            return None
        word = self.ahead[further]
        goes_on = not word.new_line or dashes(word.text).startswith("-")
        return word if goes_on and not word.operator else None

    def take(self) -> Word:
        """The next word, which `peek` has shown."""
        word = self.ahead.popleft()
        self.end = word.end
        return word


def next_is_option(reader: Reader) -> bool:
    word = reader.peek()
    return word is not None and dashes(word.text).startswith("-")


def read_docker(reader: Reader) -> bool:
    """Reads docker's own options up to the image; False when the image is not vLLM's."""
    while word := reader.peek():
        reader.take()
        image = _IMAGE.search(word.text)
        if image and not word.text.startswith("-"):
            reader.image_tag = image["tag"]
            _entrypoint(reader)
            return True
        name, equals, value = dashes(word.text).partition("=")
        if not name.startswith("-"):
            return False
        if not equals and name not in _DOCKER_SWITCHES and (following := reader.peek()):
            value = following.text
            reader.take()
        _docker_option(reader, name, value)
    return False


def _docker_option(reader: Reader, name: str, value: str) -> None:
    if name in {"-e", "--env"}:
        reader.environment |= [value.partition("=")[::2]]
    elif name == "--gpus":
        reader.gpus = (
            int(value) if re.fullmatch(r"\d{1,3}", value) else visible(value.strip("\"'").removeprefix("device="))
        )


def _entrypoint(reader: Reader) -> None:
    """Skips a program that is named again behind the image."""
    while (word := reader.peek()) and re.fullmatch(r"vllm|serve|python[\d.]*|-m|vllm\.entrypoints[\w.]*", word.text):
        reader.take()


def read_model(reader: Reader) -> str | None:
    word = reader.peek()
    if word is None or dashes(word.text).startswith("-") or word.new_line:
        return None
    found = _MODEL.match(word.text)
    if found is None or not found.group().strip("."):
        return None
    reader.take()
    model = _SAID_BEHIND.sub("", found.group())
    reader.end = word.end if model == word.text else word.start + len(model)
    return model


def read_options(reader: Reader) -> Iterator[Written]:
    """The options in turn; stops at the first word that cannot belong to the command."""
    while next_is_option(reader):
        word = reader.take()
        typed, equals, value = dashes(word.text).partition("=")
        if not re.match(r"--?[A-Za-z]", typed):
            return
        flag, key = _meant(typed), typed.partition(".")[2]
        level = re.fullmatch(r"-O(\d)", typed)
        if level:
            flag, equals, value = flags.lookup("--optimization-level"), "=", level[1]
        values = (
            [Word(value, word.start, word.end, raw=word.raw.partition("=")[2], unknown=word.unknown)] if equals else []
        )
        if not equals:
            values = list(_values(reader, flag))
        yield _option(typed, flag, key, values)


def _meant(typed: str) -> Flag | None:
    """The option that is spelt so, or the only one of all releases that begins so."""
    found = flags.lookup(typed)
    if found is not None or not typed.startswith("--") or not 6 <= len(typed) <= 60:
        return found
    begun = flags.beginning(typed)
    return begun[0] if len(begun) == 1 else None


def _values(reader: Reader, flag: Flag | None) -> Iterator[Word]:
    """What belongs to an option: nothing for a switch (but true or false), one word, or several."""
    if flag is not None and flag.switch:
        if (word := reader.peek()) and _TRUTH.fullmatch(word.text):
            yield reader.take()
        return
    first = True
    while _next_is_value(reader, flag, first=first):
        word = _cut(reader, reader.take(), flag)
        yield _braced(reader, word) if word.raw[:1] in {"{", "["} else word
        if flag is None or not flag.several:
            return
        first = False


def _next_is_value(reader: Reader, flag: Flag | None, *, first: bool) -> bool:
    """Whether the next word is the option's; plain words behind an unknown option or in a list may be the person's own."""
    word = reader.peek()
    if word is None:
        return False
    if dashes(word.text).startswith("-"):
        return _NUMBER.match(word.text) is not None or word.raw[:1] in {"'", '"'}
    if word.new_line:
        return False
    if first and flag is not None:
        return True
    following = reader.peek(1)
    alone = following is None or dashes(following.text).startswith("-")
    return alone or _PLAIN.fullmatch(word.text) is None


def _braced(reader: Reader, word: Word) -> Word:
    """JSON that was pasted without its quotes around it, up to its last brace."""
    raw, end = word.raw, word.end
    while (
        raw.count("{") + raw.count("[") > raw.count("}") + raw.count("]") and reader.peek() and len(raw) < _LONGEST_JSON
    ):
        more = reader.take()
        raw, end = f"{raw} {more.raw}", more.end
    return Word(word.text, word.start, end, raw=raw, unknown=word.unknown)


def _cut(reader: Reader, word: Word, flag: Flag | None) -> Word:
    """A value without what was said right behind it: `4，能起来吗`, `32768?`."""
    if word.raw[:1] in {"'", '"'} or (flag is not None and flag.kind == "json"):
        return word
    wide = _WIDE.search(word.text)
    text = word.text[: wide.start()] if wide and wide.start() else word.text
    text = _SAID_BEHIND.sub("", text) or word.text
    if text != word.text:
        reader.end = word.start + len(text)
        reader.over = True
    return Word(text, word.start, word.end, raw=word.raw, unknown=word.unknown)


def _option(typed: str, flag: Flag | None, key: str, values: list[Word]) -> Written:
    first = values[0] if values else None
    return Written(
        typed=typed,
        flag=flag,
        key=key,
        value=first.text if first else None,
        values=tuple(word.text for word in values),
        raw=first.raw if first else "",
        unknown=any(word.unknown for word in values),
        negated=flag is not None and typed.replace("_", "-").startswith("--no-") and not flag.name.startswith("--no-"),
    )
