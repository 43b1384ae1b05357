"""The one error tree for people.

Refusal            something asked cannot be answered: what is wrong, and what to do
"""

from typing import Any


class Refusal(Exception):
    """Says in English what is wrong (`error`) and what to do (`hint`); `code` and `facts` let a front say it in another language.

    `error` and `hint` are one sentence each and quote the offending text in backticks.
    """

    def __init__(self, code: str, error: str, hint: str, **facts: Any) -> None:
        self.error, self.hint = _one_line(error), _one_line(hint)
        super().__init__(self.error)
        self.code = code
        self.facts = facts


def _one_line(sentence: str) -> str:
    """What somebody typed may hold line ends and marks that turn the writing round: in a sentence they are spaces."""
    if sentence.isprintable():
        return sentence
    return " ".join("".join(char if char.isprintable() else " " for char in sentence).split())
