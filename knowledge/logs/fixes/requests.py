"""Figures for refused requests: what fits into the context."""

from collections.abc import Callable

from knowledge.logs.fixes.case import Case, Facts


def context_split(case: Case) -> Facts:
    """Tokens that are left for the prompt beside the output, and for the output beside the prompt."""
    limit, prompt, output = (case.facts.get(name) for name in ("limit", "prompt", "output"))
    if not isinstance(limit, int):
        return {}
    found: Facts = {}
    if isinstance(output, int) and output < limit:
        found["prompt_to"] = limit - output
    if isinstance(prompt, int) and prompt < limit:
        found["output_to"] = limit - prompt
    if isinstance(prompt, int) and isinstance(output, int):
        found |= {"total": prompt + output, "over": prompt + output - limit}
    return found


def context_prompt(case: Case) -> Facts:
    """By how much the prompt alone is too long."""
    limit, prompt = case.facts.get("limit"), case.facts.get("prompt")
    return {"over": prompt - limit} if isinstance(limit, int) and isinstance(prompt, int) else {}


FIXES: dict[str, Callable[[Case], Facts]] = {
    "context_split": context_split,
    "context_prompt": context_prompt,
    "max_tokens": context_split,
}
