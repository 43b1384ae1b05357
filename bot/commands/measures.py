"""What is to be measured or looked at: metrics by their names on vLLM's page, quantiles, the focus of a comparison."""

from bot.understand.scan import Scan, grammar
from knowledge.releases.metric_names import SIGNALS

_SUFFIXES = ("_bucket", "_sum", "_count", "_created", "_total")
# How it is said -> the signal; the first that matches wins.
_SAID = tuple(
    (signal, grammar(pattern))
    for signal, pattern in (
        ("queue-time", r"queue?ing (?:time|delay|latency)|(?:time|long) (?:spent )?in (?:the )?queue|queue (?:time|delay|latency|wait)|wait(?:ing)? time|排队(?:时间|时长|耗时|延迟)|等待时间"),
        ("ttft", r"ttft|(?:time[- ]to[- ])?first[- ]tokens?(?: latency| time)?|首\s?(?:个\s?)?token(?:\s?延迟| 时延)?|首字(?:延迟|时延)?|首包"),
        ("tpot", r"tpot|time per output token|per[- ]token (?:latency|time)|每\s?(?:个\s?)?token\s?(?:延迟|时延|耗时)|单 ?token"),
        ("itl", r"(?<![a-z])itl(?![a-z])|inter[- ]?token(?: latency)?|token\s?间(?:隔|延迟)?|字间"),
        ("prefix-cache-hits", r"(?:prefix[- ]?|kv[- ]?)?(?:cach(?:e|ing) )?hit[- ]?rates?|cache hits?|命中率?"),
        ("kv-cache-usage", r"kv[- ]?(?:cache)?(?:\s?(?:usage|util\w*|occupancy|pressure|fill|使用率|占用率?|利用率|用量|水位))?(?![a-z])|cache usage|缓存(?:使用率|占用率?|水位)"),
        ("preemptions", r"pre-?empt\w*|抢占"),
        ("prefill-time", r"prefill (?:time|latency)|预填充(?:时间|耗时)|prefill\s?耗时"),
        ("decode-time", r"decode (?:time|latency)|解码(?:时间|耗时)"),
        ("requests-waiting", r"waiting(?: requests)?|queue[- ]?(?:depth|length|size)?|queued(?: requests)?|backlog|排队|等待(?:中)?(?:的)?(?:请求)?|积压"),
        ("requests-running", r"running requests|requests running|(?:in[- ]?flight|active) requests|num running|running(?= on| in|$)|(?:运行|正在跑|处理)中?的?请求|在跑的请求|并发"),
        ("http-requests", r"error[- ]?rates?|errors|5xx|4xx|错误率|失败率|报错率"),
        ("prompt-tokens", r"prompt (?:throughput|tokens)|input (?:throughput|tokens)|(?:输入|prompt)\s?吞吐"),
        ("generation-tokens", r"(?:generation |output |token )?throughput|generation tokens|output tokens|tok(?:en)?s?\s?(?:/|per )\s?s(?:ec\w*)?|(?<![a-z])tps(?![a-z])|(?:输出|生成)?吞吐量?"),
        ("requests-finished", r"(?<![a-z])[qr]ps(?![a-z])|request (?:rate|count|volume)|requests? (?:per|/) ?s\w*|traffic|finished requests|请求(?:量|数|速率)|流量"),
        ("e2e-latency", r"e2el?(?: latency)?(?![a-z])|end[- ]to[- ]end(?: latency)?|(?:request |total |overall )?latenc(?:y|ies)|response times?|端到端(?:延迟|时延)?|延迟|时延|响应时间"),
    )
)  # fmt: skip
_RAW = grammar(r"(?:vllm:)?(?P<name>[a-z][a-z0-9]*(?:_[a-z0-9]+)+)")
_PERCENTILE = grammar(
    r"(?<![a-z0-9])(?:p|percentile\s?)\s?(?P<value>\d{2}(?:\.\d{1,2})?|\d{3})(?![a-z0-9])|(?P<th>\d{2}(?:\.\d{1,2})?)\s?(?:th\s?(?:percentile|pct)?|分位数?|percentile)"
)
_MEDIAN = grammar(r"\bmedian\b|\bp50\b|中位数?")
_FOCUS = (
    ("ttft", r"ttft|first[- ]token|首\s?token|首字"),
    ("tpot", r"tpot|time per output token|per[- ]token|每\s?token"),
    ("itl", r"(?<![a-z])itl(?![a-z])|inter[- ]?token|token\s?间"),
    ("throughput", r"throughput|tok(?:en)?s?\s?(?:/|per )\s?s|(?<![a-z])tps(?![a-z])|吞吐"),
    ("e2e", r"(?<![a-z])e2el?(?![a-z])|end[- ]to[- ]end|latency|端到端|延迟|时延"),
)
_FOCI = tuple((focus, grammar(pattern)) for focus, pattern in _FOCUS)


def take_metric(scan: Scan) -> tuple[str | None, Scan]:
    """A metric's name in vLLM 0.32, without `vllm:` and without a histogram's or counter's suffix; None when none is named."""
    for raw in _RAW.finditer(scan.text):
        name = _bare(raw["name"])
        if name in _known():
            return name, scan.mark(*raw.span())
    for signal, pattern in _SAID:
        if found := pattern.search(scan.text):
            return _bare(SIGNALS[signal][0]), scan.mark(*found.span())
    return None, scan


def take_quantile(scan: Scan) -> tuple[float | None, Scan]:
    """A share from 0 to 1: p95 is 0.95; None when none is named."""
    if found := _PERCENTILE.search(scan.text):
        said = found["value"] or found["th"]
        share = float(said) / (1000 if len(said) == 3 and said != "100" else 100)
        return round(share, 6), scan.mark(*found.span())
    if found := _MEDIAN.search(scan.text):
        return 0.5, scan.mark(*found.span())
    return None, scan


def focus(text: str) -> str | None:
    """Which figure a comparison is about, None when all are."""
    return next((name for name, pattern in _FOCI if pattern.search(text)), None)


def _known() -> frozenset[str]:
    return frozenset(_bare(name) for names in SIGNALS.values() for name in names)


def _bare(name: str) -> str:
    name = name.removeprefix("vllm:")
    return next((name.removesuffix(suffix) for suffix in _SUFFIXES if name.endswith(suffix)), name)
