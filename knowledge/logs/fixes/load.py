"""Figures for running servers: what the queue waits for."""

from collections.abc import Callable

from knowledge.logs.fixes.case import Case, Facts


def garbled(case: Case) -> Facts:
    """The quantisation and dtype that produced it."""
    return {
        "quantization": case.start.quantization,
        "dtype": case.start.dtype,
        "old_gptq": (case.start.quantization or "") == "gptq",
    }


def preempted(case: Case) -> Facts:
    """How often, as far as the lines say."""
    counts = [hit.facts.get("preemptions") for hit in case.reading.hits if hit.signature.id == "preempted"]
    told = [count for count in counts if isinstance(count, int)]
    return {
        "preemptions": max(told, default=None),
        "max_num_seqs": case.start.max_num_seqs,
        "kv_tokens": case.start.kv_tokens,
    }


FIXES: dict[str, Callable[[Case], Facts]] = {"garbled": garbled, "preempted": preempted}
