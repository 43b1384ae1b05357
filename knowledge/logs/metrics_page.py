"""A pasted /metrics page, whole or in part: its figures, and the lines they stood on."""

import re
from dataclasses import dataclass, field
from math import isnan
from typing import Any

from knowledge.logs.lines import Line
from knowledge.releases import metric_names

MOST = 5000  # samples that are kept
_SAMPLE = re.compile(
    r"(?P<name>(?:vllm[:_]|http_request|process_)\w{2,100})(?:\{[^\n]{0,2000}\})? [-+]?(?:\d|\.\d|[Nn]a[Nn]|[Ii]nf)\S{0,30}$"
)


@dataclass(frozen=True, slots=True)
class Sample:
    """One figure of the page."""

    name: str
    labels: dict[str, str]
    value: float
    line: Line


@dataclass(slots=True)
class MetricsPage:
    """Collects samples from lines as they come."""

    samples: list[Sample] = field(default_factory=list)
    described: set[str] = field(default_factory=set)

    def feed(self, line: Line) -> bool:
        """Takes a line; says whether it belongs to a page."""
        text = line.text.strip()
        if text.startswith(("# HELP ", "# TYPE ")):
            name = text.split(" ", 3)[2]
            self.described.add(name)
            return name.startswith("vllm")
        if "vllm" not in text or _SAMPLE.match(text) is None or len(self.samples) >= MOST:
            return False
        return self._parsed(text, line)

    def _parsed(self, text: str, line: Line) -> bool:
        from prometheus_client.parser import text_string_to_metric_families

        try:
            families = list(text_string_to_metric_families(text + "\n"))
        except ValueError:
            return False
        found = [
            Sample(sample.name, dict(sample.labels), sample.value, line) for each in families for sample in each.samples
        ]
        self.samples.extend(found)
        return bool(found)

    def named(self, *signals: str) -> list[Sample]:
        """The samples of a signal (a key of metric_names.SIGNALS) or metric, under any release's name."""
        wanted = {name for signal in signals for name in metric_names.SIGNALS.get(signal, (signal,))}
        endings = ("", "_total", "_sum", "_count")
        return [
            sample for sample in self.samples if any(sample.name == name + end for name in wanted for end in endings)
        ]

    def total(self, *signals: str) -> float | None:
        """The sum over engines and labels; None when the page has no such metric."""
        found = [sample for sample in self.named(*signals) if not sample.name.endswith(("_sum", "_count"))]
        return sum(sample.value for sample in found) if found else None

    def highest(self, *signals: str) -> float | None:
        """The highest over engines, for what must not be added up."""
        return max((sample.value for sample in self.named(*signals)), default=None)

    def mean(self, signal: str) -> float | None:
        """A histogram's mean: sum by count."""
        found = self.named(signal)
        total = sum(sample.value for sample in found if sample.name.endswith("_sum"))
        count = sum(sample.value for sample in found if sample.name.endswith("_count"))
        return total / count if count else None

    def line_of(self, *signals: str) -> Line | None:
        """The line with the largest value of a signal."""
        found = [sample for sample in self.named(*signals) if not sample.name.endswith("_sum")]
        return max(found, key=lambda sample: sample.value).line if found else None

    def config(self) -> dict[str, str]:
        """Labels of cache_config_info."""
        found = self.named("cache-config")
        return found[0].labels if found else {}

    def tokens(self) -> int | None:
        """KV cache tokens of one engine, from cache_config_info."""
        labels = self.config()
        told = labels.get("kv_cache_size_tokens", "")
        if told.isdigit():
            return int(told)
        blocks, size = labels.get("num_gpu_blocks", ""), labels.get("block_size", "")
        return int(blocks) * int(size) if blocks.isdigit() and size.isdigit() else None


def figures(page: MetricsPage) -> dict[str, Any]:
    """What the page says of load and latency, by short names; absent means that the page has not got it."""
    finished = page.total("requests-finished")
    prompt, output = page.mean("prompt-length"), page.mean("generation-length")
    queries, hits = page.total("prefix-cache-queries"), page.total("prefix-cache-hits")
    drafted, accepted = page.total("draft-tokens"), page.total("accepted-tokens")
    found: dict[str, Any] = {
        "running": _whole(page.total("requests-running")),
        "waiting": _whole(page.total("requests-waiting")),
        "swapped": _whole(page.total("requests-swapped")),
        "usage": page.highest("kv-cache-usage"),
        "preemptions": _whole(page.total("preemptions")),
        "finished": _whole(finished),
        "prompt_tokens": prompt,
        "output_tokens": output,
        "ttft": page.mean("ttft"),
        "itl": page.mean("itl"),
        "tpot": page.mean("tpot"),
        "queue": page.mean("queue-time"),
        "prefill": page.mean("prefill-time"),
        "decode": page.mean("decode-time"),
        "e2e": page.mean("e2e-latency"),
        "hit_rate": hits / queries if queries and hits is not None else None,
        "prefix_queries": _whole(queries),
        "acceptance": accepted / drafted if drafted and accepted is not None else None,
        "drafted": _whole(drafted),
        "tokens": page.tokens(),
        "aborted": _whole(_finished_by(page, "abort")),
    }
    return {name: value for name, value in found.items() if value is not None}


def _finished_by(page: MetricsPage, reason: str) -> float | None:
    found = [s for s in page.named("requests-finished") if s.labels.get("finished_reason") == reason]
    return sum(sample.value for sample in found) if found else None


def _whole(value: float | None) -> int | None:
    return None if value is None or isnan(value) else int(value)
