"""Questions that could be about several subjects: `why so slow`, `显存`. What they may mean, to choose from."""

import re

from knowledge.search.index import index
from knowledge.search.signatures import named
from knowledge.search.words import everyday, signs, synonyms

MOST_SIGNS = 2  # with more a question says what it is about
LONGEST, LONGEST_CHINESE = 60, 12  # characters; of a longer text something will be meant that no synonym has
MOST_OFFERED = 6
_HAN = re.compile(r"[\u4e00-\u9fff]")

# What each of these alone may mean, most asked first.
_MEANS = {
    "=slow": ("latency-ttft", "single-request-speed", "queueing", "multi-gpu-tp", "version-regression", "slow-startup"),
    "=memory": ("memory-reserved-upfront", "gpu-memory-utilization-too-high", "kv-cache-formula", "runtime-oom"),
    "=oom": (
        "kv-cache-oom-at-startup",
        "no-memory-for-cache-blocks",
        "cuda-graph-memory",
        "runtime-oom",
        "weights-oom",
    ),
    "=latency": ("latency-ttft", "max-num-batched-tokens", "queueing", "single-request-speed"),
    "=throughput": ("tuning-order", "max-num-seqs", "max-num-batched-tokens", "bench-serve"),
    "=fast": ("tuning-order", "single-request-speed", "speculative-decoding", "quantization"),
    "=speedup": ("tuning-order", "single-request-speed", "speculative-decoding", "quantization"),
    "=error": ("engine-dead", "kv-cache-oom-at-startup", "deprecated-flags", "context-length-error"),
    "=startup": ("engine-dead", "kv-cache-oom-at-startup", "slow-startup", "nccl-hang"),
    "=crash": ("engine-dead", "runtime-oom", "host-oom-killed", "nccl-hang"),
    "=hang": ("nccl-hang", "queueing", "slow-startup", "cpu-bottleneck"),
    "=concurrency": ("max-num-seqs", "queueing", "kv-cache-formula", "preemption"),
    "=kv": ("kv-cache-formula", "kv-cache-dtype-fp8", "prefix-caching", "preemption"),
    "=context": ("kv-cache-oom-at-startup", "long-context", "context-length-error", "rope-scaling"),
}


def may_mean(text: str) -> tuple[str, ...]:
    """Ids of entries to choose from; none when the text says more than that something is slow, full or broken."""
    if len(text) > LONGEST or len(_HAN.findall(text)) > LONGEST_CHINESE or named(text, index().names):
        return ()
    said = {sign for sign in signs(text) if _counts(sign)}
    if not said or len(said) > MOST_SIGNS or not said <= _MEANS.keys():
        return ()
    return tuple(dict.fromkeys(entry for sign in sorted(said) for entry in _MEANS[sign]))[:MOST_OFFERED]


def _counts(sign: str) -> bool:
    """A synonym, or an English word that belongs to none; Chinese is told by its synonyms alone."""
    if sign.startswith("="):
        return True
    return sign.isascii() and not everyday(sign) and sign not in synonyms().english
