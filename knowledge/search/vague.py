"""Questions that could be about several subjects: `why so slow`, `显存`. What they may mean, to choose from."""

import re

from knowledge.search.index import index
from knowledge.search.signatures import named
from knowledge.search.words import everyday, signs, synonyms

MOST_SIGNS = 2  # with more a question says what it is about
LONGEST, LONGEST_CHINESE = 60, 12  # characters; of a longer text something will be meant that no synonym has
MOST_OFFERED = 6
_HAN = re.compile(r"[\u4e00-\u9fff]")
OTHERS = (
    3  # Chinese characters beside synonyms and small words, with which a text says more than that something is slow
)
_SMALL = re.compile(
    r"怎么办|怎么回事|怎么样|怎么|为什么|为啥|为何|什么|如何|咋办|咋|请问|求助|大佬|有没有|是不是|能不能|可以|一下|一直|总是|老是|突然|非常|特别|这么|那么|有点|问题|情况|解决|处理|优化|服务|模型|机器|[了的吗呢啊吧呀嘛么太很好真都也就又还是有我你他它们这那没不会能要想把被给在和与跟用个]"
)

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
    if len(_rest(text)) >= OTHERS:
        return ()
    said = {sign for sign in signs(text) if _counts(sign)}
    if not said or len(said) > MOST_SIGNS or not said <= _MEANS.keys():
        return ()
    return tuple(dict.fromkeys(entry for sign in sorted(said) for entry in _MEANS[sign]))[:MOST_OFFERED]


def _rest(text: str) -> list[str]:
    """The Chinese characters of a text that belong to no synonym and no small word."""
    rest = text.lower()
    for pairs in synonyms().chinese.values():
        for phrase, _ in pairs:
            rest = rest.replace(phrase, " ")
    return _HAN.findall(_SMALL.sub(" ", rest))


def _counts(sign: str) -> bool:
    """A synonym, or an English word that belongs to none; Chinese is told by its synonyms alone."""
    if sign.startswith("="):
        return True
    return sign.isascii() and not everyday(sign) and sign not in synonyms().english
