"""Figures for quantised checkpoints: which tensor parallel sizes keep their groups, blocks and tiles whole."""

from collections.abc import Callable

from knowledge.logs.fixes.arithmetic import divisors, factors
from knowledge.logs.fixes.case import Case, Facts

GROUP = 128  # weights of a row that share a scale in nearly every AWQ and GPTQ checkpoint
AWQ_FROM, GPTQ_FROM = 75, 60  # compute capabilities of vLLM's own 4-bit kernels (awq.py, gptq.py: get_min_capability)


def awq_align(case: Case) -> Facts:
    """Groups of the row-parallel input, and the sizes that divide them."""
    shape, tp = case.shape, case.tp
    found: Facts = {"tp": tp if tp > 1 else None, "group": GROUP, "gpus": case.gpus}
    if shape is None or not shape.intermediate_size:
        return found
    inner = shape.intermediate_size
    if inner % GROUP:
        return found | {"inner": inner}
    groups = inner // GROUP
    return found | {
        "inner": inner,
        "groups": groups,
        "factors": factors(groups),
        "sizes": divisors(groups, 16),
        "padded": -(-inner // (GROUP * max(2, tp))) * GROUP * max(2, tp),
    }


def marlin_tile(case: Case) -> Facts:
    """Smaller tensor parallel sizes at which the slice is whole tiles."""
    size, tile, tp = case.facts.get("size"), case.facts.get("tile"), case.tp
    found: Facts = {"tp": tp if tp > 1 else None}
    if not isinstance(size, int) or not isinstance(tile, int):
        return found
    found["tiles"] = round(size / tile, 2)
    whole = [one for one in divisors(tp, tp - 1) if tp > 1 and (size * tp // one) % tile == 0]
    if whole:
        best = whole[-1]
        found |= {"tp_to": best, "size_to": size * tp // best, "tiles_to": size * tp // best // tile}
    return found


def capability(case: Case) -> Facts:
    """Compute capabilities as people write them, and which 4-bit formats the card runs."""
    needs, has = case.facts.get("needs"), case.facts.get("has")
    if has is None and isinstance(case.facts.get("major"), int):
        has = case.facts["major"] * 10 + int(case.facts.get("minor", 0))
    found: Facts = {}
    if isinstance(needs, int):
        found["needs"] = f"{needs // 10}.{needs % 10}"
    if isinstance(has, int):
        found |= {"has": f"{has // 10}.{has % 10}", "awq": has >= AWQ_FROM, "gptq": has >= GPTQ_FROM, "half": has < 80}
    return found


def kv_fp8(case: Case) -> Facts:
    """The version that still ran, where the message tells of an upgrade."""
    return {"max_model_len": case.start.max_model_len, "before": case.before}


FIXES: dict[str, Callable[[Case], Facts]] = {
    "awq_align": awq_align,
    "marlin_tile": marlin_tile,
    "fp8_block": marlin_tile,
    "capability": capability,
    "kv_fp8": kv_fp8,
}
