"""Figures for memory: what is needed, what there is, and the settings with which it fits."""

import math
import re
from collections.abc import Callable

from knowledge.logs.fixes.arithmetic import BLOCK, down, nice, power_below, splits, whole_blocks
from knowledge.logs.fixes.case import Case, Facts, weights_gib
from knowledge.logs.memory_errors import held_before, held_by_others
from knowledge.logs.signatures import Hit
from knowledge.logs.startup import gib_of
from knowledge.units import GIB, MIB

AWQ_BITS = 4.25  # 4-bit weights with a 16-bit scale and 4-bit zero in groups of 128
LEAST_LEFT = 0.85  # of a card that weights may take and leave something to work with
MOST_GPUS = 64
FEW_SEQS, FEW_TOKENS = 128, 2048
SAFE = 0.9  # a utilisation that leaves room for CUDA graphs and libraries in every release
SPARE_GIB = 0.5  # beyond what was missing, so that the next request does not fail by a little
_DUMMIES = re.compile(r"with (\d+) dummy requests")


def kv_too_small(case: Case) -> Facts:
    """The longest context that fits, exactly as vLLM says or from GiB a token; what FP8 or more GPUs would hold."""
    facts = case.facts
    asked, need, have, longest = (facts.get(name) for name in ("max_model_len", "need_gib", "have_gib", "longest"))
    start = case.start
    found: Facts = {"max_model_len": asked, "kv_gib": start.kv_gib, "weights_gib": start.weights_gib}
    if need and have and longest is None:
        longest = whole_blocks(asked * have / need) if have > 0 else 0
    if longest is not None:
        found |= {"longest": longest, "nice": nice(longest) if longest >= BLOCK else None}
        if not _fp8(case):
            found["longest_fp8"] = longest * 2
    if start.kv_blocks and longest and longest % start.kv_blocks == 0:
        found |= {"blocks": start.kv_blocks, "block_size": longest // start.kv_blocks}
    if need and asked:
        found["kib_per_token"] = round(need * GIB / asked / 1024, 1)
    return found | _more_utilization(case, need, have) | {"tp_next": _more_gpus(case)}


def _fp8(case: Case) -> bool:
    return (case.start.kv_cache_dtype or "").startswith("fp8")


def _more_utilization(case: Case, need: float | None, have: float | None) -> Facts:
    """The utilisation at which the missing GiB would be there, where that is still one to run with."""
    total, share = case.total_gib, case.start.utilization
    if need is None or have is None or total is None or share is None:
        return {}
    wanted = math.ceil((share + (need - have) / total) * 100) / 100
    return {"utilization_to": wanted} if wanted <= 0.95 else {}


def _more_gpus(case: Case) -> int | None:
    """The next tensor parallel size that the model's heads allow."""
    sizes = [case.tp * factor for factor in (2, 4) if case.tp * factor <= MOST_GPUS]
    return next((tp for tp in sizes if case.shape is None or splits(case.shape, tp)), None)


def no_blocks(case: Case) -> Facts:
    """What the weights leave of the budget, and what takes the rest."""
    total, start = case.total_gib, case.start
    share = start.utilization or (0.92 if case.version and case.version.minor >= 20 else 0.9)
    found: Facts = {
        "weights_gib": start.weights_gib,
        "total_gib": total,
        "utilization": share,
        "max_model_len": start.max_model_len,
    }
    if total is not None:
        found["budget_gib"] = round(total * share, 2)
        if start.weights_gib is not None:
            found["left_gib"] = round(total * share - start.weights_gib, 2)
    found["utilization_to"] = 0.95 if share < 0.95 else None
    length = start.max_model_len
    found["length_to"] = min(4096, power_below(length // 2)) if length and length > 2048 else 2048
    found["old_profile"] = case.version is not None and case.version.minor < 8
    return found | {"tp_next": _more_gpus(case)} | _quantised(case)


def _quantised(case: Case) -> Facts:
    if case.shape is None or case.shape.quantization is not None:
        return {}
    size = weights_gib(case.shape, AWQ_BITS)
    return {"awq_gib": round(size), "awq_each_gib": round(size / case.tp, 1)}


def shared_budget(case: Case) -> Facts:
    """The utilisation from which on there would be room beside what others hold."""
    start, total = case.start, case.total_gib
    held = held_before(case.reading)
    found: Facts = {"held_gib": held, "total_gib": total, "utilization": start.utilization, "kv_gib": start.kv_gib}
    if total is None or held is None or start.weights_gib is None:
        return found
    own = round(start.weights_gib + (start.activation_gib or 0), 2)
    wanted = (own + held) / total
    found |= {"own_gib": own, "utilization_least": round(wanted, 2)}
    raised = down(wanted + 0.11, 0.05)
    return found | ({"utilization_to": round(min(raised, 0.95), 2)} if wanted < 0.93 else {})


def free_memory(case: Case) -> Facts:
    """The utilisation that what is free allows, rounded down to hundredths."""
    free, total, wanted = (case.facts.get(name) for name in ("free_gib", "total_gib", "wanted_gib"))
    if not free or not total:
        return {}
    found: Facts = {"share_free": round(free / total, 4), "utilization_to": round(down(free / total, 0.01), 2)}
    found["held_gib"] = round(total - free, 2)
    if wanted:
        found["short_gib"] = round(wanted - free, 2)
    return found


def weights_oom(case: Case) -> Facts:
    """The weights as a whole and on each card, and how many cards hold them."""
    total, shape, tp = case.total_gib, case.shape, case.tp
    found: Facts = {"total_gib": total, "tp": tp, "tp_next": _more_gpus(case)}
    whole = case.weights_gib()
    if whole is None or shape is None:
        return found
    found |= {"whole_gib": round(whole, 1), "each_gib": round(whole / tp, 1)}
    if shape.quantization is None:
        found["billions"] = round(shape.parameters() / 1e9, 1)
    if total is not None:
        sizes = [each for each in (1, 2, 4, 8, 16, 32, 64) if splits(shape, each)]
        fitting = [each for each in sizes if whole / each <= total * LEAST_LEFT]
        found["layouts"] = [(each, round(whole / each, 1)) for each in fitting if each > tp][:2]
        found["too_few"] = bool(fitting) and fitting[0] > case.gpus
    return found | _quantised(case)


def sampler_warmup(case: Case) -> Facts:
    """What the logits of all dummy requests take, and of fewer."""
    seqs, shape = case.facts.get("max_num_seqs"), case.shape
    oom = _oom(case)
    found: Facts = {}
    if oom is not None:
        found = {"wanted": oom.facts.get("wanted"), "free": oom.facts.get("free")}
        wanted = found["wanted"]
        if isinstance(wanted, str) and isinstance(seqs, int) and seqs:
            found["vocabulary"] = shape.vocab_size if shape else round(gib_of(wanted) * GIB / seqs / 4)
    elif shape is not None:
        found["vocabulary"] = shape.vocab_size
    if isinstance(seqs, int):
        to = max(16, power_below(seqs // 4 if seqs >= 512 else seqs // 2))
        found["seqs_to"] = to
        if "vocabulary" in found:
            found["mib_each"] = round(seqs * found["vocabulary"] * 4 / MIB)
            found["mib_to"] = round(to * found["vocabulary"] * 4 / MIB)
    share = case.start.utilization or 0.9
    return found | {"utilization_to": round(share - 0.05, 2)}


def _oom(case: Case) -> Hit | None:
    return next((hit for hit in case.reading.hits if hit.signature.id == "cuda-oom"), None)


def profile_oom(case: Case) -> Facts:
    """Which part of the dummy run failed, and smaller settings for it."""
    start, trace = case.start, case.reading.ended.get(case.line.number) if case.line else None
    found: Facts = {
        "weights_gib": start.weights_gib,
        "total_gib": case.total_gib,
        "wanted": case.facts.get("wanted"),
        "free": case.facts.get("free"),
    }
    found["sampler"] = trace is not None and trace.passes("sampler", "_dummy_sampler_run", "logits_processor")
    found["encoder"] = trace is not None and trace.passes("vision", "visual", "multimodal", "mm_encoder")
    seqs, shape = start.max_num_seqs, case.shape
    if found["sampler"] and shape is not None and found["wanted"]:
        rows = round(gib_of(str(found["wanted"])) * GIB / shape.vocab_size / 4)
        seqs = seqs or rows
        found |= {"vocabulary": shape.vocab_size, "rows": rows, "mib_each": round(rows * shape.vocab_size * 4 / MIB)}
    found |= {"max_num_seqs": seqs, "seqs_to": FEW_SEQS if not seqs or seqs > FEW_SEQS else max(8, seqs // 2)}
    batched = start.max_num_batched_tokens
    found["batched_to"] = FEW_TOKENS if not batched or batched > FEW_TOKENS else max(512, batched // 2)
    return found | {"tp_next": _more_gpus(case)}


def graphs_oom(case: Case) -> Facts:
    """What the utilisation leaves outside the budget, and a lower one."""
    total, share = case.total_gib, case.start.utilization
    found: Facts = {"total_gib": total, "utilization": share, "graphs_gib": case.start.graphs_gib}
    low = SAFE if share is None or share > SAFE + 0.01 else round(share - 0.05, 2)
    found["utilization_to"] = low
    if total is not None:
        found |= {"budget_to_gib": round(total * low, 2), "outside_to_gib": round(total * (1 - low), 2)}
        if share is not None:
            found["outside_gib"] = round(total * (1 - share), 2)
    return found


def runtime_oom(case: Case) -> Facts:
    """By how much to lower the utilisation so that what was missing is there."""
    total, wanted, free = case.total_gib, case.facts.get("wanted"), case.facts.get("free")
    found: Facts = {"total_gib": total, "utilization": case.start.utilization}
    traffic = case.reading.traffic
    if traffic.count and traffic.recent[-1].usage is not None:
        found["usage"] = traffic.recent[-1].usage / 100
    if total is not None:
        found["per_hundredth_gib"] = round(total / 100, 2)
        if isinstance(wanted, str) and isinstance(free, str):
            missing = max(0.0, gib_of(wanted) - gib_of(free)) + SPARE_GIB
            steps = max(3, math.ceil(missing / (total / 100)))
            found["lower_by"] = round(min(steps, 20) / 100, 2)
            found["lower_by_more"] = round(min(steps + 2, 22) / 100, 2)
    if case.start.utilization is not None and "lower_by" in found:
        found["utilization_to"] = round(case.start.utilization - found["lower_by"], 2)
    return found


def shared_oom(case: Case) -> Facts:
    """How much of the card others hold."""
    oom = _oom(case)
    return {"held_gib": held_by_others(oom, case.reading) if oom else None, "total_gib": case.total_gib}


def state_blocks(case: Case) -> Facts:
    """Sequences that the state blocks allow."""
    blocks = case.facts.get("blocks")
    return {"nice": power_below(int(blocks)) if blocks else None, "max_model_len": case.start.max_model_len}


def reserved(case: Case) -> Facts:
    """What a lower utilisation would give: half the pool, roughly."""
    total, facts = case.total_gib or case.facts.get("card_gib"), case.facts
    share = case.start.utilization
    held = facts.get("held_gib")
    if held is not None and facts.get("kv_gib") is not None and share is None and total:
        share = round(min(0.95, (held + facts["kv_gib"]) / total), 2)
    found: Facts = {"total_gib": total, "utilization": share}
    if total and held is not None:
        to = round(math.ceil((held * 1.35 + 1) / total * 20) / 20, 2)
        if share is None or to < share - 0.04:
            found |= {"utilization_to": to, "gives_gib": round(total * to, 1), "kv_to_gib": round(total * to - held, 1)}
    elif total:
        found |= {"utilization_to": 0.5, "gives_gib": round(total * 0.5, 1)}
    return found


def host_oom(case: Case) -> Facts:
    """What the kernel says it killed, and what the weights take."""
    kilobytes = case.facts.get("rss_kb")
    whole = case.weights_gib()
    return {
        "rss_gib": round(kilobytes / 2**20, 1) if isinstance(kilobytes, int | float) else None,
        "whole_gib": round(whole, 1) if whole else None,
    }


FIXES: dict[str, Callable[[Case], Facts]] = {
    "kv_too_small": kv_too_small,
    "no_blocks": no_blocks,
    "shared_budget": shared_budget,
    "shared_start": free_memory,
    "free_memory": free_memory,
    "free_memory_cpu": free_memory,
    "weights_oom": weights_oom,
    "sampler_warmup": sampler_warmup,
    "profile_oom": profile_oom,
    "graphs_oom": graphs_oom,
    "runtime_oom": runtime_oom,
    "encoder_oom": runtime_oom,
    "cache_oom": graphs_oom,
    "wake_oom": runtime_oom,
    "shared_oom": shared_oom,
    "state_blocks": state_blocks,
    "reserved": reserved,
    "host_oom": host_oom,
    "host_alloc": host_oom,
}
