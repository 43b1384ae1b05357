"""The names on vLLM's /metrics page, by version: what a signal is called, and what took an old name's place."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from knowledge.releases import history
from knowledge.versions import V1_DEFAULT, Version

NEVER = "never"  # the V1 engine has not got it
_SUFFIXES = ("_bucket", "_sum", "_count", "_created", "_total")

# What is measured, and its names from the newest to the oldest. A version's is the first one that its engine shows.
SIGNALS: dict[str, tuple[str, ...]] = {
    "requests-running": ("vllm:num_requests_running",),
    "requests-waiting": ("vllm:num_requests_waiting",),
    "requests-swapped": ("vllm:num_requests_swapped",),
    "preemptions": ("vllm:num_preemptions_total",),
    "kv-cache-usage": ("vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc"),
    "prefix-cache-hits": ("vllm:prefix_cache_hits_total", "vllm:gpu_prefix_cache_hits_total"),
    "prefix-cache-queries": ("vllm:prefix_cache_queries_total", "vllm:gpu_prefix_cache_queries_total"),
    "prefix-cache-hit-rate": ("vllm:gpu_prefix_cache_hit_rate",),
    "ttft": ("vllm:time_to_first_token_seconds",),
    "itl": ("vllm:inter_token_latency_seconds", "vllm:time_per_output_token_seconds"),
    "tpot": ("vllm:request_time_per_output_token_seconds", "vllm:time_per_output_token_seconds"),
    "e2e-latency": ("vllm:e2e_request_latency_seconds",),
    "queue-time": ("vllm:request_queue_time_seconds", "vllm:time_in_queue_requests"),
    "prefill-time": ("vllm:request_prefill_time_seconds",),
    "decode-time": ("vllm:request_decode_time_seconds",),
    "inference-time": ("vllm:request_inference_time_seconds",),
    "prompt-tokens": ("vllm:prompt_tokens_total",),
    "generation-tokens": ("vllm:generation_tokens_total",),
    "prompt-throughput": ("vllm:avg_prompt_throughput_toks_per_s",),
    "generation-throughput": ("vllm:avg_generation_throughput_toks_per_s",),
    "prompt-length": ("vllm:request_prompt_tokens",),
    "generation-length": ("vllm:request_generation_tokens",),
    "tokens-per-step": ("vllm:iteration_tokens_total",),
    "requests-finished": ("vllm:request_success_total",),
    "requests-rejected": ("vllm:admission_rejections_total",),
    "http-requests": ("http_requests_total",),
    "cache-config": ("vllm:cache_config_info",),
    "lora": ("vllm:lora_requests_info",),
    "draft-tokens": ("vllm:spec_decode_num_draft_tokens_total",),
    "accepted-tokens": ("vllm:spec_decode_num_accepted_tokens_total",),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One name as the page shows it (a histogram adds _bucket, _sum and _count).

    `until` None means that 0.33.0 still has it; `v1` is the first release whose V1 engine shows it (NEVER in words, empty when the
    engines are not told apart); since `hidden` it is shown only with --show-hidden-metrics-for-version. `needs` names what must
    be on for it, `unit` what the name does not say, `instead` its successors.
    """

    name: str
    kind: str
    labels: tuple[str, ...]
    since: Version
    until: Version | None
    v1: str
    hidden: Version | None
    instead: tuple[str, ...]
    unit: str
    needs: str

    def known_in(self, version: Version) -> bool:
        """Whether that version can show it, with either engine, hidden or not."""
        return self.since <= version and (self.until is None or version <= self.until)

    def shown_in(self, version: Version) -> bool:
        """Whether that version shows it by itself: with its default engine, and not hidden."""
        if not self.known_in(version) or (self.hidden is not None and version >= self.hidden):
            return False
        if version < V1_DEFAULT or not self.v1:
            return True
        return self.v1 != NEVER and history.release(self.v1) <= version


@lru_cache(maxsize=1)
def _lines() -> dict[str, list[list[str]]]:
    found: dict[str, list[list[str]]] = {}
    for row in history.rows("metrics.tsv"):
        found.setdefault(row[0], []).append(row)
    return found


def _metric(row: list[str]) -> Metric:
    name, kind, labels, since, until, v1, hidden, instead, unit, needs = row
    return Metric(
        name=name,
        kind=kind,
        labels=tuple(labels.split()),
        since=history.release(since),
        until=history.until(until),
        v1=v1,
        hidden=history.until(hidden),
        instead=tuple(instead.split()),
        unit=unit,
        needs=needs,
    )


def all_metrics() -> Iterator[Metric]:
    """Every name that any release has shown; one that changed its type comes once for each."""
    return (_metric(row) for rows in _lines().values() for row in rows)


def lookup(text: str, version: Version | None = None) -> Metric | None:
    """The metric called `text` in any release (or as that version has it): with or without vllm: and a histogram's endings."""
    rows = next((rows for name in _spellings(text) if (rows := _lines().get(name))), [])
    metrics = [_metric(row) for row in rows]
    fitting = [metric for metric in metrics if version is None or metric.known_in(version)]
    return next(iter(fitting or metrics), None)


def _spellings(text: str) -> Iterator[str]:
    bare = text.strip().split("{")[0].replace("vllm_", "vllm:", 1)
    for name in (bare, f"vllm:{bare}"):
        yield name
        yield f"{name}_total"
        yield from (name.removesuffix(suffix) for suffix in _SUFFIXES if name.endswith(suffix))


def known(text: str, version: Version) -> bool:
    """Whether that version can show a metric of that name."""
    metric = lookup(text, version)
    return metric is not None and metric.known_in(version)


def name(what: str, version: Version) -> str | None:
    """What that version calls a signal (a key of SIGNALS) or a metric of any version; None when it shows no such thing.

    >>> name("kv-cache-usage", Version(0, 8))
    'vllm:gpu_cache_usage_perc'
    """
    if what in SIGNALS:
        return _shown(SIGNALS[what], version)
    metric = lookup(what, version)
    if metric is None:
        return None
    if metric.shown_in(version):
        return metric.name
    return _shown(metric.instead, version) or _older(metric, version)


def _shown(names: tuple[str, ...], version: Version) -> str | None:
    found = (lookup(each, version) for each in names)
    return next((metric.name for metric in found if metric is not None and metric.shown_in(version)), None)


def _older(metric: Metric, version: Version) -> str | None:
    """What a metric that came later was called before."""
    if version >= metric.since:
        return None
    before = (each for each in all_metrics() if metric.name in each.instead and each.shown_in(version))
    return next((each.name for each in before), None)


def nearest(text: str) -> str | None:
    """The metric that `text` is probably a slip of; None when nothing is near."""
    from rapidfuzz import fuzz, process

    bare = text.strip()[:100].removeprefix("vllm:")
    names = {known: known.removeprefix("vllm:") for known in _lines()}
    found = process.extractOne(bare, names, scorer=fuzz.ratio, score_cutoff=80)
    return found[2] if found else None
