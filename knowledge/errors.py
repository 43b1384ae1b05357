"""The one error tree for people.

Refusal            something asked cannot be answered: what is wrong, and what to do
"""

from typing import Any


class Refusal(Exception):
    """Says in English what is wrong (`error`) and what to do (`hint`); `code` and `facts` let a front say it in another language.

    `error` and `hint` are one sentence each and quote the offending text in backticks.
    """

    def __init__(self, code: str, error: str, hint: str, **facts: Any) -> None:
        super().__init__(error)
        self.code = code
        self.error = error
        self.hint = hint
        self.facts = facts
