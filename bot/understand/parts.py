"""Several questions in one message, told apart."""

import re
from dataclasses import dataclass, replace

from bot.understand import asks, topics
from bot.understand.alternatives import alternatives
from bot.understand.intents import ESTIMATES, Wanted, decide
from bot.understand.reading import Reading, read, said, settle
from bot.understand.scan import grammar
from bot.understand.understood import Fields, Intent

MOST = 6  # questions that one message is answered for
_MOST_CLAUSES = 24
_SENTENCE = (
    r"(?<=[?!。；;\n])\s*|(?<=[a-z)][.])\s+(?=[A-Za-z\u4e00-\u9fff])|\n+|(?:^|(?<=[\s,，。;]))(?=(?:[1-9]"
    r"|[a-d])[.)、]\s?[^\d\s])"
)
_JOINT = (
    r"(?i:,?\s(?=(?:and|or)\s(?:also|then|how|what|which|will|would|can|could|does|is|on|with|if|for)\b)"
    r"|\s(?=(?:also|plus|additionally|second(?:ly)?|what about|how about)[,\s])|,\s?(?=(?:how|what|which"
    r"|will|would|can|could|does|do|is|and)\b))"
    r"|(?=还有|另外|顺便|此外|再问|以及)|(?<=[,，、])"
)
_SPLIT = grammar(f"{_SENTENCE}|{_JOINT}")
_NUMBERED = grammar(r"^\s?(?:[1-9]|[a-d])[.)、]\s?|^\s?[-•*]\s")
_ALTERNATIVE = grammar(r"^\s?(?:(?:and|or|what about|how about|also)\b|那|或者?|还是|换成|如果换)", re.IGNORECASE)
_AND_THIS = grammar(r"\S{1,12}(?: \S{1,12})?\s?呢\s?[?]?")
_INTERROGATIVE = re.compile(
    r"[?]\s?$|^\s?(?:and |also |plus |so )?(?:what|why|how|which|when|does|do|is|are|should|can)\b|为什么|为啥|怎么|如何|什么|吗",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Part:
    """One question: its words, what they say, what they want."""

    text: str
    reading: Reading
    wanted: Wanted


def split(own: str, whole: Part, known: Fields) -> tuple[Part, ...]:
    """The questions of a narrowed text, in order; `(whole,)` when it asks one. `known` is what the thread has said."""
    if whole.wanted.intent in ESTIMATES and (either := alternatives(own)):
        return tuple(_part(text, known) for text in either)
    clauses = [clause.strip() for clause in _SPLIT.split(own) if clause and clause.strip(" ,，、")]
    if not 2 <= len(clauses) <= _MOST_CLAUSES or whole.wanted.intent in (Intent.DECLINE, Intent.COMMAND, Intent.HELP):
        return (whole,)
    known = replace(known, **said(settle(whole.reading, Intent.FIT)))
    items = [_NUMBERED.match(clause) is not None for clause in clauses]
    read_clauses = [_part(_NUMBERED.sub("", clause), known) for clause in clauses]
    groups = _listed(read_clauses, items) if sum(items) >= 2 else _grouped(read_clauses, whole)
    if len(groups) < 2:
        return (whole,)
    parts = tuple(_part(" ".join(part.text for part in group), known, group) for group in groups)
    return parts[:MOST] if _apart(parts, whole) else (whole,)


def _part(text: str, known: Fields, group: list[Part] | None = None) -> Part:
    if group is not None and len(group) == 1:
        return group[0]
    reading = read(text)
    return Part(text, reading, decide(text, reading, known=known))


def _listed(clauses: list[Part], items: list[bool]) -> list[list[Part]]:
    """The items of a numbered list; what stands before the first belongs to it."""
    groups: list[list[Part]] = [[]]
    for clause, begins in zip(clauses, items, strict=True):
        if begins and any(part.reading.said or part.wanted.asked for part in groups[-1]):
            groups.append([])
        groups[-1].append(clause)
    return groups


def _grouped(clauses: list[Part], whole: Part) -> list[list[Part]]:
    """Each question with the statements before and after it."""
    groups: list[list[Part]] = [[]]
    asking: Part | None = None
    for clause in clauses:
        asks = _asks(clause, whole)
        if asks and asking is not None and _another(clause, asking):
            groups.append([])
        if asks:
            asking = clause
        groups[-1].append(clause)
    return groups


def _asks(clause: Part, whole: Part) -> bool:
    """Whether a clause is a question by its own words. `known` of the whole message is not needed for that."""
    wanted = clause.wanted
    if not clause.reading.said and asks.wish(clause.text):
        return False
    if _AND_THIS.fullmatch(clause.text) and clause.reading.said:
        return whole.wanted.intent in ESTIMATES
    if wanted.intent in ESTIMATES:
        return wanted.asked or _alternative(clause) or (clause.reading.said and clause.text.endswith("?"))
    other = wanted.intent is Intent.COMMAND or (
        wanted.intent is Intent.KNOWLEDGE and wanted.asked and _INTERROGATIVE.search(clause.text)
    )
    return bool(other) and whole.wanted.intent in ESTIMATES


def _alternative(clause: Part) -> bool:
    return clause.reading.said and (
        _ALTERNATIVE.match(clause.text) is not None or _AND_THIS.fullmatch(clause.text) is not None
    )


def _another(clause: Part, asking: Part) -> bool:
    """Whether it is a second question: another kind, or the same of something else."""
    if clause.wanted.intent is not asking.wanted.intent or _AND_THIS.fullmatch(clause.text):
        return True
    return clause.reading.said and asking.reading.said and clause.wanted.intent in ESTIMATES


def _apart(parts: tuple[Part, ...], whole: Part) -> bool:
    """Whether the parts are worth answering one by one. A message about knowledge stays whole unless a part stands on its own."""
    if whole.wanted.intent in ESTIMATES:
        return True
    return any(
        part.wanted.intent in ESTIMATES and part.reading.model is not None and not topics.trouble(part.text)
        for part in parts
    )
