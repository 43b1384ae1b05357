"""Figures for layouts: which tensor, pipeline and expert parallel sizes a model allows."""

from collections.abc import Callable

from knowledge.logs.fixes.arithmetic import divisors, power_below, splits
from knowledge.logs.fixes.case import Case, Facts

MOST = 64


def heads(case: Case) -> Facts:
    """Sizes that divide the heads and the KV heads; what to do with all GPUs."""
    number, tp = case.facts.get("heads"), case.facts.get("tp")
    if not isinstance(number, int) or not isinstance(tp, int):
        return {}
    shape = case.shape
    sizes = [one for one in divisors(number, max(tp, case.gpus)) if shape is None or splits(shape, one)]
    best = max((one for one in sizes if one <= tp), default=1)
    powers = [one for one in sizes if one & (one - 1) == 0]
    usual = max((one for one in powers if one <= tp), default=best)
    found: Facts = {
        "sizes": sizes,
        "tp_to": usual,
        "kv_heads": shape.kv_heads if shape else None,
        "pp": tp // usual if tp % usual == 0 else None,
    }
    if tp % usual == 0 and tp // usual > 1:
        found["dp"] = tp // usual
    odd = [one for one in divisors(number, tp) if one not in sizes]
    return found | ({"odd": odd[-1]} if odd else {})


def not_divisible(case: Case) -> Facts:
    """Sizes that divide the number; whether it belongs to the image encoder."""
    number, tp = case.facts.get("number"), case.facts.get("tp")
    trace = case.reading.ended.get(case.line.number) if case.line else None
    vision = trace is not None and trace.passes("vit", "vision", "visual", "siglip", "clip", "encoder")
    found: Facts = {"vision": vision}
    if isinstance(number, int) and isinstance(tp, int):
        found |= {"sizes": divisors(number, max(tp, 32)), "tp_to": max(one for one in divisors(number, max(1, tp - 1)))}
    return found


def experts(case: Case) -> Facts:
    """Sizes that divide the experts and the heads."""
    count, ep = case.facts.get("experts"), case.facts.get("ep") or case.facts.get("tp")
    if not isinstance(count, int) or not isinstance(ep, int):
        return {}
    shape = case.shape
    sizes = [one for one in divisors(count, MOST) if shape is None or splits(shape, one)]
    below = max((one for one in sizes if one < ep), default=1)
    above = min((one for one in sizes if one > ep), default=None)
    return {"ep": ep, "below": below, "above": above, "heads": shape.attention_heads if shape else None}


def world_size(case: Case) -> Facts:
    """The size that the visible GPUs allow."""
    count = case.facts.get("gpus")
    shape = case.shape
    if not isinstance(count, int) or count < 1:
        return {}
    sizes = [one for one in divisors(shape.attention_heads, count) if splits(shape, one)] if shape else []
    return {"tp_to": max(sizes, default=power_below(count))}


def nccl_timeout(case: Case) -> Facts:
    """Minutes waited, and whether it was the very first operation."""
    waited = case.facts.get("timeout_ms")
    return {
        "minutes": round(waited / 60_000) if isinstance(waited, int) else None,
        "first": case.facts.get("sequence") == 1 and case.facts.get("elements", 1) == 1,
    }


def shm_full(case: Case) -> Facts:
    """MiB of the segment that did not fit."""
    size = case.facts.get("bytes")
    return {"mib": round(size / 2**20) if isinstance(size, int) else None}


def worker_hang(case: Case) -> Facts:
    """Since when workers were waited for."""
    waiting = [hit for hit in case.reading.hits if hit.signature.id == "broadcast-waits"]
    return {"waits": len(waiting) or None}


FIXES: dict[str, Callable[[Case], Facts]] = {
    "heads": heads,
    "not_divisible": not_divisible,
    "experts": experts,
    "world_size": world_size,
    "nccl_timeout": nccl_timeout,
    "shm_full": shm_full,
    "worker_hang": worker_hang,
}
