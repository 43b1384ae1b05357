"""Figures for images, adapters and drafts."""

from collections.abc import Callable

from knowledge.logs.fixes.arithmetic import power_below
from knowledge.logs.fixes.case import Case, Facts
from knowledge.versions import Version

JSON_LIMITS = Version(0, 10)  # before, --limit-mm-per-prompt is written image=2
LORA_RANKS = (8, 16, 32, 64, 128, 256, 320, 512)  # vllm/config/lora.py


def images_limit(case: Case) -> Facts:
    """One more than is allowed, or as many as were sent, in that version's spelling."""
    limit = case.facts.get("limit")
    wanted = case.facts.get("got") or (limit + 1 if isinstance(limit, int) else None)
    kind = str(case.facts.get("kind", "image")).removesuffix("(s)").removesuffix("s")
    return {
        "kind": kind,
        "wanted": wanted,
        "json": case.version is None or case.version >= JSON_LIMITS,
        "old": case.version is not None and case.version < JSON_LIMITS,
    }


def lora_rank(case: Case) -> Facts:
    """The allowed rank that holds the adapter's."""
    rank = case.facts.get("rank")
    return {"rank_to": next((one for one in LORA_RANKS if isinstance(rank, int) and one >= rank), rank)}


def mm_batched(case: Case) -> Facts:
    """Batched tokens that hold the largest item."""
    item = case.facts.get("item")
    return {"batched_to": power_below(item) * 2 if isinstance(item, int) and power_below(item) != item else item}


def draft_vocabulary(case: Case) -> Facts:
    """How far the two vocabularies are apart."""
    target, draft = case.facts.get("target"), case.facts.get("draft")
    return {"apart": abs(target - draft) if isinstance(target, int) and isinstance(draft, int) else None}


FIXES: dict[str, Callable[[Case], Facts]] = {
    "images_limit": images_limit,
    "lora_rank": lora_rank,
    "mm_batched": mm_batched,
    "draft_vocabulary": draft_vocabulary,
}
