"""Speculative decoding, as people and --speculative-config say it."""

import json
import re
from collections.abc import Callable
from typing import Any

from knowledge.errors import Refusal
from knowledge.fit.words import nearest
from knowledge.launch import Speculation
from knowledge.shapes.model import ModelShape

# vllm/config/speculative.py SpeculativeMethod, 0.32; every *_mtp is an old name of mtp.
METHODS = ("mtp", "eagle", "eagle3", "ngram", "draft_model", "medusa", "mlp_speculator", "suffix", "dflash", "dspark")
WITH_DRAFT = frozenset({"draft_model"})
# Tokens a step when none are said: MTP predicts one; the others are what vLLM's own examples use.
USUAL_TOKENS = {"mtp": 1, "eagle": 3, "eagle3": 3, "ngram": 5, "suffix": 32}
MOST_TOKENS = 128


def read_speculation(text: str, shape: ModelShape, resolve: Callable[[str, str | None], ModelShape]) -> Speculation:
    """`mtp`, `mtp n=3`, `eagle3 5`, or the JSON object of --speculative-config.

    Refuses an unknown method, MTP for a model without such layers, and a draft model that cannot be resolved.
    """
    method, tokens, draft = _from_json(text) if text.lstrip().startswith("{") else _from_words(text)
    if method == "mtp" and not shape.mtp_layers:
        raise Refusal(
            "no-mtp",
            f"`{shape.model_id}` has no multi-token prediction layers.",
            "Use `eagle3` with a draft head made for this model, or `ngram`.",
            model=shape.model_id,
        )
    if method in WITH_DRAFT and draft is None:
        raise Refusal(
            "no-draft",
            "Speculation with a draft model needs the draft's name.",
            'Write `{"model": "ID", "num_speculative_tokens": 5}`.',
        )
    return Speculation(method, tokens, _draft(method, draft, resolve))


def _draft(method: str, name: str | None, resolve: Callable[[str, str | None], ModelShape]) -> ModelShape | None:
    return resolve(name, None) if name and method in WITH_DRAFT else None


def _from_words(text: str) -> tuple[str, int, str | None]:
    found = re.fullmatch(
        r"\s*([A-Za-z][\w-]*)[\s,:]*(?:(?:n|k|tokens?|num_speculative_tokens)\s*[=:]?\s*)?(\d{1,6})?\s*", text
    )
    if found is None:
        raise _not_understood(text)
    method = _method(found[1])
    return method, _tokens(int(found[2]) if found[2] else None, method), None


def _from_json(text: str) -> tuple[str, int, str | None]:
    try:
        said: Any = json.loads(text)
    except (ValueError, RecursionError):
        raise _not_understood(text) from None
    model, method = said.get("model"), said.get("method")
    if not all(value is None or isinstance(value, str) for value in (model, method)):
        raise _not_understood(text)
    chosen = _method(method or ("draft_model" if model else ""))
    return chosen, _tokens(said.get("num_speculative_tokens"), chosen), model


def _method(text: str) -> str:
    word = text.strip().lower().replace("-", "_")
    word = "mtp" if word.endswith("_mtp") else "ngram" if word == "ngram_gpu" else word
    if word in METHODS:
        return word
    near = nearest(word, METHODS)
    raise Refusal(
        "bad-speculation",
        f"`{text[:40]}` is not a speculative method that vLLM knows.",
        f"Did you mean `{near}`?" if near else "Known are " + ", ".join(f"`{known}`" for known in METHODS) + ".",
        text=text[:40],
        nearest=near,
    )


def _tokens(said: object, method: str) -> int:
    if said is None:
        return USUAL_TOKENS.get(method, 3)
    if not isinstance(said, int) or not 1 <= said <= MOST_TOKENS:
        raise Refusal(
            "bad-speculation",
            f"`{str(said)[:40]}` is not a number of speculative tokens.",
            f"Use 1 to {MOST_TOKENS}; 1 to 5 is usual.",
            text=str(said)[:40],
        )
    return said


def _not_understood(text: str) -> Refusal:
    return Refusal(
        "bad-speculation",
        f"`{text[:40]}` does not say how to speculate.",
        'Write `mtp`, `mtp n=3`, `eagle3`, `ngram`, or JSON such as `{"method": "mtp", "num_speculative_tokens": 1}`.',
        text=text[:40],
    )
